# Two pulls are tried on paper in every plan and after every apply, link by link: one that has to work, and one that must not.
#
# A check that fails is a warning that says what is broken and how to mend it, and stops no apply. Where a pipeline is meant to
# stop, write the condition as a postcondition of the data source. The data sources stand beside the check blocks, not in them:
# for one inside, the CLI plans a read in every run, and plan -detailed-exitcode never exits with 0.

data "aktrust_pull_check" "allowed" {
  namespace                  = var.allowed_pull.namespace
  service_account            = var.allowed_pull.service_account
  image                      = "${local.registry_host}/${var.allowed_pull.image}"
  credential_provider_config = aktrust_credential_provider_config.kubelet.content

  # Asked after whatever this apply makes or mends. A plan that changes one of these says "known after apply" of the check.
  depends_on = [
    aktrust_ci_oidc_provider.cluster, aktrust_ci_oidc_mapping.team, aktrust_ci_oidc_mapping.platform, aktrust_node_audience.registry,
  ]
}

check "allowed_pull" {
  assert {
    condition     = data.aktrust_pull_check.allowed.as_expected
    error_message = data.aktrust_pull_check.allowed.summary
  }
}

data "aktrust_pull_check" "denied" {
  namespace                  = var.denied_pull.namespace
  service_account            = var.denied_pull.service_account
  image                      = "${local.registry_host}/${var.denied_pull.image}"
  credential_provider_config = aktrust_credential_provider_config.kubelet.content
  expect                     = "denied"

  depends_on = [
    aktrust_ci_oidc_provider.cluster, aktrust_ci_oidc_mapping.team, aktrust_ci_oidc_mapping.platform, aktrust_node_audience.registry,
  ]
}

check "denied_pull" {
  assert {
    condition     = data.aktrust_pull_check.denied.as_expected
    error_message = data.aktrust_pull_check.denied.summary
  }
}
