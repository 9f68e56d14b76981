# The file that the platform puts onto its nodes.
locals {
  platform = provider::aktrust::parse_credential_provider_config(file("${path.module}/config.json"))
}

# The same providers, and one more.
resource "aktrust_credential_provider_config" "node" {
  path        = "${path.module}/credential-provider.yaml"
  api_version = local.platform.api_version

  providers = concat(local.platform.providers, [
    provider::aktrust::ak_kubelet_provider("https://ak.example.com", "artifact-keeper", ["ak.example.com"]),
  ])
}
