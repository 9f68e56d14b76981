# The node side on GKE Standard and AKS: a DaemonSet that puts the plugin onto each node, adds the entry to the file that
# the kubelet reads already, and restarts the kubelet, with a way back.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
    }
  }
}

locals {
  plugin    = "ak-kubelet-provider"
  namespace = "aktrust-node"
  labels    = { "app.kubernetes.io/name" = "aktrust-node-installer" }
}

data "aktrust_credential_provider_config" "node" {
  providers = [{
    name                   = local.plugin
    match_images           = [split("/", trimprefix(var.registry_endpoint, "https://"))[0]]
    default_cache_duration = "5m"
    args = concat(
      ["--url=${var.registry_endpoint}"],
      var.node_ca_file == null ? [] : ["--ca-file=${var.node_ca_file}"],
    )

    token_attributes = {
      service_account_token_audience = var.audience
      cache_type                     = "ServiceAccount"
      require_service_account        = true
    }
  }]
}

locals {
  files = {
    "provider.yaml" = data.aktrust_credential_provider_config.node.entries_yaml[local.plugin]
    "install-plugin.sh" = templatefile("${path.module}/../node/install-plugin.sh.tftpl", {
      name     = local.plugin
      releases = var.plugin
    })
    "restart-kubelet.sh" = file("${path.module}/../node/restart-kubelet.sh")
    "install.sh"         = file("${path.module}/install.sh")
  }

  # By kind, in the order in which they need each other.
  manifests = {
    namespace  = local.namespace_manifest
    files      = local.files_manifest
    daemon_set = local.daemon_set_manifest
  }

  namespace_manifest = {
    apiVersion = "v1"
    kind       = "Namespace"
    metadata = {
      name   = local.namespace
      labels = { "pod-security.kubernetes.io/enforce" = "privileged" }
    }
  }

  files_manifest = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "aktrust-node-installer", namespace = local.namespace }
    data       = local.files
  }
}
