# Where the user data goes. A managed node group takes it from its launch template.

resource "aws_launch_template" "nodes" {
  name_prefix            = "nodes-"
  update_default_version = true
  user_data              = base64encode(local.user_data)

  # IMDSv2, with a hop more for pods that need it.
  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }
}

resource "aws_eks_node_group" "nodes" {
  cluster_name    = "prod"
  node_group_name = "nodes"
  node_role_arn   = "arn:aws:iam::123456789012:role/nodes"
  subnet_ids      = ["subnet-0123456789abcdef0"]
  ami_type        = "AL2023_x86_64_STANDARD"

  launch_template {
    id      = aws_launch_template.nodes.id
    version = aws_launch_template.nodes.latest_version
  }

  scaling_config {
    min_size     = 1
    desired_size = 3
    max_size     = 5
  }

  # A new version of the launch template replaces one node after the other.
  update_config {
    max_unavailable = 1
  }
}
