# The issuer of a cluster that is yet to be made: one value of the inventory becomes the API server's flags, for Cluster API and
# for kubeadm. When the cluster is there, its API server is asked whether it took them.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

provider "aktrust" {
  kubernetes = {
    config_path    = var.kubeconfig
    config_context = var.kubeconfig_context
  }
}

locals {
  # What provider::aktrust::issuer_documents calls the place of the keys.
  jwks_uri = "${var.cluster.issuer}/openid/v1/jwks"

  api_server_flags = {
    service-account-issuer   = var.cluster.issuer
    service-account-jwks-uri = local.jwks_uri
  }

  # kubeadm's v1beta4 and Cluster API's v1beta2 take a list, Cluster API's v1beta1 takes a map.
  extra_args = [for name, value in local.api_server_flags : { name = name, value = value }]

  # Parts of the objects, to be merged with the rest of them.
  kubeadm_control_plane = {
    for version, extra_args in { v1beta2 = local.extra_args, v1beta1 = local.api_server_flags } : version => yamlencode({
      apiVersion = "controlplane.cluster.x-k8s.io/${version}"
      kind       = "KubeadmControlPlane"
      metadata   = { name = var.cluster.name }
      spec       = { kubeadmConfigSpec = { clusterConfiguration = { apiServer = { extraArgs = extra_args } } } }
    })
  }

  cluster_configuration = yamlencode({
    apiVersion = "kubeadm.k8s.io/v1beta4"
    kind       = "ClusterConfiguration"
    apiServer  = { extraArgs = local.extra_args }
  })
}

# Later, with the cluster's kubeconfig.
data "aktrust_cluster_jwks" "made" {
  count = var.kubeconfig == null ? 0 : 1

  lifecycle {
    postcondition {
      condition = self.issuer == var.cluster.issuer && self.jwks_uri == local.jwks_uri
      error_message = join(" ", [
        "The inventory has the issuer ${var.cluster.issuer} with its keys at ${local.jwks_uri},",
        "and the API server says ${self.issuer} and ${coalesce(self.jwks_uri, "nothing")}.",
        "To change the issuer of a cluster in use takes several steps: tokens of the old one are refused from the moment it is gone.",
      ])
    }
  }
}
