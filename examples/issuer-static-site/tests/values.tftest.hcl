# What is made of an issuer and its keys, for a cluster that is made up: no cluster is asked. Run it with tofu test or terraform test.

mock_provider "kubernetes" {}

mock_provider "aktrust" {
  mock_data "aktrust_cluster_jwks" {
    defaults = {
      issuer = "https://oidc.example.com/clusters/prod"
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
  owner      = "platform@example.com"
  image      = "nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000"
}

run "values" {
  command = plan

  assert {
    condition = jsonencode(output.urls) == jsonencode({
      discovery = "https://oidc.example.com/clusters/prod/.well-known/openid-configuration"
      jwks      = "https://oidc.example.com/clusters/prod/openid/v1/jwks"
    })
    error_message = "The documents are not where consumers look for them."
  }

  assert {
    condition = [for path in output.manifests[5].spec.rules[0].http.paths : path.path] == [
      "/clusters/prod/.well-known/openid-configuration", "/clusters/prod/openid/v1/jwks",
    ]
    error_message = "The Ingress lets in to something else than the two documents."
  }

  assert {
    condition     = output.manifests[5].spec.rules[0].host == "oidc.example.com"
    error_message = "The Ingress is for another host than the issuer's."
  }
}

run "issuer_of_kubeadm" {
  command = plan

  override_data {
    target = data.aktrust_cluster_jwks.this
    values = {
      issuer = "https://kubernetes.default.svc.cluster.local"
    }
  }

  expect_failures = [data.aktrust_cluster_jwks.this]
}

run "image_by_tag" {
  command = plan

  variables {
    image = "nginx:latest"
  }

  expect_failures = [var.image]
}
