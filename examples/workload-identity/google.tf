# Google Cloud verifies with the keys that it is handed, and fetches nothing. After a rotation it needs the next apply.

variable "google_service_account_id" {
  description = "Full name of the service account to act as: projects/PROJECT/serviceAccounts/EMAIL."
  type        = string
}

resource "google_iam_workload_identity_pool" "cluster" {
  workload_identity_pool_id = local.google.pool
}

resource "google_iam_workload_identity_pool_provider" "cluster" {
  workload_identity_pool_id          = google_iam_workload_identity_pool.cluster.workload_identity_pool_id
  workload_identity_pool_provider_id = "kubernetes"
  attribute_mapping                  = local.google.attribute_mapping

  oidc {
    issuer_uri        = local.google.issuer
    jwks_json         = local.google.jwks
    allowed_audiences = local.google.audiences
  }
}

resource "google_service_account_iam_member" "workload" {
  service_account_id = var.google_service_account_id
  role               = "roles/iam.workloadIdentityUser"

  member = join("/subject/", [
    "principal://iam.googleapis.com/${google_iam_workload_identity_pool.cluster.name}",
    local.subject,
  ])
}
