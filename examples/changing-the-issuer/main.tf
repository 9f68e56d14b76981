# A cluster that changes its issuer: while tokens of both issuers are in use, the registry has a provider for each. These are the parts
# that change: what else a configuration has, such as the kubelet's file, stays.

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

# The keys are the same for all issuers of an API server. Its own issuer is not taken from here: that is the one that tokens
# are issued with at the moment, and would change in place.
data "aktrust_cluster_jwks" "this" {}

resource "aktrust_ci_oidc_provider" "cluster" {
  for_each = var.issuers

  name          = "${var.cluster_name} ${each.key}"
  provider_type = "kubernetes"
  issuer_url    = each.value
  audience      = var.audience
  static_jwks   = data.aktrust_cluster_jwks.this.jwks
}

data "aktrust_group" "team" {
  name = var.team_group
}

# Each mapping once for each issuer.
resource "aktrust_ci_oidc_mapping" "team" {
  for_each = aktrust_ci_oidc_provider.cluster

  provider_id       = each.value.id
  name              = "${each.value.name}: namespace team"
  claim_filters     = { "/kubernetes.io/namespace" = "team" }
  group_binding_ids = [data.aktrust_group.team.id]
}

resource "aktrust_node_audience" "registry" {
  audience = var.audience
}

# A pull on paper, with a token of the issuer that the API server issues with now. It is made while planning, so that a plan
# says what holds before its changes. It names no provider_id: the registry finds the provider by the token's issuer. The
# plugin on the nodes must not name one either.
data "aktrust_pull_check" "app" {
  namespace       = "team"
  service_account = "app"
  image           = "${split("/", trimprefix(var.registry_endpoint, "https://"))[0]}/${var.image}"
  audience        = aktrust_node_audience.registry.audience
}

check "app_pulls" {
  assert {
    condition     = data.aktrust_pull_check.app.as_expected
    error_message = data.aktrust_pull_check.app.summary
  }
}

# What was written before there were two: the provider and the mapping that exist become those of the old issuer. Take these
# blocks out when they have been applied.
moved {
  from = aktrust_ci_oidc_provider.cluster
  to   = aktrust_ci_oidc_provider.cluster["old"]
}

moved {
  from = aktrust_ci_oidc_mapping.team
  to   = aktrust_ci_oidc_mapping.team["old"]
}
