data "aktrust_group" "readers" {
  name = "team-readers"
}

# Every ServiceAccount of one namespace
resource "aktrust_ci_oidc_mapping" "team" {
  provider_id       = aktrust_ci_oidc_provider.cluster.id
  name              = "namespace team"
  claim_filters     = { "/kubernetes.io/namespace" = "team" }
  group_binding_ids = [data.aktrust_group.readers.id]
}

# Two ServiceAccounts, and a ceiling of one repository whatever their group may read
data "aktrust_repository" "tools" {
  key = "tools"
}

resource "aktrust_ci_oidc_mapping" "builders" {
  provider_id = aktrust_ci_oidc_provider.cluster.id
  name        = "builders"
  claim_filters = {
    "/kubernetes.io/namespace"           = "ci"
    "/kubernetes.io/serviceaccount/name" = ["builder", "deployer"]
  }
  group_binding_ids = [data.aktrust_group.readers.id]
  allowed_repo_ids  = [data.aktrust_repository.tools.id]
}
