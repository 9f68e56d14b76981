locals {
  # The keys as "kubectl get --raw /openid/v1/jwks" prints them. Where the provider reaches the API server,
  # data.aktrust_cluster_jwks.NAME.jwks is always the current set.
  documents = provider::aktrust::issuer_documents("https://oidc.example.com/clusters/prod", file("${path.module}/jwks.json"))
}

# What has to be served below https://oidc.example.com/, by path.
output "files" {
  value = { for document in values(local.documents) : document.path => document.content }
}
