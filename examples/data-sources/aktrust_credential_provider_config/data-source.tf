# The file of a platform, extended by one entry. Its comments and its other providers stay.
data "aktrust_credential_provider_config" "kubelet" {
  base        = file("${path.module}/config.json")
  config_path = "/etc/eks/image-credential-provider/config.json"
  bin_dir     = "/etc/eks/image-credential-provider"

  providers = [{
    name                   = "ak-kubelet-provider"
    match_images           = ["ak.example.com"]
    default_cache_duration = "5m"
    args                   = ["--url=https://ak.example.com"]

    token_attributes = {
      service_account_token_audience = "artifact-keeper"
      cache_type                     = "ServiceAccount"
      require_service_account        = true
    }
  }]

  lifecycle {
    # What the kubelet accepts and is hardly meant.
    postcondition {
      condition     = length(self.warnings) == 0
      error_message = join("\n", self.warnings)
    }
  }
}

# The merged file in the format of the base: for user data, an image build or a machine config.
output "config_json" {
  value = data.aktrust_credential_provider_config.kubelet.json
}

# The entry alone: for tools that add it to a file of their own.
output "entry_yaml" {
  value = data.aktrust_credential_provider_config.kubelet.entries_yaml["ak-kubelet-provider"]
}
