output "clusters" {
  description = "What there is for each cluster, by name."
  value       = module.cluster
}
