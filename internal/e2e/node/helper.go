//go:build linux

package node

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

var (
	//go:embed init.sh
	initScript string
	//go:embed janitor.sh
	janitorScript string
)

// helper is a shell that does its work at the end of its standard input. That is when it is told so or when this
// process is no more, however that came about: the kernel closes the pipe.
type helper struct {
	what   string
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Reader
	stderr bytes.Buffer
}

// startHelper starts a script with arguments, in further namespaces.
func startHelper(what, script string, namespaces uintptr, args ...string) (*helper, error) {
	//nolint:gosec,noctx // The script is this package's own, and the end of its input ends it.
	h := &helper{what: what, cmd: exec.Command("/bin/sh", append([]string{"-c", script, "sh"}, args...)...)}
	h.cmd.SysProcAttr = detached(namespaces)
	h.cmd.Stderr = &h.stderr
	var err error
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if h.stdout, err = h.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", what, err)
	}
	return h, nil
}

// startInit starts the first process of a node, and waits until the node's file system is there. root has the directories
// that it sees as its own.
func startInit(ctx context.Context, root string) (*helper, error) {
	args := append([]string{root}, own...)
	h, err := startHelper("the first process of the node", initScript, syscall.CLONE_NEWPID|syscall.CLONE_NEWNS, args...)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = h.cmd.Process.Kill() }) // an error means that it has ended
	defer stop()
	if line, err := bufio.NewReader(h.stdout).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		return nil, errors.Join(fmt.Errorf("making the node's namespaces failed, it said %q", line), context.Cause(ctx), h.end())
	}
	return h, nil
}

// detached keeps the signals of a terminal away from a child.
func detached(namespaces uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Cloneflags: namespaces}
}

func (h *helper) pid() int { return h.cmd.Process.Pid }

// end has the helper do its work, and waits for it. One that never started is fine.
func (h *helper) end() error {
	if h == nil {
		return nil
	}
	if err := errors.Join(h.stdin.Close(), h.cmd.Wait()); err != nil {
		return fmt.Errorf("%s: %w\n%s", h.what, err, strings.TrimSpace(h.stderr.String()))
	}
	return nil
}
