package controlplane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
)

// logTail is how much of a failed process's log its error shows, in bytes.
const logTail = 4 << 10

// process is a child whose output goes to a file.
type process struct {
	name    string
	command *exec.Cmd
	log     string
	done    chan struct{} // closed once it has ended and been waited for
	result  error         // how it ended; read after done
}

// startProcess starts a child and watches it. A child is tied to its parent (see dieWithParent), which the kernel
// takes to mean the thread that started it: that thread is kept until the child has ended.
func startProcess(name, binary, logPath string, args ...string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	p := &process{name: name, log: logPath, done: make(chan struct{}), command: exec.Command(binary, args...)}
	p.command.Stdout, p.command.Stderr = log, log
	dieWithParent(p.command)

	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.result = p.command.Wait()
		}
		close(p.done)
	}()
	err = <-started
	closeErr := log.Close() // the child has a descriptor of its own
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, closeErr
}

// kill ends the process and waits until it is gone. A process that never started or has ended is fine.
func (p *process) kill() error {
	if p == nil {
		return nil
	}
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s (process %d): %w", p.name, p.command.Process.Pid, err)
	}
	<-p.done
	return nil
}

// failure is the error of a process that did not do what it should: what, how it ended, and the end of its log.
func (p *process) failure(what string) error {
	select {
	case <-p.done:
		if p.result != nil {
			what += " (" + p.result.Error() + ")"
		}
	default:
	}
	tail, err := tailOf(p.log, logTail)
	if err != nil {
		return fmt.Errorf("%s %s; its log cannot be read: %w", p.name, what, err)
	}
	return fmt.Errorf("%s %s; the end of its log:\n%s", p.name, what, tail)
}

// tailOf reads at most the last n bytes of a file.
func tailOf(path string, n int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // Nothing was written.
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-n), n))
	return string(text), err
}
