//go:build linux

package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// signed is a verify.sh as a reader fills it in: it downloads the signature next to the file and compares.
const signed = `#!/bin/sh
echo "checking $2"
curl --fail --silent --show-error --output "$1.sig" "$2.sig" || exit 1
printf 'signature of ' | cat - "$1" | cmp - "$1.sig"
`

// pin runs pin.sh in a directory and gives its exit code, its output and what it prints to be kept.
func pin(t *testing.T, dir, verify string, args ...string) (code int, out, kept string) {
	t.Helper()
	m := newMachine(t)
	if verify != "" {
		m.env = append(m.env, "VERIFY="+verify)
	}
	code, out = m.command(append([]string{"bash", "-c", `cd "$1" && shift && exec "$@" >variables`, "bash",
		dir, directory(t, "node", "pin.sh")}, args...)...)
	return code, out, readFile(t, filepath.Join(dir, "variables"))
}

func TestNothingIsPinnedUnlessItIsVerified(t *testing.T) {
	verify := filepath.Join(t.TempDir(), "verify")
	writeFile(t, verify, signed, 0o755)
	for name, c := range map[string]struct {
		verify string
		args   []string
		says   string
	}{
		"verify.sh as it comes":     {"", []string{"amd64=" + address("amd64")}, "fill in how a release of the plugin is verified"},
		"the signature of another":  {verify, []string{"arm64=" + address("arm64")}, "is not verified, nothing is pinned"},
		"one of two":                {verify, []string{"amd64=" + address("amd64"), "arm64=" + address("arm64")}, "is not verified"},
		"nothing to download":       {verify, []string{"amd64=" + address("gone")}, "404"},
		"not https":                 {verify, []string{"amd64=http://example.com"}, "is not amd64=https://... or arm64=https://..."},
		"an unknown architecture":   {verify, []string{"s390x=" + address("amd64")}, "is not amd64=https://... or arm64=https://..."},
		"nothing":                   {verify, nil, "usage: pin.sh"},
		"no verification to be had": {"/does/not/exist", []string{"amd64=" + address("amd64")}, "is not verified"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, out, kept := pin(t, dir, c.verify, c.args...)
			if code == 0 || kept != "" {
				t.Errorf("pin.sh exits with %d and pins %q", code, kept)
			}
			acctest.Says(t, out, c.says)
			if left, err := filepath.Glob(filepath.Join(dir, "plugin", "arm64", "*provider*")); err != nil || len(left) > 1 {
				t.Errorf("there is %q (%v)", left, err)
			}
		})
	}
}

func TestPinnedIsTheVariable(t *testing.T) {
	verify, dir := filepath.Join(t.TempDir(), "verify"), t.TempDir()
	writeFile(t, verify, signed, 0o755)
	code, out, kept := pin(t, dir, verify, "amd64="+address("amd64"))
	if code != 0 {
		t.Fatalf("pin.sh exits with %d:\n%s", code, out)
	}
	acctest.Says(t, out, "checking "+address("amd64"))
	same(t, "the verified file", binaries["amd64"], readFile(t, filepath.Join(dir, "plugin", "amd64", "ak-kubelet-provider")))

	w := example(t, "kubeadm", map[string]any{"registry_endpoint": "https://ak.example.com"})
	write(t, w, "plugin.auto.tfvars", kept)
	w.Apply()
	if script := w.Expect(0, "output", "-raw", "node_script"); !strings.Contains(script, digest("amd64")) {
		t.Errorf("the script does not know the digest:\n%s", script)
	}
	if info, err := os.Stat(directory(t, "node", "pin.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("pin.sh cannot be run: %v", err)
	}
}
