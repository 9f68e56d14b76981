output "objects" {
  description = "The objects by name: their content, and the content type that the store has to answer with."
  value       = local.objects
}

output "script" {
  description = "Script that writes them below a directory, for a web server or another store."
  value       = local.script
}

output "key_ids" {
  description = "The keys that are published."
  value       = data.aktrust_cluster_jwks.this.key_ids
}
