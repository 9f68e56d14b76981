# The first process of a node: makes its file system, says so, and stays until its standard input ends. With it the
# kernel ends every other process of the namespace, and the mounts go with the last of them.
# Arguments: the node's directory, and the directories of the machine that it sees a directory of its own in place of.
set -eu
root=$1
shift

mount --make-rprivate /
mount -t proc proc /proc
for dir; do
  mount --bind "$root$dir" "$dir"
done

# A kubelet sets these for the whole machine, unless they are already as it wants them.
pretend() {
  file=/run/pretend$(echo "$1" | tr / -)
  echo "$2" >"$file"
  mount --bind "$file" "$1"
}
pretend /proc/sys/vm/overcommit_memory 1
pretend /proc/sys/vm/panic_on_oom 0
pretend /proc/sys/kernel/panic 10
pretend /proc/sys/kernel/panic_on_oops 1
pretend /proc/sys/kernel/keys/root_maxkeys 1000000
pretend /proc/sys/kernel/keys/root_maxbytes 25000000

echo ready
exec cat >/dev/null
