# The flags, and what is refused. No cluster is asked. Run it with tofu test or terraform test.

mock_provider "aktrust" {
  mock_data "aktrust_cluster_jwks" {
    defaults = {
      issuer   = "https://oidc.example.com/prod"
      jwks_uri = "https://10.0.0.7:6443/openid/v1/jwks"
    }
  }
}

variables {
  cluster = {
    name   = "prod"
    issuer = "https://oidc.example.com/prod"
  }
}

run "flags" {
  command = plan

  assert {
    condition = yamldecode(output.kubeadm_control_plane["v1beta1"]).spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs == {
      service-account-issuer   = "https://oidc.example.com/prod"
      service-account-jwks-uri = "https://oidc.example.com/prod/openid/v1/jwks"
    }
    error_message = "The flags are not those of the inventory."
  }

  assert {
    condition = alltrue([for extra_args in [
      yamldecode(output.kubeadm_control_plane["v1beta2"]).spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs,
      yamldecode(output.cluster_configuration).apiServer.extraArgs,
      ] : { for arg in extra_args : arg.name => arg.value } == {
      service-account-issuer   = "https://oidc.example.com/prod"
      service-account-jwks-uri = "https://oidc.example.com/prod/openid/v1/jwks"
    }])
    error_message = "The two forms differ."
  }
}

run "slash_at_the_end" {
  command = plan

  variables {
    cluster = {
      name   = "prod"
      issuer = "https://oidc.example.com/prod/"
    }
  }

  expect_failures = [var.cluster]
}

run "a_cluster_that_did_not_take_them" {
  command = plan

  variables {
    kubeconfig = "kubeconfig"
  }

  expect_failures = [data.aktrust_cluster_jwks.made]
}
