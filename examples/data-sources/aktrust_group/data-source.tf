data "aktrust_group" "readers" {
  name = "team-readers"
}
