# The container on Azure, in a storage account that is there and allows public blobs. Keep the file of your store,
# and delete those of the others with their entries in main.tf.

provider "azurerm" {
  features {}
}

variable "storage_account_id" {
  description = "Id of the storage account."
  type        = string
}

# With "blob" everybody may read the objects, and nobody may list them.
resource "azurerm_storage_container" "issuer" {
  name                  = split("/", var.bucket_url)[3] # Behind a CDN, write its name.
  storage_account_id    = var.storage_account_id
  container_access_type = "blob"
}

# Other content replaces the blob: for a moment there is none, and whoever asks then has to ask again.
resource "azurerm_storage_blob" "document" {
  for_each = local.objects

  storage_container_id = azurerm_storage_container.issuer.id
  name                 = each.key
  type                 = "Block"
  source_content       = each.value.content
  content_type         = each.value.content_type
  cache_control        = local.cache_control
}
