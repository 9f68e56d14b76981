# restart_kubelet ROLLBACK: restarts the kubelet, which reads its file only at its start and exits when anything is wrong
# with it. When it does not become healthy, the function ROLLBACK puts back what was there, and the kubelet is restarted
# with that. Containers go on running all the while.
restart_kubelet() {
  if systemctl restart kubelet && kubelet_healthy; then
    return 0
  fi
  echo "the kubelet does not come up with the new configuration:" >&2
  journalctl --unit kubelet --lines 30 --no-pager >&2 || true
  "$1"
  if systemctl restart kubelet && kubelet_healthy; then
    echo "the kubelet runs with what it had before" >&2
  else
    echo "the kubelet does not come up with what it had before either" >&2
  fi
  return 1
}

# The health endpoint opens after the kubelet has taken its file, so that one answer is enough.
kubelet_healthy() {
  local deadline=$((SECONDS + ${KUBELET_PATIENCE:-60}))
  until curl --fail --silent --max-time 2 --output /dev/null "${KUBELET_HEALTHZ:-http://127.0.0.1:10248/healthz}"; do
    if ((SECONDS >= deadline)); then
      return 1
    fi
    sleep 1
  done
}
