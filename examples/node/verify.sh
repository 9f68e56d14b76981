#!/usr/bin/env bash
# verify.sh FILE URL: exits with 0 only when FILE, as downloaded from URL, was signed by the makers of the plugin.
#
# Fill it in. The command, the names of the signature's files and, above all, whose signature it must be stand in the
# plugin's own documentation; read them there, and not next to the download. What is in capitals is yours to replace:
#
#   curl --fail --silent --show-error --location --output "$1.sig" "$2.sig"
#   curl --fail --silent --show-error --location --output "$1.pem" "$2.pem"
#   cosign verify-blob --signature "$1.sig" --certificate "$1.pem" \
#     --certificate-identity 'IDENTITY OF THE RELEASE WORKFLOW' --certificate-oidc-issuer 'ITS ISSUER' "$1"
#
#   curl --fail --silent --show-error --location --output "$1.asc" "$2.asc"
#   gpgv --keyring ./KEYRING-OF-THE-MAKERS.gpg "$1.asc" "$1"
#
#   curl --fail --silent --show-error --location --output "$1.minisig" "$2.minisig"
#   minisign -V -P 'PUBLIC KEY OF THE MAKERS' -m "$1"
set -euo pipefail

echo "verify.sh: fill in how a release of the plugin is verified; nothing has been checked" >&2
exit 1
