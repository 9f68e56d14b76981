# The whole chain for one cluster: the registry trusts the cluster's tokens, two mappings say whose tokens may pull what,
# the nodes may ask for the audience, and the kubelet knows the plugin.

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
  token          = var.registry_token
  ca_certificate = var.registry_ca_certificate

  kubernetes = {
    config_path    = var.kubeconfig
    config_context = var.kubeconfig_context
  }
}

locals {
  # Images are named by this host. A port counts: ak.example.com and ak.example.com:443 are two hosts to the kubelet.
  registry_host = split("/", trimprefix(var.registry_endpoint, "https://"))[0]
}

# The cluster's issuer and the keys that it signs with, read from the API server.
data "aktrust_cluster_jwks" "this" {}

# The registry trusts this issuer, for tokens that were made for the registry alone.
resource "aktrust_ci_oidc_provider" "cluster" {
  name          = var.cluster_name
  provider_type = "kubernetes"
  issuer_url    = data.aktrust_cluster_jwks.this.issuer
  audience      = var.audience
  static_jwks   = data.aktrust_cluster_jwks.this.jwks
}

# Groups of the registry that may read the repositories in question.
data "aktrust_group" "team" {
  name = var.team_group
}

data "aktrust_group" "platform" {
  name = var.platform_group
}

# Every ServiceAccount of one namespace.
resource "aktrust_ci_oidc_mapping" "team" {
  provider_id = aktrust_ci_oidc_provider.cluster.id
  name        = "${var.cluster_name}: namespace team"

  claim_filters = {
    "/kubernetes.io/namespace" = "team"
  }

  group_binding_ids = [data.aktrust_group.team.id]
}

# Two ServiceAccounts of another namespace.
resource "aktrust_ci_oidc_mapping" "platform" {
  provider_id = aktrust_ci_oidc_provider.cluster.id
  name        = "${var.cluster_name}: platform builders"

  claim_filters = {
    "/kubernetes.io/namespace"           = "platform"
    "/kubernetes.io/serviceaccount/name" = ["builder", "deployer"]
  }

  group_binding_ids = [data.aktrust_group.platform.id]
}

# The kubelet of a node may ask the API server for a token of this audience.
resource "aktrust_node_audience" "registry" {
  audience = aktrust_ci_oidc_provider.cluster.audience
}

# The kubelet's file. Bring it, and the plugin's binary before it, onto every node.
resource "aktrust_credential_provider_config" "kubelet" {
  path    = var.kubelet_config_path
  bin_dir = "/usr/local/lib/kubelet-credential-providers"

  providers = [{
    name                   = "ak-kubelet-provider"
    match_images           = [local.registry_host]
    default_cache_duration = "5m"
    args = concat(
      ["--url=${var.registry_endpoint}", "--provider-id=${aktrust_ci_oidc_provider.cluster.id}"],
      var.node_ca_file == null ? [] : ["--ca-file=${var.node_ca_file}"],
    )

    token_attributes = {
      service_account_token_audience = aktrust_ci_oidc_provider.cluster.audience
      cache_type                     = "ServiceAccount"
      require_service_account        = true
    }
  }]
}
