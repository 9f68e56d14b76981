# May the pods of team/api pull this image? Read after the apply too, so that it sees what the apply made.
check "team_api_pulls" {
  data "aktrust_pull_check" "team_api" {
    namespace                  = "team"
    service_account            = "api"
    image                      = "ak.example.com/images/app:1.0"
    credential_provider_config = aktrust_credential_provider_config.kubelet.content
    manifest                   = true
  }

  assert {
    condition     = data.aktrust_pull_check.team_api.as_expected
    error_message = data.aktrust_pull_check.team_api.summary
  }
}

# The negative test: a ServiceAccount that is not meant to pull is kept out by the chain itself.
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

  depends_on = [aktrust_ci_oidc_mapping.team]
}

# What to change, link by link.
output "remedies" {
  value = {
    for link in data.aktrust_pull_check.stranger.links : link.name => link.remedy if link.status == "broken"
  }
}
