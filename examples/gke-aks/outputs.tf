output "manifests" {
  description = "The Kubernetes objects, in the order in which they have to be applied."
  value       = [local.manifests.namespace, local.manifests.files, local.manifests.daemon_set]
}
