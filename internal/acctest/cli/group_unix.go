//go:build unix

package cli

import (
	"os/exec"
	"syscall"
	"time"
)

// grace is how long an interrupted command has to end on its own: a CLI lets the calls that it is in the middle of
// finish, and writes its state.
const grace = 15 * time.Second

// RunGroup runs a command with everything that it starts in a process group of its own. When the context of the command
// is over, the whole group is interrupted, and what is still there after a while is killed: no plugin and no compiler
// outlives its command. A terminal's Ctrl-C does not reach the group, so that a CLI is never interrupted twice, which
// it takes for an order to drop everything.
func RunGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	interrupted := false
	cmd.Cancel = func() error {
		interrupted = true
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	}
	cmd.WaitDelay = grace
	err := cmd.Run()
	if interrupted {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // Usually there is nobody left.
	}
	return err
}
