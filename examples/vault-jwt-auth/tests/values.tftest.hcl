# What Vault is told, for a cluster that is made up: neither a cluster nor Vault is asked. Run it with tofu test or
# terraform test. Mocks cannot make up the list of keys, so that it is empty here.

mock_provider "vault" {}

mock_provider "aktrust" {
  mock_data "aktrust_cluster_jwks" {
    defaults = {
      issuer  = "https://oidc.example.com"
      key_ids = ["first", "second"]
    }
  }
}

variables {
  cluster_name = "prod"
  kubeconfig   = "kubeconfig"

  roles = {
    builder = {
      namespace        = "ci"
      service_accounts = ["build", "release"]
      policies         = ["ci"]
    }
  }
}

run "values" {
  command = plan

  assert {
    condition     = output.mount.path == "jwt-prod" && output.mount.bound_issuer == "https://oidc.example.com"
    error_message = "The mount is not that of the cluster."
  }

  assert {
    condition = jsonencode(output.roles) == jsonencode({
      builder = {
        bound_audiences = ["vault"]
        bound_claims = {
          "/kubernetes.io/namespace"           = "ci"
          "/kubernetes.io/serviceaccount/name" = "build,release"
        }
        token_policies = ["ci"]
        token_ttl      = 900
        user_claim     = "sub"
      }
    })
    error_message = "The role lets others in than it should."
  }
}

run "audience_of_the_api_server" {
  command = plan

  variables {
    audience = "https://kubernetes.default.svc"
  }

  expect_failures = [data.aktrust_cluster_jwks.this]
}

run "role_for_everybody" {
  command = plan

  variables {
    roles = {
      all = {
        namespace        = "ci"
        service_accounts = ["*"]
        policies         = []
      }
    }
  }

  expect_failures = [var.roles]
}
