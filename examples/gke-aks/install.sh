#!/usr/bin/env bash
# install.sh install|remove: adds the entry in provider.yaml to the file that this node's kubelet reads, or takes it out.
# Run as root in the node's own namespaces, from a directory with the other files of the ConfigMap. It can run again at any
# time: it restarts the kubelet only when the file changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/install-plugin.sh"
# shellcheck source=../node/restart-kubelet.sh
source "$here/restart-kubelet.sh"
action=${1:?install or remove}

# kubelet_flag NAME: the value of a flag of the kubelet that runs; of several the last one.
kubelet_flag() {
  local previous= value= arg
  while IFS= read -r -d '' arg; do
    case $arg in
    "--$1="*) value=${arg#*=} ;;
    *) if [ "$previous" = "--$1" ]; then value=$arg; fi ;;
    esac
    previous=$arg
  done <"/proc/$(systemctl show --property MainPID --value kubelet)/cmdline"
  printf '%s' "$value"
}

file=$(kubelet_flag image-credential-provider-config)
bin_dir=$(kubelet_flag image-credential-provider-bin-dir)
if [ ! -f "$file" ] || [ -z "$bin_dir" ]; then
  echo "the kubelet of this node reads no file of credential providers (file '$file', directory '$bin_dir')" >&2
  exit 1
fi

# Comments of ours enclose the entry, which makes it easy to find again, and tell people where it comes from.
begin='# BEGIN ak-kubelet-provider, added by the DaemonSet aktrust-node-installer'
end='# END ak-kubelet-provider'
without_entry() { sed "/^ *$begin\$/,/^ *$end\$/d" "$file"; }

# with_entry: in front of the platform's entries, indented as they are.
with_entry() {
  local indent
  indent=$(without_entry | sed -n '/^providers:/,$ s/^\( *\)- .*/\1/p')
  indent=${indent%%$'\n'*} # of the first line, which is the first entry
  {
    echo "$indent$begin"
    sed -e "1s/^/$indent- /" -e "2,\$s/^/$indent  /" "$here/provider.yaml"
    echo "$indent$end"
  } >"$here/entry"
  without_entry | sed "/^providers:[[:space:]]*\$/r $here/entry"
}

case $action in
install)
  install_plugin "$bin_dir"
  with_entry >"$here/new"
  if ! grep -q "^ *$begin\$" "$here/new"; then
    echo "$file has no list 'providers:' in block style: the entry cannot be added" >&2
    exit 1
  fi
  ;;
remove)
  without_entry >"$here/new"
  ;;
*)
  echo "install.sh: install or remove, not '$action'" >&2
  exit 2
  ;;
esac

# A mark from here to the end: a run that was cut short is not taken for one that is through.
if cmp -s "$here/new" "$file" && [ ! -e "$here/restarting" ]; then
  echo "$file is as it should be"
  exit 0
fi
if [ ! -e "$here/restarting" ]; then
  cp -p "$file" "$here/before"
  touch "$here/restarting"
fi

# replace FILE: the kubelet's file gets this content whole, and keeps its owner and permissions.
replace() {
  cp -p "$file" "$file.new"
  cat "$1" >"$file.new"
  mv -f "$file.new" "$file"
}
roll_back() { replace "$here/before"; }

replace "$here/new"
if ! restart_kubelet roll_back; then
  rm -f "$here/restarting"
  exit 1
fi
rm -f "$here/restarting"
echo "the kubelet runs with $file"
