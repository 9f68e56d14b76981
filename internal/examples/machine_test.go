//go:build linux

package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// machine is a directory that stands for a node, on which the scripts of the examples run, with a real kubelet under
// something like systemd.
type machine struct {
	t *testing.T
	// root is what ROOT tells the scripts to take for /.
	root string
	// flags are what the unit starts the kubelet with.
	flags func() []string
	// kubelet is the one that runs, or was the last to run; nil before the first start.
	kubelet *kubelet
	// starts counts how often the unit was started.
	starts   int
	mu       sync.Mutex // guards all of the above while a script runs
	server   *httptest.Server
	programs string // directory of the stubs
	env      []string
}

// stubs are the programs that are not the machine's own. They ask the test.
var stubs = map[string]string{
	"systemctl": `case "$*" in
"restart kubelet") exec curl --fail --silent --request POST "$TEST_MACHINE/restart" ;;
"show --property MainPID --value kubelet") exec curl --fail --silent "$TEST_MACHINE/pid" ;;
esac
echo "systemctl $*: not expected" >&2
exit 1`,
	"journalctl": `exec curl --fail --silent "$TEST_MACHINE/log"`,
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, root: filepath.Join(t.TempDir(), "root")}
	m.server = httptest.NewUnstartedServer(m)
	m.server.TLS = release().TLS.Clone() // One authority for both.
	m.server.StartTLS()
	t.Cleanup(m.server.Close)

	m.programs = t.TempDir()
	for name, script := range stubs {
		m.stub(name, script)
	}
	authority := filepath.Join(t.TempDir(), "ca.crt")
	writeFile(t, authority, authorityOf(release()), 0o644)
	m.env = []string{
		"PATH=" + m.programs + ":" + os.Getenv("PATH"), "ROOT=" + m.root, "CURL_CA_BUNDLE=" + authority,
		"TEST_MACHINE=" + m.server.URL, "KUBELET_HEALTHZ=" + m.server.URL + "/healthz", "KUBELET_PATIENCE=0",
	}
	return m
}

// ServeHTTP answers the stubs, and those who ask for the kubelet's health.
func (m *machine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var answer string
	var err error
	switch r.URL.Path {
	case "/restart":
		err = m.restart()
	case "/pid":
		answer = strconv.Itoa(m.kubelet.command.Process.Pid)
	case "/log":
		var text []byte
		text, err = os.ReadFile(m.kubelet.log)
		answer = string(text)
	case "/healthz":
		if !m.kubelet.healthy() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	if err != nil {
		m.t.Error(err)
		w.WriteHeader(http.StatusInternalServerError)
	}
	fmt.Fprint(w, answer)
}

// restart is what the unit does when it is restarted: it starts the kubelet, which may exit soon after.
func (m *machine) restart() (err error) {
	m.starts++
	if m.kubelet != nil {
		m.kubelet.stop()
	}
	m.kubelet, err = launchKubelet(m.t, m.flags()...)
	return err
}

// stub puts a program in the place of the machine's own.
func (m *machine) stub(name, script string) {
	writeFile(m.t, filepath.Join(m.programs, name), "#!/bin/sh\n"+script+"\n", 0o755)
}

// run has bash read a script, as ssh or cloud-init do, and gives its exit code and what it printed.
func (m *machine) run(script string) (int, string) {
	m.t.Helper()
	return m.feed(script, "bash", "-s")
}

// command runs a program with the machine's environment.
func (m *machine) command(args ...string) (int, string) {
	m.t.Helper()
	return m.feed("", args...)
}

func (m *machine) feed(input string, args ...string) (int, string) {
	m.t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(m.t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.t.TempDir(), m.env, strings.NewReader(input), &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	m.mu.Lock() // What was served on behalf of the script is over, and seen from here on.
	defer m.mu.Unlock()
	return cmd.ProcessState.ExitCode(), out.String()
}

// succeeds runs a script that must succeed and say this.
func (m *machine) succeeds(script, says string) {
	m.t.Helper()
	code, out := m.run(script)
	if code != 0 {
		m.t.Fatalf("the script exits with %d:\n%s", code, out)
	}
	acctest.Says(m.t, out, says)
}

// fails runs a script that must fail and say this.
func (m *machine) fails(script string, says ...string) {
	m.t.Helper()
	code, out := m.run(script)
	if code == 0 {
		m.t.Fatalf("the script succeeds:\n%s", out)
	}
	acctest.Says(m.t, out, says...)
}

// files are the files below root by their path, with their permissions and content.
func (m *machine) files() map[string]string {
	m.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(m.root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, m.root)] = fmt.Sprintf("%04o %s", info.Mode().Perm(), text)
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatal(err)
	}
	return found
}

// below puts root in front of the paths that flags name.
func (m *machine) below(flags []string) []string {
	flags = slices.Clone(flags)
	for i, flag := range flags {
		flags[i] = strings.Replace(flag, "=/", "="+m.root+"/", 1)
	}
	return flags
}

// plugin is the binary that the machine should get.
func plugin() string { return binaries[runtime.GOARCH] }

// spoil changes a text.
func spoil(t *testing.T, text, old, replacement string) string {
	t.Helper()
	changed := strings.ReplaceAll(text, old, replacement)
	if changed == text {
		t.Fatalf("there is no %q in\n%s", old, text)
	}
	return changed
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}
