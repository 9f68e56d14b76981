# By the file's path
tofu import aktrust_credential_provider_config.kubelet ./credential-provider.yaml

# The same for entries of a file of others (manage = "entries"). The plan after the import shows the other providers leave
# the list; they stay in the file.
tofu import aktrust_credential_provider_config.entry /etc/eks/image-credential-provider/config.json
