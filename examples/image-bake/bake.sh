# Adds to the tree of an image what goes with the kubelet's file. The kubelet is not running: nothing is restarted.
install_plugin "$rootfs$bin_dir" "$arch"

# The kubelet's unit hands KUBELET_EXTRA_ARGS on to it, behind its own flags.
environment=$rootfs$environment_file
line="KUBELET_EXTRA_ARGS=\"$kubelet_args\""
if grep -q '^KUBELET_EXTRA_ARGS=' "$environment" 2>/dev/null; then
  if grep -qxF "$line" "$environment"; then exit 0; fi
  # What is there may name the same file already, where the image's file is someone else's.
  for arg in $kubelet_args; do
    if ! grep '^KUBELET_EXTRA_ARGS=' "$environment" | grep -qF -- "$arg"; then
      echo "$environment has arguments of its own, without $arg: add it there" >&2
      exit 1
    fi
  done
  exit 0
fi
mkdir -p "$(dirname "$environment")"
echo "$line" >>"$environment"
