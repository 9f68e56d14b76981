locals {
  name   = "cluster-issuer"
  labels = { "app.kubernetes.io/name" = local.name }

  metadata = {
    name        = local.name
    namespace   = var.namespace
    labels      = merge(local.labels, { "app.kubernetes.io/managed-by" = "terraform" })
    annotations = { "aktrust/owner" = var.owner }
  }

  namespace_manifest = {
    apiVersion = "v1"
    kind       = "Namespace"
    metadata = {
      name        = var.namespace
      labels      = { "app.kubernetes.io/managed-by" = "terraform", "pod-security.kubernetes.io/enforce" = "restricted" }
      annotations = local.metadata.annotations
    }
  }

  # Whoever may write it says which tokens the rest of the world takes for the cluster's.
  files_manifest = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = local.metadata
    data       = local.files
  }

  deployment_manifest = {
    apiVersion = "apps/v1"
    kind       = "Deployment"
    metadata   = local.metadata
    spec = {
      replicas = 2
      selector = { matchLabels = local.labels }
      strategy = { type = "RollingUpdate", rollingUpdate = { maxUnavailable = 0, maxSurge = 1 } }
      template = {
        metadata = {
          labels = local.labels
          # A change of a file is a change of the pods: rolled out means published.
          annotations = { "aktrust/files" = sha256(jsonencode(local.files)) }
        }
        spec = local.pod
      }
    }
  }

  pod = {
    automountServiceAccountToken = false # It asks nobody for anything.
    enableServiceLinks           = false

    securityContext = {
      runAsNonRoot   = true
      runAsUser      = 65532
      runAsGroup     = 65532
      seccompProfile = { type = "RuntimeDefault" }
    }

    containers = [{
      name    = "nginx"
      image   = var.image
      command = ["nginx", "-e", "stderr", "-c", "/site/nginx.conf", "-g", "daemon off;"]
      ports   = [{ name = "http", containerPort = 8080 }]

      # Ready is who answers with the discovery document.
      readinessProbe = { httpGet = { path = "/${local.documents.discovery.path}", port = "http" }, periodSeconds = 5 }
      livenessProbe  = { tcpSocket = { port = "http" }, periodSeconds = 10 }

      resources       = { requests = { cpu = "5m", memory = "16Mi" }, limits = { memory = "32Mi" } }
      securityContext = { allowPrivilegeEscalation = false, readOnlyRootFilesystem = true, capabilities = { drop = ["ALL"] } }
      volumeMounts = [
        { name = "site", mountPath = "/site", readOnly = true },
        { name = "tmp", mountPath = "/tmp" },
      ]
    }]

    volumes = [
      { name = "site", configMap = { name = local.name } },
      { name = "tmp", emptyDir = { sizeLimit = "16Mi" } },
    ]
  }

  disruptions_manifest = {
    apiVersion = "policy/v1"
    kind       = "PodDisruptionBudget"
    metadata   = local.metadata
    spec       = { maxUnavailable = 1, selector = { matchLabels = local.labels } }
  }

  service_manifest = {
    apiVersion = "v1"
    kind       = "Service"
    metadata   = local.metadata
    spec       = { selector = local.labels, ports = [{ name = "http", port = 80, targetPort = "http" }] }
  }

  ingress_manifest = {
    apiVersion = "networking.k8s.io/v1"
    kind       = "Ingress"
    metadata   = merge(local.metadata, { annotations = merge(local.metadata.annotations, var.ingress_annotations) })
    spec = {
      ingressClassName = var.ingress_class
      tls              = [{ hosts = [local.host], secretName = var.tls_secret }]
      rules = [{
        host = local.host
        http = {
          # Of ingress-nginx, 1.12.0 to 1.12.5, 1.13.0 and 1.13.1 refuse the dot in such a path, unless their option
          # strict-validate-path-type is off.
          paths = [for document in values(local.documents) : {
            path     = "/${document.path}"
            pathType = "Exact"
            backend  = { service = { name = local.name, port = { name = "http" } } }
          }]
        }
      }]
    }
  }
}
