# The node side on EKS with Amazon Linux 2023: user data that brings the plugin onto a new node, appends the entry to what
# EKS configures for ECR, and points the kubelet at the result.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
    aws = {
      source = "hashicorp/aws"
    }
  }
}

locals {
  plugin = "ak-kubelet-provider"

  # nodeadm writes its file anew at every boot, before user data is looked at, and its directory is the bin-dir flag.
  eks_bin_dir     = "/etc/eks/image-credential-provider"
  eks_config_path = "/etc/eks/image-credential-provider/config.json"

  # The kubelet's file is a second one. Its flag is there twice then, and the last one counts.
  config_path = "/etc/aktrust/credential-provider.json"
}

data "aktrust_credential_provider_config" "node" {
  config_path = local.config_path

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
  node_script = join("\n", [
    templatefile("${path.module}/settings.sh.tftpl", {
      platform_config = local.eks_config_path
      config_path     = local.config_path
      bin_dir         = local.eks_bin_dir
      entry           = data.aktrust_credential_provider_config.node.entries_json[local.plugin]
    }),
    templatefile("${path.module}/../node/install-plugin.sh.tftpl", { name = local.plugin, releases = var.plugin }),
    file("${path.module}/node.sh"),
  ])

  # nodeadm merges all documents of this kind, and appends these flags to its own.
  node_config = yamlencode({
    apiVersion = "node.eks.aws/v1alpha1"
    kind       = "NodeConfig"
    spec = merge(
      { kubelet = { flags = data.aktrust_credential_provider_config.node.kubelet_args } },
      var.cluster == null ? {} : {
        cluster = {
          name                 = var.cluster.name
          apiServerEndpoint    = var.cluster.api_server_endpoint
          certificateAuthority = var.cluster.certificate_authority
          cidr                 = var.cluster.cidr
        }
      },
    )
  })

  user_data = templatefile("${path.module}/user-data.mime.tftpl", {
    script      = local.node_script
    node_config = local.node_config
  })
}
