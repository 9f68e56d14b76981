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

variable "rootfs" {
  description = "Root of the tree of files that becomes the image."
  type        = string
}

variable "arch" {
  description = "Architecture of the image, amd64 or arm64: not that of the machine that builds it."
  type        = string
}

variable "config_path" {
  description = "Path of the kubelet's file in the image."
  type        = string
  default     = "/etc/kubernetes/credential-provider.yaml"
}

variable "bin_dir" {
  description = "Directory of the plugins in the image. The plugins of one kubelet share it."
  type        = string
  default     = "/usr/local/lib/kubelet-credential-providers"
}

variable "manage" {
  description = "\"entries\" where the image's file is there already, with plugins of others in it."
  type        = string
  default     = "file"
}

variable "kubelet_environment_file" {
  description = "File from which the kubelet's unit takes KUBELET_EXTRA_ARGS: of Debian's packages this one, of RPMs /etc/sysconfig/kubelet."
  type        = string
  default     = "/etc/default/kubelet"
}
