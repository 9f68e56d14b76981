# The one provider of an issuer, whoever made it.
data "aktrust_ci_oidc_provider" "cluster" {
  issuer_url = "https://oidc.example.com/prod"
}

output "audience" {
  value = data.aktrust_ci_oidc_provider.cluster.audience
}
