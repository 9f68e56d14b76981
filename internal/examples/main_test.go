//go:build linux

package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(kubeletVariable); dir != "" {
		fmt.Fprintln(os.Stderr, becomeKubelet(dir))
		os.Exit(1)
	}
	acctest.Main(m)
}

// directory is that of an example, or of all of them.
func directory(t *testing.T, path ...string) string {
	t.Helper()
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{root, "examples"}, path...)...)
}

// outputs are those of an example that was applied with these variables: planned, applied, and planned once more, with
// nothing left to do. An example with the same variables is applied once, whoever asks.
func outputs(t *testing.T, name string, variables map[string]any) map[string]json.RawMessage {
	t.Helper()
	key, err := json.Marshal([]any{name, variables})
	if err != nil {
		t.Fatal(err)
	}
	if applied[string(key)] == nil {
		w := example(t, name, variables)
		w.Plan(2)
		w.Apply()
		w.Plan(0)
		applied[string(key)] = outputsOf(t, w)
	}
	return applied[string(key)]
}

// secret is what an output never holds: a token or a private key.
var secret = regexp.MustCompile(`eyJ[\w-]+\.eyJ[\w-]+\.|PRIVATE KEY`)

// outputsOf are those of what was applied.
func outputsOf(t *testing.T, w *acctest.Workspace) map[string]json.RawMessage {
	t.Helper()
	text := w.Expect(0, "output", "-json")
	if found := secret.FindString(text); found != "" {
		t.Errorf("an output holds a secret that begins with %.12s", found)
	}
	var values map[string]struct{ Value json.RawMessage }
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	result := map[string]json.RawMessage{}
	for name, output := range values {
		result[name] = output.Value
	}
	return result
}

// applied are the outputs of what was applied already. The tests of this package run one after the other.
var applied = map[string]map[string]json.RawMessage{}

// output is one output of an example.
func output[T any](t *testing.T, outputs map[string]json.RawMessage, name string) T {
	t.Helper()
	if outputs[name] == nil {
		t.Fatalf("there is no output %q", name)
	}
	return decode[T](t, outputs[name])
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
