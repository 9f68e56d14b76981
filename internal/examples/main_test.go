//go:build linux

package examples_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// example is a copy of an example's directory with values for its variables. What the example shares with others lies
// next to it, as in the repository. Files with blocks of other providers, which cannot be had here, are left out, and
// each value of ours that they hand over is an output handed_N, in order.
func example(t *testing.T, name string, variables map[string]any) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t, "")
	err := os.CopyFS(filepath.Join(w.Dir, "..", "node"), os.DirFS(directory(t, "node")))
	if err != nil && !errors.Is(err, fs.ErrExist) { // A test may have several.
		t.Fatal(err)
	}
	own, theirs := split(t, name)
	for file, text := range own {
		write(t, w, file, text)
	}
	var outputs strings.Builder
	for _, text := range theirs {
		for i, expression := range handedOver(text) {
			fmt.Fprintf(&outputs, "output \"handed_%d\" {\n  value = %s\n}\n", i, expression)
		}
	}
	write(t, w, "handed_over.tf", outputs.String())
	text, err := json.Marshal(variables)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "terraform.tfvars.json", string(text))
	return w
}

func write(t *testing.T, w *acctest.Workspace, file, text string) {
	t.Helper()
	if err := w.Write(file, text); err != nil {
		t.Fatal(err)
	}
}

var sources = regexp.MustCompile(`(?m)^\s*source\s*=\s*"([^"]+)"`)

// split gives the files of an example, and those of them that need another provider.
func split(t *testing.T, name string) (own, theirs map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(directory(t, name))
	if err != nil {
		t.Fatal(err)
	}
	own, theirs = map[string]string{}, map[string]string{}
	for _, entry := range entries {
		text := readFile(t, directory(t, name, entry.Name()))
		into := own
		for _, source := range sources.FindAllStringSubmatch(text, -1) {
			if source[1] != "aktrust/aktrust" {
				into = theirs
			}
		}
		into[entry.Name()] = text
	}
	return own, theirs
}

var ofOurs = regexp.MustCompile(`(?m)^\s*[a-z_]+\s*=\s*(.*\blocal\..*)$`)

// handedOver are the expressions with which arguments are set from our locals.
func handedOver(text string) []string {
	var expressions []string
	for _, match := range ofOurs.FindAllStringSubmatch(text, -1) {
		expressions = append(expressions, match[1])
	}
	return expressions
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

// outputsOf are those of what was applied.
func outputsOf(t *testing.T, w *acctest.Workspace) map[string]json.RawMessage {
	t.Helper()
	var values map[string]struct{ Value json.RawMessage }
	if err := json.Unmarshal([]byte(w.Expect(0, "output", "-json")), &values); err != nil {
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
	var value T
	if outputs[name] == nil {
		t.Fatalf("there is no output %q", name)
	}
	if err := json.Unmarshal(outputs[name], &value); err != nil {
		t.Fatal(err)
	}
	return value
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
