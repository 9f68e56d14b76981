# The bucket on Google Cloud: everybody may read objects, and nobody may list them. Keep the file of your store,
# and delete those of the others with their entries in main.tf.

variable "location" {
  description = "Where the bucket is, such as EU."
  type        = string
}

resource "google_storage_bucket" "issuer" {
  name                        = split("/", var.bucket_url)[3] # Behind a CDN, write its name.
  location                    = var.location
  uniform_bucket_level_access = true

  # Who can write here speaks for the cluster: with versions, what was there stays to be seen.
  versioning {
    enabled = true
  }
}

resource "google_storage_bucket_iam_member" "everybody" {
  bucket = google_storage_bucket.issuer.name
  role   = "roles/storage.legacyObjectReader"
  member = "allUsers"
}

resource "google_storage_bucket_object" "document" {
  for_each = local.objects

  bucket        = google_storage_bucket.issuer.name
  name          = each.key
  content       = each.value.content
  content_type  = each.value.content_type
  cache_control = local.cache_control
}
