# The node side on kubeadm clusters, kind included: one script for nodes that are there, and the kubelet's flags for
# kubeadm to give to those that are yet to join.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

locals {
  plugin      = "ak-kubelet-provider"
  bin_dir     = "/usr/local/lib/kubelet-credential-providers"
  config_path = "/etc/kubernetes/credential-provider.yaml"
}

data "aktrust_credential_provider_config" "node" {
  config_path = local.config_path
  bin_dir     = local.bin_dir

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
  # For every node that is there, as root. It can run again at any time: it restarts the kubelet only when its file or
  # its flags change.
  node_script = join("\n", [
    templatefile("${path.module}/settings.sh.tftpl", {
      config_path  = local.config_path
      bin_dir      = local.bin_dir
      kubelet_args = data.aktrust_credential_provider_config.node.kubelet_args
      config       = data.aktrust_credential_provider_config.node.yaml
    }),
    templatefile("${path.module}/../node/install-plugin.sh.tftpl", { name = local.plugin, releases = var.plugin }),
    file("${path.module}/../node/restart-kubelet.sh"),
    file("${path.module}/node.sh"),
  ])

  # For nodes that are yet to join, in the InitConfiguration or JoinConfiguration of their kubeadm.
  node_registration = yamlencode({
    nodeRegistration = {
      kubeletExtraArgs = [for arg in data.aktrust_credential_provider_config.node.kubelet_args : {
        name  = regex("^--([^=]+)=", arg)[0]
        value = regex("^[^=]+=(.*)$", arg)[0]
      }]
    }
  })
}
