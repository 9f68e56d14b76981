//go:build !unix

package cli

import "os/exec"

// RunGroup runs a command. Where there are no process groups, the command alone is killed when its context is over.
func RunGroup(cmd *exec.Cmd) error { return cmd.Run() }
