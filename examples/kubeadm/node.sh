# Brings the plugin, the kubelet's file and its flags onto a node of kubeadm, in this order. With ROOT every path is below
# that directory.
root=${ROOT:-}
file=$root$config_path
flags=$root/var/lib/kubelet/kubeadm-flags.env # written by kubeadm init and kubeadm join, read by the kubelet's unit

# the_flags: kubeadm's file, with ours at the end of the kubelet's arguments.
the_flags() {
  sed -e '/^KUBELET_KUBEADM_ARGS=/ {' \
    -e 's/ *--image-credential-provider-[a-z-]*=[^ "]*//g' \
    -e "s|\"\$| $kubelet_args\"|" \
    -e '}' "$flags"
}

# keep FILE / put_back FILE: a copy for the way back, or the knowledge that there was none.
keep() {
  rm -f "$1.before"
  if [ -e "$1" ]; then cp -p "$1" "$1.before"; fi
}
put_back() {
  if [ -e "$1.before" ]; then mv -f "$1.before" "$1"; else rm -f "$1"; fi
}
roll_back() {
  put_back "$flags"
  put_back "$file"
}

# What the kubelet is told already by others stays theirs.
if [ -e "$flags" ]; then
  theirs=$(grep -o -- '--image-credential-provider-config=[^ "]*' "$flags" || true)
  if [ -n "$theirs" ] && [ "$theirs" != "--image-credential-provider-config=$config_path" ]; then
    echo "the kubelet has a file already ($theirs): add the entry to that one, see manage = \"entries\"" >&2
    exit 1
  fi
  if ! grep -q '^KUBELET_KUBEADM_ARGS=".*"$' "$flags"; then
    echo "$flags has no line KUBELET_KUBEADM_ARGS=\"...\" to put the flags into" >&2
    exit 1
  fi
fi

install_plugin "$root$bin_dir"

mkdir -p "$(dirname "$file")"
config >"$file.new"
chmod 0644 "$file.new"

if [ ! -e "$flags" ]; then
  mv -f "$file.new" "$file"
  echo "prepared; this node has not joined yet: give kubeadm the kubelet's flags $kubelet_args"
  exit 0
fi

the_flags >"$flags.new"
# A mark from here to the end: a run that was cut short is not taken for one that is through.
mark=$file.restarting
if cmp -s "$file.new" "$file" && cmp -s "$flags.new" "$flags" && [ ! -e "$mark" ]; then
  rm -f "$file.new" "$flags.new"
  echo "the node has it all"
  exit 0
fi
if [ ! -e "$mark" ]; then
  keep "$file"
  keep "$flags"
  touch "$mark"
fi
chmod --reference="$flags" "$flags.new"
mv -f "$file.new" "$file"
mv -f "$flags.new" "$flags"
if ! restart_kubelet roll_back; then
  rm -f "$mark"
  exit 1
fi
rm -f "$mark" "$file.before" "$flags.before"
echo "the kubelet runs with the plugin"
