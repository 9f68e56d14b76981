output "manifests" {
  description = "The Kubernetes objects, in the order in which they have to be applied."
  value = [
    local.manifests.namespace, local.manifests.files, local.manifests.deployment, local.manifests.disruptions,
    local.manifests.service, local.manifests.ingress,
  ]
}

output "urls" {
  description = "Where the documents are, once it runs."
  value       = { for name, document in local.documents : name => "https://${local.host}/${document.path}" }
}

output "key_ids" {
  description = "The keys that are published."
  value       = data.aktrust_cluster_jwks.this.key_ids
}
