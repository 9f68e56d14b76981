# A cluster whose keys rotate: the registry takes over the keys that the API server serves, and every run tries a pull.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

provider "aktrust" {
  endpoint       = var.registry_endpoint
  ca_certificate = var.registry_ca_certificate # the token comes from ARTIFACT_KEEPER_TOKEN

  kubernetes = {
    config_path    = var.kubeconfig
    config_context = var.kubeconfig_context
  }
}

# Every key that the API server serves, and with that accepts: those of --service-account-key-file.
data "aktrust_cluster_jwks" "this" {}

resource "aktrust_ci_oidc_provider" "cluster" {
  name          = var.cluster_name
  provider_type = "kubernetes"
  issuer_url    = data.aktrust_cluster_jwks.this.issuer
  audience      = var.audience
  static_jwks   = data.aktrust_cluster_jwks.this.jwks
}

data "aktrust_group" "team" {
  name = var.team_group
}

resource "aktrust_ci_oidc_mapping" "team" {
  provider_id       = aktrust_ci_oidc_provider.cluster.id
  name              = "${var.cluster_name}: namespace team"
  claim_filters     = { "/kubernetes.io/namespace" = "team" }
  group_binding_ids = [data.aktrust_group.team.id]
}

resource "aktrust_node_audience" "registry" {
  audience = aktrust_ci_oidc_provider.cluster.audience
}

# A pull on paper, with a token that the API server signs now. It is made while planning, so that a plan says what holds before
# its changes, and the next plan what holds after them. The first one waits for the mapping, because it takes a value from it;
# depends_on would make every plan that changes keys wait.
data "aktrust_pull_check" "app" {
  namespace       = "team"
  service_account = "app"
  image           = "${split("/", trimprefix(var.registry_endpoint, "https://"))[0]}/${var.image}"
  provider_id     = aktrust_ci_oidc_mapping.team.provider_id
  audience        = aktrust_node_audience.registry.audience
}

check "app_pulls" {
  assert {
    condition     = data.aktrust_pull_check.app.as_expected
    error_message = data.aktrust_pull_check.app.summary
  }
}

output "key_ids" {
  description = "The keys that the registry accepts tokens of."
  value       = aktrust_ci_oidc_provider.cluster.key_ids
}
