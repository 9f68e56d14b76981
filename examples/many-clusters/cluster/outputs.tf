output "provider_id" {
  description = "Id of the registry's trust in this cluster, for --provider-id of its nodes' plugin."
  value       = aktrust_ci_oidc_provider.this.id
}

output "key_ids" {
  description = "The keys that the registry accepts tokens of this cluster with."
  value       = aktrust_ci_oidc_provider.this.key_ids
}

output "accounts" {
  description = "The registry's account of each namespace."
  value       = { for namespace, mapping in aktrust_ci_oidc_mapping.namespace : namespace => mapping.service_account_username }
}
