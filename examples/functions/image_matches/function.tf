locals {
  match_images = ["ak.example.com/team/", "*.mirror.example.com:5000"]
  images       = ["ak.example.com/team/app:1.0", "ak.example.com/team-b/app:1.0", "eu.mirror.example.com:5000/nginx"]
}

# Images that no pattern matches are pulled without the plugin: ["ak.example.com/team-b/app:1.0"].
output "unmatched" {
  value = [
    for image in local.images : image
    if !anytrue([for pattern in local.match_images : provider::aktrust::image_matches(pattern, image)])
  ]
}
