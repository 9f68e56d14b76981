terraform {
  required_providers {
    aktrust = {
      source = "aktrust/aktrust"
    }
  }
}

variable "registry_token" {
  type      = string
  sensitive = true
}

provider "aktrust" {
  endpoint = "https://ak.example.com"
  token    = var.registry_token

  kubernetes = {
    config_path    = "~/.kube/config"
    config_context = "prod"
  }
}
