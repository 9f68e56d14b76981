data "aktrust_repository" "app" {
  key = "team"
}
