# The node side on Talos: a system extension that carries the plugin, and the object that the machine config takes.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
    talos = {
      source = "siderolabs/talos"
    }
  }
}

locals {
  plugin = "ak-kubelet-provider"

  # Talos sets the kubelet's flags itself, and this is the directory that it names.
  bin_dir = "/usr/local/lib/kubelet/credentialproviders"
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
  # A patch for the machine config of control planes and workers.
  machine_config_patch = yamlencode({
    machine = {
      kubelet = {
        credentialProviderConfig = jsondecode(data.aktrust_credential_provider_config.node.json)
      }
    }
  })

  # A system extension is an image with a manifest and a tree of files.
  extension_dockerfile = templatefile("${path.module}/extension.Dockerfile.tftpl", {
    plugin   = local.plugin
    bin_dir  = local.bin_dir
    releases = var.plugin
  })

  extension_manifest = yamlencode({
    version = "v1alpha1"
    metadata = {
      name          = local.plugin
      version       = var.extension_version
      author        = var.extension_author
      description   = "The credential provider plugin of the Artifact Keeper registry, for the kubelet."
      compatibility = { talos = { version = ">= v1.12.0" } }
    }
  })
}
