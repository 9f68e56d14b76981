# AWS fetches the keys from the issuer. It takes no issuer with a port.

resource "aws_iam_openid_connect_provider" "cluster" {
  url            = local.aws.url
  client_id_list = local.aws.audiences
}

resource "aws_iam_role" "workload" {
  name = "${var.cluster_name}-${var.namespace}-${var.service_account}"

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Federated = aws_iam_openid_connect_provider.cluster.arn }
      Action    = "sts:AssumeRoleWithWebIdentity"
      Condition = local.aws.conditions
    }]
  })
}
