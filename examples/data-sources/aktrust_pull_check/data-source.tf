variable "kubelet_config" {
  description = "Text of the kubelet's file, such as content of aktrust_credential_provider_config."
  type        = string
}

# May the pods of team/api pull this image? Where the same configuration makes the chain, name its provider, mappings and node
# audience in depends_on: then the question comes after what an apply makes or mends, and a plan that changes one of them says
# "known after apply". The data source stands beside the check block: inside of it, plan -detailed-exitcode would never exit with 0.
data "aktrust_pull_check" "team_api" {
  namespace                  = "team"
  service_account            = "api"
  image                      = "ak.example.com/images/app:1.0"
  credential_provider_config = var.kubelet_config
  manifest                   = true
}

# A check that fails is a warning, and stops nothing.
check "team_api_pulls" {
  assert {
    condition     = data.aktrust_pull_check.team_api.as_expected
    error_message = data.aktrust_pull_check.team_api.summary
  }
}

# The negative test: a ServiceAccount that is not meant to pull is kept out by the chain itself. A postcondition that fails is
# an error, and stops the plan.
data "aktrust_pull_check" "stranger" {
  namespace       = "sandbox"
  service_account = "default"
  image           = "ak.example.com/images/app:1.0"
  expect          = "denied"

  lifecycle {
    postcondition {
      condition     = self.as_expected
      error_message = self.summary
    }
  }
}

# What to change for the pull to work, link by link. Another answer is a change of the output, which a plan counts.
output "remedies" {
  value = {
    for link in data.aktrust_pull_check.team_api.links : link.name => link.remedy if link.remedy != ""
  }
}
