# Publishes a cluster's issuer from the cluster itself: a ConfigMap with both documents, a small web server behind a Service, and an
# Ingress that lets in who asks for these two and for nothing else. The API server stays where it is.

terraform {
  # For functions: Terraform has them from 1.8 on. OpenTofu has them from 1.7 on, which is not worth a line of its own.
  required_version = ">= 1.8.0"

  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
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
      condition = alltrue([
        can(regex("^https://[a-z0-9-]+([.][a-z0-9-]+)+(/[A-Za-z0-9._~-]+)*$", self.issuer)),
        !can(regex("[.](svc|local|internal)(/|$)", self.issuer)),
      ])
      error_message = join(" ", [
        "The cluster's issuer is ${self.issuer}, which no Ingress answers to: it takes a public name, no port, and no slash at the end.",
        "Give the API server such a --service-account-issuer first.",
      ])
    }
  }
}

locals {
  documents = provider::aktrust::issuer_documents(data.aktrust_cluster_jwks.this.issuer, data.aktrust_cluster_jwks.this.jwks)
  host      = split("/", data.aktrust_cluster_jwks.this.issuer)[2]

  # What the web server reads: both documents, and which to answer with at which path.
  files = {
    "discovery.json" = local.documents.discovery.content
    "jwks.json"      = local.documents.jwks.content
    "nginx.conf" = templatefile("${path.module}/nginx.conf.tftpl", {
      locations = { for name, document in local.documents : "${name}.json" => document }
    })
  }

  # In the order in which they need each other.
  manifests = {
    namespace   = local.namespace_manifest
    files       = local.files_manifest
    deployment  = local.deployment_manifest
    disruptions = local.disruptions_manifest
    service     = local.service_manifest
    ingress     = local.ingress_manifest
  }
}
