# A cluster's workloads log in at Vault with their ServiceAccount tokens, and Vault verifies those with the cluster's own keys:
# no token reviewer, no binding to system:auth-delegator, and no way from Vault to the API server.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
    vault = {
      source = "hashicorp/vault"
    }
  }
}

provider "aktrust" {
  kubernetes = {
    config_path    = var.kubeconfig
    config_context = var.kubeconfig_context
  }
}

data "aktrust_cluster_jwks" "this" {
  lifecycle {
    postcondition {
      condition = !contains([
        self.issuer, "https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local",
      ], var.audience)
      error_message = "${var.audience} is an audience of the API server. Every pod has a token for it: choose one that is Vault's alone."
    }
  }
}

locals {
  # A mount has one issuer. So each cluster has a mount of its own, and "sub" in one is nobody in another.
  mount = {
    path                   = "jwt-${var.cluster_name}"
    bound_issuer           = data.aktrust_cluster_jwks.this.issuer
    jwt_validation_pubkeys = data.aktrust_cluster_jwks.this.keys[*].public_key_pem
  }

  # Every claim has to match. Of several values, which the provider for Vault takes with commas between them, one does.
  roles = {
    for name, role in var.roles : name => {
      bound_audiences = [var.audience]
      bound_claims = {
        "/kubernetes.io/namespace"           = role.namespace
        "/kubernetes.io/serviceaccount/name" = join(",", role.service_accounts)
      }
      user_claim     = "sub" # system:serviceaccount:NAMESPACE:NAME
      token_policies = role.policies
      token_ttl      = 900
    }
  }
}
