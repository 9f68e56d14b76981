# A token as the kubelet would get it, for the registry alone.
ephemeral "aktrust_service_account_token" "app" {
  namespace          = "team"
  name               = "app"
  audience           = "artifact-keeper"
  expiration_seconds = 600
}
