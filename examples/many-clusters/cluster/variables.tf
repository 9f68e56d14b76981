variable "name" {
  description = "Name of the cluster in the inventory."
  type        = string
}

variable "issuer" {
  description = "Issuer of the cluster as the inventory has it."
  type        = string
}

variable "audience" {
  description = "Audience of the tokens. It is for the registry alone: never one of the API server."
  type        = string
}

variable "namespaces" {
  description = "Namespaces that may pull, and the group of the registry in which each has an account."
  type        = map(string)
}
