variable "registry_endpoint" {
  description = "Address of the registry as nodes reach it, such as https://ak.example.com."
  type        = string
}

variable "audience" {
  description = "Audience of the tokens: that of aktrust_ci_oidc_provider, which aktrust_node_audience lets nodes ask for."
  type        = string
  default     = "artifact-keeper"
}

variable "node_ca_file" {
  description = "Path, on the nodes, of a file with the authority that signed the registry's certificate, if it is not a public one."
  type        = string
  default     = null
}

variable "plugin" {
  description = "The plugin's binary for each architecture, amd64 or arm64, as node/pin.sh prints it."
  type        = map(object({ url = string, sha256 = string }))

  validation {
    condition = length(var.plugin) > 0 && alltrue([for arch, release in var.plugin :
      contains(["amd64", "arm64"], arch) &&
      can(regex("^https://[^\\s'\"\\\\]+$", release.url)) &&
      can(regex("^[0-9a-f]{64}$", release.sha256))
    ])
    error_message = "Each of amd64 and arm64 that is given needs an https:// url and the sha256 in 64 hex digits."
  }
}

variable "extension_version" {
  description = "Version of the system extension: that of the plugin in it."
  type        = string
}

variable "extension_author" {
  description = "Who makes the system extension."
  type        = string
}
