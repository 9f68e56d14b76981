output "kubeadm_control_plane" {
  description = "Part of a KubeadmControlPlane of Cluster API, by version: v1beta2 came with Cluster API 1.11, v1beta1 is the older one."
  value       = local.kubeadm_control_plane
}

output "cluster_configuration" {
  description = "Part of kubeadm's ClusterConfiguration (v1beta4)."
  value       = local.cluster_configuration
}

output "key_ids" {
  description = "The keys of the cluster, once it is there."
  value       = one(data.aktrust_cluster_jwks.made[*].key_ids)
}
