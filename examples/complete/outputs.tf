output "kubelet_args" {
  description = "Flags that every kubelet must be started with."
  value       = aktrust_credential_provider_config.kubelet.kubelet_args
}

output "accounts" {
  description = "The registry's accounts that the mappings lead to."
  value = {
    team     = aktrust_ci_oidc_mapping.team.service_account_username
    platform = aktrust_ci_oidc_mapping.platform.service_account_username
  }
}

output "key_ids" {
  description = "The keys that the registry accepts tokens of."
  value       = aktrust_ci_oidc_provider.cluster.key_ids
}
