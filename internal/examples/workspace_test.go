//go:build linux

package examples_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// example is a copy of an example's directory with values for its variables. What the example shares with others lies
// next to it, as in the repository. Files with blocks of other providers, which cannot be had here, are left out, and
// the values of ours that they hand over are an output handed_over: by file, in order.
func example(t *testing.T, name string, variables map[string]any) *acctest.Workspace {
	t.Helper()
	w := exampleAsIs(t, name, variables)
	if modules.MatchString(readFile(t, filepath.Join(w.Dir, "main.tf"))) {
		w.Expect(0, "get")
	}
	return w
}

var modules = regexp.MustCompile(`(?m)^module "`)

// exampleAsIs is an example before the CLI has seen it.
func exampleAsIs(t *testing.T, name string, variables map[string]any) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t, "")
	copyNeighbors(t, name, filepath.Dir(w.Dir))
	own, theirs := split(t, name)
	for file, text := range own {
		write(t, w, file, text)
	}
	write(t, w, "handed_over.tf", handedOverOutput(theirs))
	writeVariables(t, w, variables)
	return w
}

func writeVariables(t *testing.T, w *acctest.Workspace, variables map[string]any) {
	t.Helper()
	if variables == nil {
		variables = map[string]any{}
	}
	text, err := json.MarshalIndent(variables, "", "  ") // The CLI quotes whole lines.
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "terraform.tfvars.json", string(text))
}

// copyNeighbors copies what an example finds next to itself: the scripts that all examples share, or, where an example is
// one of several directories, these.
func copyNeighbors(t *testing.T, name, into string) {
	t.Helper()
	from := directory(t, filepath.Dir(name))
	neighbors := os.DirFS(from)
	if filepath.Dir(name) == "." {
		neighbors, into = os.DirFS(filepath.Join(from, "node")), filepath.Join(into, "node")
	}
	if err := os.CopyFS(into, neighbors); err != nil && !errors.Is(err, fs.ErrExist) { // A test may have several.
		t.Fatal(err)
	}
}

func write(t *testing.T, w *acctest.Workspace, file, text string) {
	t.Helper()
	writeFile(t, filepath.Join(w.Dir, file), text, 0o600)
}

// split gives the files of an example by their paths in it, without what they require of other providers, and those of them that
// need another provider.
func split(t *testing.T, name string) (own, theirs map[string]string) {
	t.Helper()
	own, theirs = files(t, name), map[string]string{}
	for file, text := range own {
		switch {
		case filepath.Ext(file) != ".tf":
		case needsOthers(t, file, text):
			theirs[file] = text
			delete(own, file)
		default:
			own[file] = withoutOthers(t, file, text)
		}
	}
	return own, theirs
}

// files are those of an example, by their paths in it.
func files(t *testing.T, name string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(directory(t, name)), ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all[file] = readFile(t, directory(t, name, file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var ofOurs = regexp.MustCompile(`(?m)^\s*[A-Za-z_]+\s*=\s*(.*\blocal\..*)$`)

// handedOver are the expressions with which arguments are set from our locals.
func handedOver(text string) []string {
	var expressions []string
	for _, match := range ofOurs.FindAllStringSubmatch(text, -1) {
		expressions = append(expressions, match[1])
	}
	return expressions
}

func handedOverOutput(theirs map[string]string) string {
	var text strings.Builder
	text.WriteString("output \"handed_over\" {\n  value = {\n")
	for _, file := range slices.Sorted(maps.Keys(theirs)) {
		fmt.Fprintf(&text, "    %q = [\n      %s,\n    ]\n", file, strings.Join(handedOver(theirs[file]), ",\n      "))
	}
	text.WriteString("  }\n}\n")
	return text.String()
}

// handed are the values that a file hands to another provider, in order.
func handed(t *testing.T, outputs map[string]json.RawMessage, file string) []json.RawMessage {
	t.Helper()
	values := output[map[string][]json.RawMessage](t, outputs, "handed_over")[file]
	if len(values) == 0 {
		t.Fatalf("%s hands nothing over", file)
	}
	return values
}

// decode reads a JSON value.
func decode[T any](t *testing.T, text json.RawMessage) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
