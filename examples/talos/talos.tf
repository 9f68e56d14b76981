# Where the patch goes.

variable "nodes" {
  description = "Addresses of the workers."
  type        = set(string)
}

resource "talos_machine_secrets" "this" {}

data "talos_machine_configuration" "worker" {
  cluster_name     = "prod"
  cluster_endpoint = "https://prod.example.com:6443"
  machine_type     = "worker"
  machine_secrets  = talos_machine_secrets.this.machine_secrets
  config_patches   = [local.machine_config_patch]
}

resource "talos_machine_configuration_apply" "worker" {
  for_each = var.nodes

  node                        = each.value
  client_configuration        = talos_machine_secrets.this.client_configuration
  machine_configuration_input = data.talos_machine_configuration.worker.machine_configuration
}
