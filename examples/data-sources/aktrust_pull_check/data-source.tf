variable "kubelet_config" {
  description = "Text of the kubelet's file, such as content of aktrust_credential_provider_config."
  type        = string
}

# May the pods of team/api pull this image? Read after the apply too, so that it sees what the apply made.
check "team_api_pulls" {
  data "aktrust_pull_check" "team_api" {
    namespace                  = "team"
    service_account            = "api"
    image                      = "ak.example.com/images/app:1.0"
    credential_provider_config = var.kubelet_config
    manifest                   = true
  }

  assert {
    condition     = data.aktrust_pull_check.team_api.as_expected
    error_message = data.aktrust_pull_check.team_api.summary
  }
}

# The negative test: a ServiceAccount that is not meant to pull is kept out by the chain itself. Where the same configuration
# makes the mappings, depends_on puts it behind them.
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

# What to change, link by link.
output "remedies" {
  value = {
    for link in data.aktrust_pull_check.stranger.links : link.name => link.remedy if link.status == "broken"
  }
}
