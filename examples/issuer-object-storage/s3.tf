# The bucket on AWS: everybody may read the two objects and nothing else, and nobody may list them. Keep the file of
# your store, and delete those of the others with their entries in main.tf.

resource "aws_s3_bucket" "issuer" {
  bucket = split(".", split("/", var.bucket_url)[2])[0] # Behind a CDN, write its name.
}

# Who can write here speaks for the cluster: with versions, what was there stays to be seen.
resource "aws_s3_bucket_versioning" "issuer" {
  bucket = aws_s3_bucket.issuer.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "issuer" {
  bucket                  = aws_s3_bucket.issuer.id
  block_public_acls       = true
  ignore_public_acls      = true
  block_public_policy     = false
  restrict_public_buckets = false
}

resource "aws_s3_bucket_policy" "issuer" {
  bucket     = aws_s3_bucket.issuer.id
  depends_on = [aws_s3_bucket_public_access_block.issuer]

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = "*"
      Action    = "s3:GetObject"
      Resource = [
        for name in keys(local.objects) : "${aws_s3_bucket.issuer.arn}/${name}"
      ]
    }]
  })
}

resource "aws_s3_object" "document" {
  for_each = local.objects

  bucket        = aws_s3_bucket.issuer.id
  key           = each.key
  content       = each.value.content
  content_type  = each.value.content_type
  cache_control = local.cache_control
}
