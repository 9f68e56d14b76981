output "google" {
  description = "Settings of the workload identity pool's provider."
  value       = local.google
}

output "azure" {
  description = "Settings of the federated identity credential."
  value       = local.azure
}

output "aws" {
  description = "Settings of the IAM OIDC provider, and the conditions of the role's trust policy."
  value       = local.aws
}

output "key_ids" {
  description = "The cluster's keys."
  value       = data.aktrust_cluster_jwks.this.key_ids
}
