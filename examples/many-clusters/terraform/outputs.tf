output "clusters" {
  description = "What there is for each cluster, by name."
  value       = { for name, instances in local.modules : name => instances[0] if length(instances) > 0 }

  precondition {
    condition     = toset(keys(var.clusters)) == toset(keys(local.modules))
    error_message = "Without a provider and a module here: ${join(", ", setsubtract(keys(var.clusters), keys(local.modules)))}."
  }
}
