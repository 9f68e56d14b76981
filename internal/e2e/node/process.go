//go:build linux

package node

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// logTail is how much of a process's log is shown when something went wrong, in bytes.
const logTail = 8 << 10

// process is a program on the node. It needs no killing: it ends with the node.
type process struct {
	name   string
	log    string        // path
	done   chan struct{} // closed once it has ended and been waited for
	result error         // how it ended; read after done
}

// command is a program to run in the namespaces of the node, with nothing of the caller's environment but the PATH.
func (n *Node) command(program string, args ...string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(n.init.pid()), "--mount", "--pid", "--", program}
	//nolint:gosec,noctx // What runs on the node is the caller's choice, and ends with the node.
	cmd := exec.Command(n.tools.nsenter, append(enter, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	return cmd
}

// run starts a program on the node, with its output in a log of its own.
func (n *Node) run(name, program string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(n.dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("make the log of %s: %w", name, err)
	}
	defer log.Close() //nolint:errcheck // the child has a descriptor of its own
	cmd := n.command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = detached(0)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.result = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// ended is closed once the process has ended; nil, which is never, for one that was not started.
func (p *process) ended() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.done
}

func (p *process) wait() {
	if p != nil {
		<-p.done
	}
}

// failure is the error of a process that did not do what it should.
func (p *process) failure(what string) error {
	select {
	case <-p.done:
		what += fmt.Sprintf(" (%v)", p.result)
	default:
	}
	return fmt.Errorf("%s %s; the end of its log:\n%s", p.name, what, p.tail())
}

// tail is the end of the process's log, from the beginning of a line.
func (p *process) tail() string {
	f, err := os.Open(p.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-logTail), logTail))
	if _, rest, cut := bytes.Cut(text, []byte("\n")); cut && info.Size() > logTail {
		text = rest
	}
	return errors.Join(errors.New(string(text)), err).Error()
}
