//go:build linux

package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	pollInterval = 100 * time.Millisecond
	dirMode      = 0o755 // as on any node
)

// own are the directories that a node has to itself: they are empty at its start, and gone at its end. The last one is
// where the plugins of a kubelet are by convention.
var own = []string{"/run", "/var/lib", "/var/log", "/usr/local/lib"}

// Node is a directory at first, a running containerd from Start on, and a kubelet from StartKubelet on.
type Node struct {
	logf       func(format string, args ...any)
	dir        string
	name       string // of dir, and of the control group
	tools      tools
	janitor    *helper
	init       *helper
	containerd *process
	kubelet    *process
}

// New makes the directory of a node. logf is told what happens, one line at a time. Stop must be called in the end.
func New(logf func(format string, args ...any)) (*Node, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("a node needs root, for namespaces, control groups and containers")
	}
	dir, err := os.MkdirTemp("", "aktrust-e2e-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the node: %w", err)
	}
	n := &Node{logf: logf, dir: dir, name: filepath.Base(dir)}
	if n.janitor, err = startHelper("the process that cleans up", janitorScript, 0, dir, n.name); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := reachable(dir); err != nil {
		return nil, errors.Join(err, n.Stop())
	}
	return n, nil
}

// Start makes the namespaces and brings up containerd, whose packages are installed when the machine lacks them. sandbox
// is the image of the container that holds a pod together.
func (n *Node) Start(ctx context.Context, sandbox Image) (err error) {
	if n.tools, err = findTools(ctx, n.logf); err != nil {
		return err
	}
	for _, dir := range own {
		if err := os.MkdirAll(filepath.Join(n.root(), dir), dirMode); err != nil {
			return fmt.Errorf("make a directory for the node: %w", err)
		}
	}
	if n.init, err = startInit(ctx, n.root()); err != nil {
		return err
	}
	return n.startContainerd(ctx, sandbox)
}

// Dir is a directory of the machine for whatever belongs to the node; it is removed with it, also when this process is
// killed. The node sees it under the same path.
func (n *Node) Dir() string { return n.dir }

// root has what the node sees as its own directories.
func (n *Node) root() string { return filepath.Join(n.dir, "root") }

// WriteFile writes a file into a directory that the node has to itself, making that when it is missing. The machine's own
// files are out of reach: a path elsewhere is an error.
func (n *Node) WriteFile(path string, content []byte, mode os.FileMode) error {
	if !isOwn(path) {
		return fmt.Errorf("write %s on the node: it is not below any of %s", path, strings.Join(own, ", "))
	}
	inside := filepath.Join(n.root(), path)
	if err := os.MkdirAll(filepath.Dir(inside), dirMode); err != nil {
		return fmt.Errorf("write %s on the node: %w", path, err)
	}
	if err := os.WriteFile(inside, content, mode); err != nil {
		return fmt.Errorf("write %s on the node: %w", path, err)
	}
	return nil
}

func isOwn(path string) bool {
	for _, dir := range own {
		if strings.HasPrefix(filepath.Clean(path)+"/", dir+"/") {
			return true
		}
	}
	return false
}

// reachable is an error for a path of the machine that the node cannot see, because it is below a directory that the
// node has to itself.
func reachable(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if isOwn(target) {
		return fmt.Errorf("%s is hidden from the node, which has directories of its own in place of %s; set TMPDIR, AKTRUST_CACHE or HOME "+
			"to a directory that is elsewhere", path, strings.Join(own, ", "))
	}
	return nil
}

// Await tries until there is no error. It gives up, with the last one, when ctx is over, or when containerd or the
// kubelet has ended.
func (n *Node) Await(ctx context.Context, try func(context.Context) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var last error
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil { // else it only says that ctx is over
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", last, context.Cause(ctx))
		case <-n.containerd.ended():
			return errors.Join(last, n.containerd.failure("has ended"))
		case <-n.kubelet.ended():
			return errors.Join(last, n.kubelet.failure("has ended"))
		case <-tick.C:
		}
	}
}

// Logs gives the ends of the logs of the kubelet and of containerd, to be shown when something went wrong.
func (n *Node) Logs() string {
	var text strings.Builder
	for _, p := range []*process{n.containerd, n.kubelet} {
		if p != nil {
			fmt.Fprintf(&text, "the end of the log of %s:\n%s\n", p.name, p.tail())
		}
	}
	return text.String()
}

// KubeletLog is what the kubelet has written so far.
func (n *Node) KubeletLog() (string, error) {
	text, err := os.ReadFile(n.kubelet.log)
	return string(text), err
}

// Stop ends everything that runs on the node, waits for it, and removes the node's directory and control group.
func (n *Node) Stop() error {
	err := n.init.end()
	n.containerd.wait()
	n.kubelet.wait()
	return errors.Join(err, n.janitor.end())
}
