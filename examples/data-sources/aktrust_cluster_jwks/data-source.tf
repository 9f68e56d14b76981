data "aktrust_cluster_jwks" "this" {}

output "issuer" {
  value = data.aktrust_cluster_jwks.this.issuer
}

output "signing_keys" {
  value = data.aktrust_cluster_jwks.this.key_ids
}
