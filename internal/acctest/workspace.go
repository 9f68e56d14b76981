package acctest

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/cli"
)

// pluginDir is the folder with the provider's binary, while there is one.
var pluginDir string

// plugins builds the provider's binary, once for a test process.
var plugins = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "aktrust-plugins-")
	if err != nil {
		return "", err
	}
	pluginDir = dir
	return dir, cli.Build(context.Background(), dir)
})

// Plugins is the folder with the provider's binary.
func Plugins(t testing.TB) string {
	t.Helper()
	dir, err := plugins()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Workspace is a configuration that a test runs the real CLI and the real binary on, to see what a user sees.
type Workspace struct {
	*cli.Workspace
	t testing.TB
}

// NewWorkspace writes a configuration, with the provider's source in front, into a folder of its own.
func NewWorkspace(t testing.TB, config string) *Workspace {
	t.Helper()
	program, err := CLI()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := cli.New(t.TempDir(), program, Plugins(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{Workspace: inner, t: t}
	w.Config(config)
	return w
}

// Config replaces the configuration.
func (w *Workspace) Config(config string) {
	w.t.Helper()
	const source = "terraform {\n  required_providers {\n    aktrust = { source = \"aktrust/aktrust\" }\n  }\n}\n"
	if err := w.Write("main.tf", source+config); err != nil {
		w.t.Fatal(err)
	}
}

// Plan plans and expects the exit code of -detailed-exitcode: 0 for no change, 1 for an error, 2 for changes.
func (w *Workspace) Plan(code int, more ...string) string {
	w.t.Helper()
	return w.Expect(code, append([]string{"plan", "-no-color", "-detailed-exitcode"}, more...)...)
}

// Apply applies and expects that it succeeds.
func (w *Workspace) Apply(more ...string) string {
	w.t.Helper()
	return w.Expect(0, append([]string{"apply", "-no-color", "-auto-approve"}, more...)...)
}

// Expect runs a command, expects its exit code, and gives its output.
func (w *Workspace) Expect(code int, args ...string) string {
	w.t.Helper()
	result, err := w.Run(w.t.Context(), args...)
	if err != nil {
		w.t.Fatal(err)
	}
	if result.Code != code {
		w.t.Fatalf("%s exits with %d, want %d:\n%s", strings.Join(args, " "), result.Code, code, result.Output)
	}
	return result.Output
}

// State is the text of the state file.
func (w *Workspace) State() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// Files are the texts of all files in the folder by their names, and of those in archives such as a plan, which are named
// behind the archive.
func (w *Workspace) Files() map[string]string {
	w.t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(w.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(w.Dir, path)
		if err != nil {
			return err
		}
		if archive, err := zip.OpenReader(path); err == nil {
			return errors.Join(unpack(&archive.Reader, name, texts), archive.Close())
		}
		text, err := os.ReadFile(path)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return texts
}

func unpack(archive *zip.Reader, name string, into map[string]string) error {
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		into[name+"/"+file.Name] = string(text)
	}
	return nil
}

// Says expects that a text says each of these, wherever its lines break.
func Says(t testing.TB, text string, wanted ...string) {
	t.Helper()
	flat := flatten(text)
	for _, want := range wanted {
		if !strings.Contains(flat, flatten(want)) {
			t.Errorf("this does not say %q:\n%s", want, text)
		}
	}
}

// Silent expects that a text says none of these.
func Silent(t testing.TB, text string, unwanted ...string) {
	t.Helper()
	flat := flatten(text)
	for _, word := range unwanted {
		if strings.Contains(flat, flatten(word)) {
			t.Errorf("this says %q:\n%s", word, text)
		}
	}
}

// flatten takes the CLI's boxes and line breaks out of a text.
func flatten(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\r│╷╵", r) }), " ")
}
