variable "cluster_name" {
  description = "Name of the cluster, for people who look at the registry."
  type        = string
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

variable "node_ca_file" {
  description = "Path, on the nodes, of a file with that authority."
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

variable "platform_group" {
  description = "Group of the registry whose members may read what the platform's builders pull."
  type        = string
  default     = "platform-readers"
}

variable "kubelet_config_path" {
  description = "Where to write the kubelet's file on this machine."
  type        = string
  default     = "credential-provider.yaml"
}

variable "allowed_pull" {
  description = "A ServiceAccount that has to be able to pull an image, and the image without the registry's host."
  type        = object({ namespace = string, service_account = string, image = string })
  default     = { namespace = "team", service_account = "default", image = "team/app:1.0" }
}

variable "denied_pull" {
  description = "A ServiceAccount of another namespace, and an image that it must not be able to pull."
  type        = object({ namespace = string, service_account = string, image = string })
  default     = { namespace = "default", service_account = "default", image = "team/app:1.0" }
}
