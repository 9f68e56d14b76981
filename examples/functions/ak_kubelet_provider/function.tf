resource "aktrust_credential_provider_config" "node" {
  path    = "${path.module}/credential-provider.yaml"
  bin_dir = "/usr/local/lib/kubelet-credential-providers"

  providers = [
    provider::aktrust::ak_kubelet_provider("https://ak.example.com", "artifact-keeper", ["ak.example.com"], {
      ca_file = "/etc/kubernetes/ak-ca.pem"
      timeout = "20s"
    }),
    # Entries that are written out may stand beside it.
    {
      name                   = "ecr-credential-provider"
      match_images           = ["*.dkr.ecr.*.amazonaws.com"]
      default_cache_duration = "12h"
    },
  ]
}
