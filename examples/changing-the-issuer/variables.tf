variable "issuers" {
  description = "Every issuer that a token in use may have, by a name that stays."
  type        = map(string) # such as { old = "https://kubernetes.default.svc.cluster.local", new = "https://oidc.example.com/prod" }
}

variable "cluster_name" {
  description = "Name of the cluster, for people who look at the registry."
  type        = string
  default     = "prod"
}

variable "registry_endpoint" {
  description = "Address of the registry, such as https://ak.example.com."
  type        = string
}

variable "registry_ca_certificate" {
  description = "PEM text of the authority that signed the registry's certificate, when it is not a public one."
  type        = string
  default     = null
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

variable "audience" {
  description = "Audience of the tokens. It is for the registry alone: never one of the API server."
  type        = string
  default     = "artifact-keeper"
}

variable "team_group" {
  description = "Group of the registry whose members may read what the namespace team pulls."
  type        = string
  default     = "team-readers"
}

variable "image" {
  description = "An image that team/app has to be able to pull, without the registry's host."
  type        = string
  default     = "team/app:1.0"
}
