# The keys that the cluster signs with, and what everybody else sees of them.
data "aktrust_cluster_jwks" "prod" {}

data "aktrust_published_issuer" "prod" {
  issuer_url    = data.aktrust_cluster_jwks.prod.issuer
  expected_jwks = data.aktrust_cluster_jwks.prod.jwks
}

# Warns in every plan while something is wrong, and changes nothing. The data source stands beside the block: inside of it,
# it would be planned to be read again in every run.
check "published" {
  assert {
    condition     = data.aktrust_published_issuer.prod.consistent
    error_message = join("\n", data.aktrust_published_issuer.prod.problems)
  }
}

# For a pipeline that publishes the keys again after a rotation.
output "publish_again" {
  value = length(data.aktrust_published_issuer.prod.missing_key_ids) > 0
}
