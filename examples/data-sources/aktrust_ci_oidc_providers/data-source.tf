data "aktrust_ci_oidc_providers" "all" {}

# Issuers whose tokens get credentials that may write.
output "writers" {
  value = [
    for p in data.aktrust_ci_oidc_providers.all.providers : p.name
    if p.is_enabled && p.provider_type != "kubernetes"
  ]
}
