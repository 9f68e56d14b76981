output "user_data" {
  description = "User data of the nodes, as text. EC2 takes 16 KiB of it at most."
  value       = local.user_data

  precondition {
    condition     = length(local.user_data) <= 16384
    error_message = "The user data is longer than the 16 KiB that EC2 takes."
  }
}
