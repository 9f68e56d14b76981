# What every cluster of the inventory is given: its tokens are trusted, namespaces may pull, nodes may ask for the audience.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

data "aktrust_cluster_jwks" "this" {
  lifecycle {
    # The keys of one cluster under the name of another would let the wrong pods in.
    postcondition {
      condition = self.issuer == var.issuer
      error_message = join(" ", [
        "The inventory has the issuer ${var.issuer} for ${var.name}, and its API server says ${self.issuer}.",
        "Is it another cluster's kubeconfig?",
      ])
    }
  }
}

resource "aktrust_ci_oidc_provider" "this" {
  name          = var.name
  provider_type = "kubernetes"
  issuer_url    = data.aktrust_cluster_jwks.this.issuer
  audience      = var.audience
  static_jwks   = data.aktrust_cluster_jwks.this.jwks
}

data "aktrust_group" "readers" {
  for_each = toset(values(var.namespaces))

  name = each.value
}

resource "aktrust_ci_oidc_mapping" "namespace" {
  for_each = var.namespaces

  provider_id       = aktrust_ci_oidc_provider.this.id
  name              = "${var.name}: namespace ${each.key}"
  claim_filters     = { "/kubernetes.io/namespace" = each.key }
  group_binding_ids = [data.aktrust_group.readers[each.value].id]
}

resource "aktrust_node_audience" "registry" {
  audience = aktrust_ci_oidc_provider.this.audience
}
