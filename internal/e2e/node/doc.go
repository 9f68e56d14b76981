// Package node runs a real Kubernetes node on this machine: containerd, runc and a kubelet, for tests that are about
// what a kubelet does. It needs Linux, root, and containerd and runc of the system's packages.
//
// The node lives in a PID and a mount namespace of its own. Where it would write next to what the machine has already
// (/run, /var/lib, /var/log, kernel settings) it sees directories and files of its own instead. Ending the first process of the
// namespace ends every container, every shim and every mount of the node with it, whether [Node.Stop] does that or the
// kernel, because the process that started the node is gone.
package node
