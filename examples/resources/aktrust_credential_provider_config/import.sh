# By the file's path
tofu import aktrust_credential_provider_config.kubelet ./credential-provider.yaml
