// Package examples plans, applies and checks what stands under examples/: its tests run each configuration under a real
// CLI, the scripts that it renders on a directory that stands for a node, and a real kubelet with the files that come out.
package examples
