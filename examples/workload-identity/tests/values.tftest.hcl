# What each cloud is told, for a cluster that is made up: nobody is asked. Run it with tofu test or terraform test. The mocks of
# the clouds go with the files of the clouds.

mock_provider "aws" {}
mock_provider "azurerm" {}
mock_provider "google" {}

mock_provider "aktrust" {
  mock_data "aktrust_cluster_jwks" {
    defaults = {
      issuer = "https://oidc.example.com/prod"
      jwks   = <<-EOT
        {
          "keys": [{
            "kty": "EC", "crv": "P-256", "kid": "a",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
          }]
        }
      EOT
    }
  }

  mock_data "aktrust_published_issuer" {
    defaults = {
      consistent = true
      issuer     = "https://oidc.example.com/prod"
    }
  }
}

variables {
  cluster_name    = "prod"
  kubeconfig      = "kubeconfig"
  namespace       = "team"
  service_account = "app"

  # Of the clouds.
  google_service_account_id = "projects/p/serviceAccounts/app@p.iam.gserviceaccount.com"
  azure_identity_id         = "/subscriptions/0/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/app"
}

run "values" {
  command = plan

  assert {
    condition = jsonencode(output.google) == jsonencode({
      attribute_mapping = { "google.subject" = "assertion.sub" }
      audiences         = ["google-cloud"]
      issuer            = "https://oidc.example.com/prod"
      jwks              = data.aktrust_cluster_jwks.this.jwks
      pool              = "prod"
    })
    error_message = "Google is told something else."
  }

  assert {
    condition = jsonencode(output.azure) == jsonencode({
      audience = ["api://AzureADTokenExchange"]
      issuer   = "https://oidc.example.com/prod"
      subject  = "system:serviceaccount:team:app"
    })
    error_message = "Azure is told something else."
  }

  assert {
    condition = jsonencode(output.aws) == jsonencode({
      audiences = ["sts.amazonaws.com"]
      conditions = {
        StringEquals = {
          "oidc.example.com/prod:aud" = "sts.amazonaws.com"
          "oidc.example.com/prod:sub" = "system:serviceaccount:team:app"
        }
      }
      url = "https://oidc.example.com/prod"
    })
    error_message = "AWS is told something else."
  }
}

run "an_issuer_that_nobody_can_use" {
  command = plan

  override_data {
    target = data.aktrust_published_issuer.this
    values = {
      consistent = false
      problems   = ["There is nothing."]
    }
  }

  expect_failures = [data.aktrust_published_issuer.this]
}
