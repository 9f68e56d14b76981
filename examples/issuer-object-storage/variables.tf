variable "kubeconfig" {
  description = "Path of a kubeconfig for the cluster."
  type        = string
}

variable "kubeconfig_context" {
  description = "Context of the kubeconfig; its current one when left out."
  type        = string
  default     = null
}

variable "bucket_url" {
  # https://NAME.s3.REGION.amazonaws.com, https://storage.googleapis.com/NAME, https://ACCOUNT.blob.core.windows.net/CONTAINER
  description = "URL of the bucket, or of a CDN in front of it, as everybody reaches it, without a slash at the end."
  type        = string

  validation {
    condition     = can(regex("^https://[^/?#\\s]+(/[^/?#\\s]+)*$", var.bucket_url))
    error_message = "The bucket's URL begins with https:// and has no slash at the end."
  }
}
