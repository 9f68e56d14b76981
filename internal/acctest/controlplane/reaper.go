package controlplane

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// reaper is a shell that removes directories once its standard input ends, which is when this process closes it or is
// no more: a test binary that panics, is killed or simply exits leaves no data behind.
type reaper struct {
	command *exec.Cmd
	input   io.Closer
}

// The last writes of a process that is being killed can make rm fail, hence more than one try.
const reap = `cat >/dev/null; for i in 1 2 3 4 5; do rm -rf -- "$@" && exit 0; sleep 1; done; exit 1`

func startReaper(dirs ...string) (*reaper, error) {
	command := exec.Command("sh", append([]string{"-c", reap, "reaper"}, dirs...)...) // #nosec G204 -- the directories are our own.
	outliveParent(command)
	input, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the process that cleans up: %w", err)
	}
	return &reaper{command: command, input: input}, nil
}

// run has the directories removed now, and waits for it. One that never started is fine.
func (r *reaper) run() error {
	if r == nil {
		return nil
	}
	if err := errors.Join(r.input.Close(), r.command.Wait()); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}
