package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFile(t *testing.T) {
	n := &Node{dir: t.TempDir()}
	if err := n.WriteFile("/var/lib/kubelet/plugins/x", []byte("content"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(n.root(), "var/lib/kubelet/plugins/x")); err != nil || string(text) != "content" {
		t.Errorf("the file holds %q (error %v)", text, err)
	}
	for _, path := range []string{"/etc/passwd", "/var/library/x", "/run/../etc/x", "run/x", ""} {
		if err := n.WriteFile(path, nil, 0o644); err == nil || !strings.Contains(err.Error(), "not below any of /run") {
			t.Errorf("writing %q: error %v", path, err)
		}
	}
}

func TestReachable(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/run", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"/": true, "/usr/bin": true, "/run": false, "/var/lib": false, link: false, "/no/such": false} {
		if err := reachable(path); (err == nil) != want {
			t.Errorf("%s: error %v, want reachable: %t", path, err, want)
		}
	}
}

// TestJanitor is about what happens when the process that started a node is gone: the end of the pipe is all that is left.
func TestJanitor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "aktrust-e2e-janitor")
	if err := os.MkdirAll(filepath.Join(dir, "root", "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := startHelper("the process that cleans up", janitorScript, 0, dir, filepath.Base(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (error %v)", dir, err)
	}
}

func TestTail(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	line := strings.Repeat("x", 99) + "\n"
	if err := os.WriteFile(log, []byte("first\n"+strings.Repeat(line, 200)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := (&process{log: log}).tail()
	if len(got) > logTail || len(got) < logTail-2*len(line) || !strings.HasPrefix(got, line) || !strings.HasSuffix(got, "\nlast\n") {
		t.Errorf("the tail has %d bytes and begins with %.20q", len(got), got)
	}
	if err := os.WriteFile(log, []byte("only\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (&process{log: log}).tail(); got != "only\n" {
		t.Errorf("the tail of a short log is %q", got)
	}
}

func TestMissingPackages(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without apt-get
	_, err := findTools(t.Context(), t.Logf)
	if err == nil || !strings.Contains(err.Error(), "lacks util-linux containerd runc") {
		t.Errorf("error %v, want one that names the packages", err)
	}
}
