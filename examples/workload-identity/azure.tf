# Azure fetches the keys from the issuer. It supports tokens that are signed with RS256, and so RSA keys, which are kubeadm's default.

provider "azurerm" {
  features {}
}

variable "azure_identity_id" {
  description = "Id of the user assigned identity to act as."
  type        = string
}

resource "azurerm_federated_identity_credential" "workload" {
  name                      = "${var.cluster_name}-${var.namespace}-${var.service_account}"
  user_assigned_identity_id = var.azure_identity_id
  issuer                    = local.azure.issuer
  subject                   = local.azure.subject
  audience                  = local.azure.audience
}
