# What everybody else sees of it. Before the first apply that is nothing, and a plan says so.

data "aktrust_published_issuer" "this" {
  issuer_url     = data.aktrust_cluster_jwks.this.issuer
  expected_jwks  = data.aktrust_cluster_jwks.this.jwks
  ca_certificate = var.issuer_ca_certificate
}

check "published" {
  assert {
    condition     = data.aktrust_published_issuer.this.consistent
    error_message = join("\n", data.aktrust_published_issuer.this.problems)
  }
}

variable "issuer_ca_certificate" {
  description = "PEM text of the authority behind the issuer's certificate, when it is not a public one. Consumers need it too."
  type        = string
  default     = null
}
