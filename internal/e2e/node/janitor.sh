# Removes what a node leaves outside of its namespaces, once its standard input ends, which is when the process that
# started the node closes it or is no more.
# Arguments: the node's directory, and the name of the control group that its containers are in.
cat >/dev/null

# Dying processes keep their control group and write their last words, hence more than one try.
for try in 1 2 3 4 5 6 7 8 9 10; do
  find /sys/fs/cgroup -depth -type d \( -name "$2" -o -path "*/$2/*" \) -exec rmdir {} + 2>/dev/null
  rm -rf -- "$1" 2>/dev/null
  if [ ! -e "$1" ] && [ -z "$(find /sys/fs/cgroup -type d -name "$2" 2>/dev/null)" ]; then
    exit 0
  fi
  sleep 1
done
echo "cannot remove $1 or the control group $2" >&2
exit 1
