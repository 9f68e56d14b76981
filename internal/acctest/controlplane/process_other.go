//go:build !linux

package controlplane

import "os/exec"

// dieWithParent does nothing where the kernel has no such signal: Stop ends the processes, a killed parent leaves them.
func dieWithParent(*exec.Cmd) {}

func outliveParent(*exec.Cmd) {}
