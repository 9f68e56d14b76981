output "node_script" {
  description = "Script for every node, to be run as root."
  value       = local.node_script
}

output "node_registration" {
  description = "Part of an InitConfiguration or JoinConfiguration (kubeadm.k8s.io/v1beta4)."
  value       = local.node_registration
}

output "config_hash" {
  description = "Label of the metric kubelet_credential_provider_config_info on every node that has the file."
  value       = data.aktrust_credential_provider_config.node.yaml_config_hash
}
