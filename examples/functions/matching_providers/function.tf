# Which plugins the nodes run for an image, by the file that they have already: ["ecr-credential-provider"].
output "plugins" {
  value = provider::aktrust::matching_providers(
    file("${path.module}/config.json"),
    "123456789012.dkr.ecr.eu-west-1.amazonaws.com/app:1.0",
  )
}
