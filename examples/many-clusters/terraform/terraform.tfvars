# The inventory. Its issuers are chosen before the clusters exist.
clusters = {
  eu = {
    issuer     = "https://oidc.example.com/eu"
    kubeconfig = "~/.kube/eu"
    namespaces = { team = "team-readers" }
  }
  us = {
    issuer     = "https://oidc.example.com/us"
    kubeconfig = "~/.kube/us"
    namespaces = { team = "team-readers" }
  }
}
