variable "clusters" {
  description = "The inventory: all clusters by name, with the issuer of each, and the group of the registry for each namespace that pulls."
  type = map(object({
    issuer             = string
    kubeconfig         = string
    kubeconfig_context = optional(string)
    namespaces         = optional(map(string), {})
    retired            = optional(bool, false)
  }))

  validation {
    condition     = alltrue([for cluster in var.clusters : can(regex("^https://[^/?#\\s]+(/[^?#\\s]*)?$", cluster.issuer))])
    error_message = "An issuer is an https:// URL without query and fragment."
  }

  # A token says by its issuer alone which cluster it is from. A slash at the end and the case of the host tell no two apart.
  validation {
    condition = length(var.clusters) == length(distinct([for cluster in var.clusters :
      join("/", [for i, part in split("/", trimsuffix(cluster.issuer, "/")) : i == 2 ? lower(part) : part])
    ]))
    error_message = "Two clusters have the same issuer: ${join("; ", [
      for issuer, names in {
        for name, cluster in var.clusters :
        join("/", [for i, part in split("/", trimsuffix(cluster.issuer, "/")) : i == 2 ? lower(part) : part]) => name...
      } : "${join(" and ", names)} have ${issuer}" if length(names) > 1
    ])}. Tokens of the one would be taken for tokens of the other."
  }
}

variable "registry_endpoint" {
  description = "Address of the registry, such as https://ak.example.com."
  type        = string
}

variable "registry_token" {
  description = "Token of an administrator of the registry. Left out, ARTIFACT_KEEPER_TOKEN is used."
  type        = string
  default     = null
  sensitive   = true
}

variable "registry_ca_certificate" {
  description = "PEM text of the authority that signed the registry's certificate, when it is not a public one."
  type        = string
  default     = null
}

variable "audience" {
  description = "Audience of the tokens. It is for the registry alone: never one of the API server."
  type        = string
  default     = "artifact-keeper"
}
