variable "kubeconfig" {
  description = "Path of a kubeconfig for the cluster."
  type        = string
}

variable "kubeconfig_context" {
  description = "Context of the kubeconfig; its current one when left out."
  type        = string
  default     = null
}

variable "owner" {
  description = "Who answers for these objects and where their configuration is, for people who find them in the cluster."
  type        = string
}

variable "namespace" {
  description = "Namespace to make, for this alone: who may write in it speaks for the cluster."
  type        = string
  default     = "cluster-issuer"
}

variable "image" {
  description = "Image with nginx 1.20 or newer, by digest, such as that of docker.io/nginxinc/nginx-unprivileged."
  type        = string

  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.image))
    error_message = "It speaks for the whole cluster: name its image by digest, as NAME@sha256:..."
  }
}

variable "ingress_class" {
  description = "Class of the Ingress; the cluster's default when left out."
  type        = string
  default     = null
}

variable "ingress_annotations" {
  description = "Annotations of the Ingress, such as cert-manager.io/cluster-issuer for the certificate."
  type        = map(string)
  default     = {}
}

variable "tls_secret" {
  description = "Name of the Secret with the certificate of the issuer's host. Consumers have to trust it: a public authority's."
  type        = string
  default     = "cluster-issuer-tls"
}
