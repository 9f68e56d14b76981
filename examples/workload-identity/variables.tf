variable "cluster_name" {
  description = "Name of the cluster: 4 to 32 small letters, digits and dashes, for Google's sake."
  type        = string
}

variable "kubeconfig" {
  description = "Path of a kubeconfig for the cluster."
  type        = string
}

variable "kubeconfig_context" {
  description = "Context of the kubeconfig; its current one when left out."
  type        = string
  default     = null
}

variable "namespace" {
  description = "Namespace of the ServiceAccount."
  type        = string
}

variable "service_account" {
  description = "Name of the ServiceAccount."
  type        = string
}

variable "audiences" {
  description = "Audience of the tokens for each cloud, as in the serviceAccountToken volumes of the pods. Each is for that cloud alone."
  type = object({
    google = optional(string, "google-cloud")
    azure  = optional(string, "api://AzureADTokenExchange")
    aws    = optional(string, "sts.amazonaws.com")
  })
  default = {}
}

variable "issuer_ca_certificate" {
  description = "PEM text of an authority, when the issuer's certificate is not of a public one. Azure and AWS do not take such an issuer."
  type        = string
  default     = null
}
