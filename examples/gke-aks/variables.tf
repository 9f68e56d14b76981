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

variable "installer_image" {
  description = "Image with a shell, cp and nsenter, such as busybox or alpine, by digest. Nodes must be able to pull it without the plugin."
  type        = string

  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.installer_image))
    error_message = "The installer is root on every node: name its image by digest, as NAME@sha256:..."
  }
}

variable "node_selector" {
  description = "Labels of the nodes to work on: one node or a small pool at first, then {} for all."
  type        = map(string)
  default     = {}
}

variable "installed" {
  description = "false takes the entry out again. Apply that and wait for the DaemonSet before destroying it."
  type        = bool
  default     = true
}
