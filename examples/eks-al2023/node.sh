# Run by cloud-init at a node's first boot: after nodeadm has written its file, and before nodeadm starts the kubelet.
# With ROOT every path is below that directory.
root=${ROOT:-}
theirs=$root$platform_config
ours=$root$config_path

# The kubelet is told to read this file whatever happens here. Until everything else has worked it is EKS's own, so that
# a node that cannot reach the plugin's download joins, and pulls from ECR.
mkdir -p "$(dirname "$ours")"
cp "$theirs" "$ours.new"
mv -f "$ours.new" "$ours"

install_plugin "$root$bin_dir"

# The list of providers is the only list of objects directly in the file's object, so that a file which ends in these
# three brackets ends in that list, and the entry goes before the second one. This needs no jq, which is part of the EKS
# image but not of Amazon Linux.
text=$(<"$theirs")
if [[ ! $text =~ ^(.*\})[[:space:]]*\][[:space:]]*\}[[:space:]]*$ ]]; then
  echo "$theirs does not end in the list of providers: the entry is not added, and the kubelet reads it as it is" >&2
  exit 1
fi
printf '%s,\n%s\n  ]\n}\n' "${BASH_REMATCH[1]}" "$(entry)" >"$ours.new"
mv -f "$ours.new" "$ours"
