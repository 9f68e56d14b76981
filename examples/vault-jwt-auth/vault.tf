# Where the values go.

resource "vault_jwt_auth_backend" "cluster" {
  type                   = "jwt"
  path                   = local.mount.path
  bound_issuer           = local.mount.bound_issuer
  jwt_validation_pubkeys = local.mount.jwt_validation_pubkeys
}

resource "vault_jwt_auth_backend_role" "workload" {
  for_each = local.roles

  backend         = vault_jwt_auth_backend.cluster.path
  role_type       = "jwt"
  role_name       = each.key
  bound_audiences = each.value.bound_audiences
  bound_claims    = each.value.bound_claims
  user_claim      = each.value.user_claim
  token_policies  = each.value.token_policies
  token_ttl       = each.value.token_ttl
}
