# Where the manifests go. Any other way of applying them does as well: tofu output -json manifests. Delete this file then, and its
# entry in main.tf.

provider "kubernetes" {
  config_path    = var.kubeconfig
  config_context = var.kubeconfig_context
}

resource "kubernetes_manifest" "namespace" {
  manifest = local.manifests.namespace
}

resource "kubernetes_manifest" "files" {
  manifest   = local.manifests.files
  depends_on = [kubernetes_manifest.namespace]
}

resource "kubernetes_manifest" "deployment" {
  manifest   = local.manifests.deployment
  depends_on = [kubernetes_manifest.files]

  # Applied means: this is what is answered.
  wait {
    rollout = true
  }
}

resource "kubernetes_manifest" "disruptions" {
  manifest   = local.manifests.disruptions
  depends_on = [kubernetes_manifest.namespace]
}

resource "kubernetes_manifest" "service" {
  manifest   = local.manifests.service
  depends_on = [kubernetes_manifest.namespace]
}

resource "kubernetes_manifest" "ingress" {
  manifest   = local.manifests.ingress
  depends_on = [kubernetes_manifest.service]
}
