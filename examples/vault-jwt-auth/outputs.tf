output "mount" {
  description = "Settings of the JWT auth method."
  value       = local.mount
}

output "roles" {
  description = "Settings of its roles, by name."
  value       = local.roles
}

output "key_ids" {
  description = "The keys that Vault verifies tokens with."
  value       = data.aktrust_cluster_jwks.this.key_ids
}
