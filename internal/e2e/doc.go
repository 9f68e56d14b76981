// Package e2e proves the whole chain with a real node: the files that examples/complete writes make a kubelet pull an
// image for those who may, and for nobody else.
//
// Its test is not part of go test ./...: it needs Linux and root, installs containerd and runc when they are missing, and
// runs containers. make e2e runs it, with the build tag e2e.
package e2e
