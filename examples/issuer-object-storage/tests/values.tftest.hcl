# What is uploaded, for a cluster that is made up: neither a cluster nor a store is asked. Run it with tofu test or terraform test.
# The mocks of the stores go with the files of the stores.

mock_provider "aws" {}
mock_provider "azurerm" {}
mock_provider "google" {}

mock_provider "aktrust" {
  mock_data "aktrust_cluster_jwks" {
    defaults = {
      issuer = "https://storage.googleapis.com/issuers/prod"
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
    }
  }
}

variables {
  kubeconfig = "kubeconfig"
  bucket_url = "https://storage.googleapis.com/issuers"

  # Of the stores.
  location           = "EU"
  storage_account_id = "/subscriptions/0/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"
}

run "a_folder_of_a_bucket_that_is_a_folder" {
  command = plan

  assert {
    condition = jsonencode({ for name, object in output.objects : name => object.content_type }) == jsonencode({
      "prod/.well-known/openid-configuration" = "application/json"
      "prod/openid/v1/jwks"                   = "application/jwk-set+json"
    })
    error_message = "The documents do not have the names and types that consumers expect."
  }

  assert {
    condition = jsondecode(output.objects["prod/.well-known/openid-configuration"].content).jwks_uri == join("/", [
      "https://storage.googleapis.com/issuers", "prod/openid/v1/jwks",
    ])
    error_message = "The discovery document points elsewhere."
  }
}

run "a_bucket_that_is_a_host" {
  command = plan

  variables {
    bucket_url = "https://issuers.s3.eu-west-1.amazonaws.com"
  }

  override_data {
    target = data.aktrust_cluster_jwks.this
    values = {
      issuer = "https://issuers.s3.eu-west-1.amazonaws.com"
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

  assert {
    condition     = join(" ", keys(output.objects)) == ".well-known/openid-configuration openid/v1/jwks"
    error_message = "The documents do not have the names that consumers expect."
  }
}

run "a_bucket_of_another_name" {
  command = plan

  variables {
    bucket_url = "https://storage.googleapis.com/issuer"
  }

  expect_failures = [data.aktrust_cluster_jwks.this]
}
