# Publishes a cluster's issuer in an object store, which answers when the cluster does not: both documents as objects, with the
# names under which consumers look for them and the content types that consumers expect.

terraform {
  # For functions: Terraform has them from 1.8 on. OpenTofu has them from 1.7 on, which is not worth a line of its own.
  required_version = ">= 1.8.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }

    # Keep the one of your store, and delete those of the others with their files.
    aws = {
      source = "hashicorp/aws"
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

data "aktrust_cluster_jwks" "this" {
  lifecycle {
    postcondition {
      condition = startswith("${self.issuer}/", "${var.bucket_url}/") && can(regex("^[A-Za-z0-9:/._~-]+$", self.issuer))
      error_message = join(" ", [
        "The cluster's issuer is ${self.issuer}, and consumers look for its documents there, not at ${var.bucket_url}.",
        "Give the API server a --service-account-issuer at or below that URL first.",
      ])
    }
  }
}

locals {
  documents = values(provider::aktrust::issuer_documents(data.aktrust_cluster_jwks.this.issuer, data.aktrust_cluster_jwks.this.jwks))

  # By name in the bucket: a document's path begins at the host, and the bucket may be a folder of it.
  objects = {
    for document in local.documents :
    trimprefix("https://${split("/", var.bucket_url)[2]}/${document.path}", "${var.bucket_url}/") => {
      content      = document.content
      content_type = document.content_type
    }
  }

  # Consumers that keep what they have read learn of a new key within these seconds. Some stores keep objects for an hour otherwise.
  cache_control = "public, max-age=300"

  # For any other place.
  script = templatefile("${path.module}/write.sh.tftpl", { objects = local.objects })
}
