data "aktrust_ci_oidc_provider" "cluster" {
  name = "prod"
}

data "aktrust_ci_oidc_mappings" "cluster" {
  provider_id = data.aktrust_ci_oidc_provider.cluster.id
}

# Mappings that let every token of the issuer in.
output "open" {
  value = [
    for m in data.aktrust_ci_oidc_mappings.cluster.mappings : m.name
    if m.is_enabled && length(jsondecode(m.claim_filters)) == 0
  ]
}
