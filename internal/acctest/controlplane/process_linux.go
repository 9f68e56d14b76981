package controlplane

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the child when the thread that started it ends, however that happens: a test
// binary that panics or is killed leaves no API server behind.
func dieWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
