variable "cluster_name" {
  description = "Name of the cluster: the method is mounted as jwt-NAME."
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

variable "audience" {
  description = "Audience of the tokens, as in the serviceAccountToken volumes of the pods. It is for Vault alone."
  type        = string
  default     = "vault"
}

variable "roles" {
  description = "Who logs in as which role of Vault."
  type = map(object({
    namespace        = string
    service_accounts = list(string)
    policies         = list(string)
  }))

  validation {
    condition = alltrue([for role in var.roles :
      length(role.service_accounts) > 0 && alltrue([for name in concat([role.namespace], role.service_accounts) :
        can(regex("^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$", name))
      ])
    ])
    error_message = "Each role needs a namespace and at least one ServiceAccount, by their names in Kubernetes: no patterns."
  }
}
