output "kubelet_args" {
  description = "Flags to start every kubelet with, when the file has the same path there as here."
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
