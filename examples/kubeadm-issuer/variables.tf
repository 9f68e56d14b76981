variable "cluster" {
  description = "The cluster as the inventory has it."
  type = object({
    name   = string
    issuer = string
  })

  # Tokens carry the issuer as it is written here. Consumers do not agree on whether a slash at the end belongs to it.
  validation {
    condition     = can(regex("^https://[^/?#\\s]+(/[^/?#\\s]+)*$", var.cluster.issuer))
    error_message = "The issuer is an https:// URL without query and fragment, and without a slash at the end."
  }
}

variable "kubeconfig" {
  description = "Path of a kubeconfig for the cluster, once it is there."
  type        = string
  default     = null
}

variable "kubeconfig_context" {
  description = "Context of the kubeconfig; its current one when left out."
  type        = string
  default     = null
}
