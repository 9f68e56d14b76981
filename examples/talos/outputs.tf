output "machine_config_patch" {
  description = "Patch for the machine config."
  value       = local.machine_config_patch
}

output "extension_dockerfile" {
  description = "Dockerfile of the system extension."
  value       = local.extension_dockerfile
}

output "extension_manifest" {
  description = "manifest.yaml of the system extension, next to the Dockerfile."
  value       = local.extension_manifest
}
