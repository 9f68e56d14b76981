locals {
  mappings = [
    { name = "builders", claim_filters = { "/kubernetes.io/namespace" = "ci" }, priority = 10 },
    { name = "team", claim_filters = { "/kubernetes.io/namespace" = ["team-a", "team-b"] } },
    { name = "leftover", claim_filters = {}, is_enabled = false },
  ]

  # The claims of a ServiceAccount's token, as far as mappings look at them.
  team_a = { "kubernetes.io" = { namespace = "team-a", serviceaccount = { name = "app" } } }
  team_c = { "kubernetes.io" = { namespace = "team-c", serviceaccount = { name = "app" } } }
}

# "team"
output "allowed" {
  value = provider::aktrust::evaluate_mappings(local.mappings, local.team_a).winner
}

# Null, and why: for each mapping the filters that do not match.
output "denied" {
  value = provider::aktrust::evaluate_mappings(local.mappings, local.team_c)
}
