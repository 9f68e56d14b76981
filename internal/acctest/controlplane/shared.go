package controlplane

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Node is the name of a node whose kubelet the shared control plane knows; see NodeUser.
const Node = "node-1"

// Nobody is a user of the shared control plane who may do nothing of his own.
const Nobody = "nobody"

var shared struct {
	once  sync.Once
	plane *ControlPlane
	err   error
}

// Main runs the tests of a package that uses Shared, stops the control plane afterwards and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(controlplane.Main(m)) }
//
// A package whose TestMain does something else leaves the stopping to the end of the process.
func Main(m *testing.M) int {
	code := m.Run()
	shared.once.Do(func() {}) // nothing starts from here on
	if shared.plane == nil {
		return code
	}
	if err := shared.plane.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the control plane:", err)
		return max(code, 1)
	}
	return code
}

// Shared is the one control plane of a test binary, started when it is first asked for. Tests share it, so each works in
// a namespace and with names of its own, and none restarts it.
func Shared(t testing.TB) *ControlPlane {
	t.Helper()
	shared.once.Do(func() {
		shared.plane, shared.err = Start(context.Background(), Options{
			Logf:  func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
			Users: []User{{Name: Nobody}},
			Nodes: []string{Node},
		})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.plane
}

// Namespace makes a namespace for one test of the shared control plane, named after the test.
func (c *ControlPlane) Namespace(t testing.TB) string {
	t.Helper()
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, t.Name()), "-")
	name = strings.TrimRight(name[:min(len(name), 63)], "-") // an RFC 1123 label
	if err := c.As(Admin).EnsureNamespace(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return name
}
