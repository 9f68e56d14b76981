# One ServiceAccount is an identity at Google Cloud, Azure and AWS. Google is handed the keys themselves. Azure and AWS fetch them
# from the issuer, and are told of it once it answers as they need it.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }

    # Delete those of the clouds that you do not use, with their files.
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0" # which asks for no thumbprints
    }
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 5.0"
    }
    google = {
      source = "hashicorp/google"
    }
  }
}

provider "aktrust" {
  kubernetes = {
    config_path    = var.kubeconfig
    config_context = var.kubeconfig_context
  }
}

data "aktrust_cluster_jwks" "this" {}

# What Azure and AWS would read now.
data "aktrust_published_issuer" "this" {
  issuer_url     = data.aktrust_cluster_jwks.this.issuer
  expected_jwks  = data.aktrust_cluster_jwks.this.jwks
  ca_certificate = var.issuer_ca_certificate

  lifecycle {
    postcondition {
      condition     = self.consistent
      error_message = "Azure and AWS could not verify the cluster's tokens:\n${join("\n", self.problems)}"
    }
  }
}

locals {
  subject = "system:serviceaccount:${var.namespace}:${var.service_account}"

  # Tokens of another cluster have the same subjects, so that each cluster has a pool of its own.
  google = {
    pool              = var.cluster_name
    issuer            = data.aktrust_cluster_jwks.this.issuer
    jwks              = data.aktrust_cluster_jwks.this.jwks
    audiences         = [var.audiences.google]
    attribute_mapping = { "google.subject" = "assertion.sub" }
  }

  # By way of what was read, so that there is no trust before there are keys. Azure compares all three to the letter.
  azure = {
    issuer   = data.aktrust_published_issuer.this.issuer
    subject  = local.subject
    audience = [var.audiences.azure]
  }

  # AWS knows a provider by its URL without the scheme.
  aws = {
    url       = data.aktrust_published_issuer.this.issuer
    audiences = [var.audiences.aws]
    conditions = {
      StringEquals = {
        "${trimprefix(data.aktrust_published_issuer.this.issuer, "https://")}:sub" = local.subject
        "${trimprefix(data.aktrust_published_issuer.this.issuer, "https://")}:aud" = var.audiences.aws
      }
    }
  }
}
