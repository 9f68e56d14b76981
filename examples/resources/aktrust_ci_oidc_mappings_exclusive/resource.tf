# What this configuration makes, and nothing else. A mapping that somebody adds shows in the next plan.
resource "aktrust_ci_oidc_mappings_exclusive" "cluster" {
  provider_id = aktrust_ci_oidc_provider.cluster.id
  mapping_ids = [
    aktrust_ci_oidc_mapping.team.id,
    aktrust_ci_oidc_mapping.builders.id,
  ]
}
