# The node side in the build of a node's image: the kubelet's file is written into the tree of files that becomes the
# image, and a script adds the plugin and the kubelet's flags. With Ansible or on the node itself it is the same, with
# rootfs = "/".

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

locals {
  plugin = "ak-kubelet-provider"
  rootfs = trimsuffix(abspath(var.rootfs), "/")
}

resource "aktrust_credential_provider_config" "image" {
  path   = "${local.rootfs}${var.config_path}"
  manage = var.manage

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
  # The flags as the node will see them: without the path of the tree.
  kubelet_args = ["--image-credential-provider-config=${var.config_path}", "--image-credential-provider-bin-dir=${var.bin_dir}"]

  bake_script = join("\n", [
    templatefile("${path.module}/settings.sh.tftpl", {
      rootfs           = local.rootfs
      bin_dir          = var.bin_dir
      arch             = var.arch
      kubelet_args     = local.kubelet_args
      environment_file = var.kubelet_environment_file
    }),
    templatefile("${path.module}/../node/install-plugin.sh.tftpl", { name = local.plugin, releases = var.plugin }),
    file("${path.module}/bake.sh"),
  ])
}
