# Where the manifests go. Any other way of applying them does as well: tofu output -json manifests. Delete this file then, and its
# entry in main.tf.

provider "kubernetes" {
  config_path    = "~/.kube/config"
  config_context = "prod"
}

resource "kubernetes_manifest" "namespace" {
  manifest = local.manifests.namespace
}

resource "kubernetes_manifest" "files" {
  manifest   = local.manifests.files
  depends_on = [kubernetes_manifest.namespace]
}

resource "kubernetes_manifest" "daemon_set" {
  manifest   = local.manifests.daemon_set
  depends_on = [kubernetes_manifest.files]

  # Applied means: every node has it.
  wait {
    rollout = true
  }

  timeouts {
    create = "30m"
    update = "30m"
  }
}
