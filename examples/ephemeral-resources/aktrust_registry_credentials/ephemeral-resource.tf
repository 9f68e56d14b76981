ephemeral "aktrust_service_account_token" "builder" {
  namespace = "ci"
  name      = "builder"
  audience  = "artifact-keeper"
}

# What the ServiceAccount may pull, for a step that pulls.
ephemeral "aktrust_registry_credentials" "builder" {
  oidc_token = ephemeral.aktrust_service_account_token.builder.token
}

resource "terraform_data" "mirror" {
  provisioner "local-exec" {
    command = "printf %s \"$PASSWORD\" | skopeo login --username \"$USERNAME\" --password-stdin ak.example.com"

    environment = {
      USERNAME = ephemeral.aktrust_registry_credentials.builder.username
      PASSWORD = ephemeral.aktrust_registry_credentials.builder.password
    }
  }
}
