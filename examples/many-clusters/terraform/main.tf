# Many clusters from one inventory, for Terraform: a provider and a module for each of them. OpenTofu takes it too.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

provider "aktrust" {
  alias = "eu"

  endpoint       = var.registry_endpoint
  token          = var.registry_token
  ca_certificate = var.registry_ca_certificate

  kubernetes = {
    config_path    = var.clusters["eu"].kubeconfig
    config_context = var.clusters["eu"].kubeconfig_context
  }
}

module "eu" {
  source = "../cluster"
  count  = var.clusters["eu"].retired ? 0 : 1

  providers = {
    aktrust = aktrust.eu
  }

  name       = "eu"
  issuer     = var.clusters["eu"].issuer
  audience   = var.audience
  namespaces = var.clusters["eu"].namespaces
}

provider "aktrust" {
  alias = "us"

  endpoint       = var.registry_endpoint
  token          = var.registry_token
  ca_certificate = var.registry_ca_certificate

  kubernetes = {
    config_path    = var.clusters["us"].kubeconfig
    config_context = var.clusters["us"].kubeconfig_context
  }
}

module "us" {
  source = "../cluster"
  count  = var.clusters["us"].retired ? 0 : 1

  providers = {
    aktrust = aktrust.us
  }

  name       = "us"
  issuer     = var.clusters["us"].issuer
  audience   = var.audience
  namespaces = var.clusters["us"].namespaces
}

locals {
  modules = { eu = module.eu, us = module.us }
}
