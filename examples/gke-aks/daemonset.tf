locals {
  daemon_set_manifest = {
    apiVersion = "apps/v1"
    kind       = "DaemonSet"
    metadata   = { name = "aktrust-node-installer", namespace = local.namespace, labels = local.labels }
    spec = {
      selector = { matchLabels = local.labels }
      # A change goes to one node after the other, and stops at one that fails: its pod does not become ready. New pods all
      # start at once, when the DaemonSet is made and when node_selector is widened.
      updateStrategy = { type = "RollingUpdate", rollingUpdate = { maxUnavailable = 1 } }
      template = {
        metadata = {
          labels = local.labels
          # What changes a file changes the pods.
          annotations = { "aktrust/files" = sha256(jsonencode([local.files, var.installed])) }
        }
        spec = local.pod
      }
    }
  }

  pod = {
    hostPID                       = true
    automountServiceAccountToken  = false
    terminationGracePeriodSeconds = 1
    nodeSelector                  = merge({ "kubernetes.io/os" = "linux" }, var.node_selector)
    tolerations                   = [{ operator = "Exists" }]

    # Works in the node's own namespaces, once, and again when the node has been rebooted.
    initContainers = [{
      name    = "install"
      image   = var.installer_image
      command = ["/bin/sh", "-ec"]
      args = [join(" && ", [
        "cp -L /files/* /node/",
        "exec nsenter -t 1 -m -u -i -n /bin/bash /var/lib/aktrust/install.sh ${var.installed ? "install" : "remove"}",
      ])]
      securityContext = { privileged = true }
      volumeMounts = [
        { name = "files", mountPath = "/files", readOnly = true },
        { name = "node", mountPath = "/node" },
      ]
    }]

    # A pod of a DaemonSet has to go on; this one does nothing more.
    containers = [{
      name            = "done"
      image           = var.installer_image
      command         = ["sleep", "infinity"]
      resources       = { requests = { cpu = "1m", memory = "4Mi" }, limits = { memory = "16Mi" } }
      securityContext = { allowPrivilegeEscalation = false, readOnlyRootFilesystem = true, capabilities = { drop = ["ALL"] } }
    }]

    volumes = [
      { name = "files", configMap = { name = "aktrust-node-installer" } },
      { name = "node", hostPath = { path = "/var/lib/aktrust", type = "DirectoryOrCreate" } },
    ]
  }
}
