data "aktrust_ci_oidc_provider" "cluster" {
  name = "prod"
}

resource "aktrust_ci_oidc_mapping" "namespace" {
  for_each = toset(["team-a", "team-b"])

  provider_id       = data.aktrust_ci_oidc_provider.cluster.id
  name              = "namespace ${each.key}"
  claim_filters     = { "/kubernetes.io/namespace" = each.key }
  group_binding_ids = []
}

# These, and nobody else's: a mapping that somebody adds shows in the next plan.
resource "aktrust_ci_oidc_mappings_exclusive" "cluster" {
  provider_id = data.aktrust_ci_oidc_provider.cluster.id
  mapping_ids = values(aktrust_ci_oidc_mapping.namespace)[*].id
}
