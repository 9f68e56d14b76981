#!/usr/bin/env bash
# pin.sh ARCH=URL...: downloads the plugin for each architecture, has its signature verified, and prints the variable
# "plugin" of the examples, with the SHA-256 of what was verified. Nodes then take that very file and no other, and need
# no tool for signatures.
#
#   examples/node/pin.sh amd64=https://... arm64=https://... >plugin.auto.tfvars
#
# The addresses are those of the plugin's release, or of your mirror of it. verify.sh next to this script checks the
# signature, or the program that VERIFY names. The files are left in plugin/ARCH/, for those who bake them into an image.
set -euo pipefail
verify=${VERIFY:-$(dirname "$0")/verify.sh}

if [ $# -eq 0 ]; then
  echo "usage: pin.sh ARCH=URL... with ARCH amd64 or arm64" >&2
  exit 2
fi

pinned=
for pair in "$@"; do
  arch=${pair%%=*} url=${pair#*=}
  case $arch=$url in
  amd64=https://* | arm64=https://*) ;;
  *)
    echo "pin.sh: '$pair' is not amd64=https://... or arm64=https://..." >&2
    exit 2
    ;;
  esac
  file=plugin/$arch/ak-kubelet-provider
  mkdir -p "plugin/$arch"
  curl --fail --silent --show-error --location --proto '=https' --output "$file.new" "$url"
  # Its output must not end up among the variables.
  if ! "$verify" "$file.new" "$url" >&2; then
    rm -f "$file.new"
    echo "pin.sh: $url is not verified, nothing is pinned" >&2
    exit 1
  fi
  chmod 0755 "$file.new"
  mv -f "$file.new" "$file"
  sum=$(sha256sum "$file")
  pinned+="  $arch = {
    url    = \"$url\"
    sha256 = \"${sum%% *}\"
  }
"
done

printf 'plugin = {\n%s}\n' "$pinned"
