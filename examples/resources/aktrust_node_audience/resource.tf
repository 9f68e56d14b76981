# Every node, for every ServiceAccount
resource "aktrust_node_audience" "registry" {
  audience = "artifact-keeper"
}

# Every node, for two ServiceAccounts of two namespaces
resource "aktrust_node_audience" "narrow" {
  audience              = "https://ak.example.com"
  namespaces            = ["team", "platform"]
  service_account_names = ["app", "builder"]
}
