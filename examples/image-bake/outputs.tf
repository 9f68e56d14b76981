output "bake_script" {
  description = "Script that adds the plugin and the kubelet's flags to the tree."
  value       = local.bake_script
}

output "config_hash" {
  description = "Label of the metric kubelet_credential_provider_config_info on every node of the image."
  value       = aktrust_credential_provider_config.image.config_hash
}
