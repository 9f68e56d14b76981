data "aktrust_cluster_jwks" "this" {}

resource "aktrust_ci_oidc_provider" "cluster" {
  name          = "prod"
  provider_type = "kubernetes"
  issuer_url    = data.aktrust_cluster_jwks.this.issuer
  audience      = "artifact-keeper"
  static_jwks   = data.aktrust_cluster_jwks.this.jwks
}
