# Many clusters from one inventory, for OpenTofu: one block is as many providers as there are clusters.

terraform {
  required_version = ">= 1.9.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

# A provider has to outlive what it made. A cluster that goes is retired first, and taken out of the inventory after that.
provider "aktrust" {
  alias    = "by_cluster"
  for_each = var.clusters

  endpoint       = var.registry_endpoint
  token          = var.registry_token
  ca_certificate = var.registry_ca_certificate

  kubernetes = {
    config_path    = each.value.kubeconfig
    config_context = each.value.kubeconfig_context
  }
}

module "cluster" {
  source   = "../cluster"
  for_each = { for name, cluster in var.clusters : name => cluster if !cluster.retired }

  providers = {
    aktrust = aktrust.by_cluster[each.key]
  }

  name       = each.key
  issuer     = each.value.issuer
  audience   = var.audience
  namespaces = each.value.namespaces
}
