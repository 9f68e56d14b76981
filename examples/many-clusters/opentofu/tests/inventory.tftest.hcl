# Which inventories are refused, before any cluster is asked. Run it with tofu test.

mock_provider "aktrust" {
  alias = "by_cluster"
}

variables {
  registry_endpoint = "https://ak.example.com"
}

run "one_issuer_in_two_spellings" {
  command = plan

  variables {
    clusters = {
      eu = { issuer = "https://oidc.example.com/prod", kubeconfig = "eu" }
      us = { issuer = "https://OIDC.example.com/prod/", kubeconfig = "us" }
    }
  }

  expect_failures = [var.clusters]
}

run "an_issuer_that_is_none" {
  command = plan

  variables {
    clusters = {
      eu = { issuer = "oidc.example.com", kubeconfig = "eu" }
    }
  }

  expect_failures = [var.clusters]
}
