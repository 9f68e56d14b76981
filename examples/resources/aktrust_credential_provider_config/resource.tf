resource "aktrust_credential_provider_config" "kubelet" {
  path    = "${path.module}/credential-provider.yaml"
  bin_dir = "/usr/local/lib/kubelet-credential-providers"

  providers = [{
    name                   = "ak-kubelet-provider"
    match_images           = ["ak.example.com", "*.ak.example.com"]
    default_cache_duration = "5m"
    args                   = ["--url=https://ak.example.com"]

    token_attributes = {
      service_account_token_audience = "artifact-keeper"
      cache_type                     = "ServiceAccount"
      require_service_account        = true
    }
  }]
}

# One entry of a file that the platform owns. Everything else in it stays as it is, also when this is destroyed.
resource "aktrust_credential_provider_config" "entry" {
  path   = "/etc/eks/image-credential-provider/config.json"
  manage = "entries"

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
}
