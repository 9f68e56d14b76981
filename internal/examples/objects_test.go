//go:build linux

package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// neighbors are the examples that declare what another one refers to.
var neighbors = map[string][]string{
	"resources/aktrust_ci_oidc_mapping": {"resources/aktrust_ci_oidc_provider"},
}

// What the reference shows of each object is valid by the provider's own schema.
func TestExamplesOfTheReferenceAreValid(t *testing.T) {
	for _, kind := range []string{"provider", "resources", "data-sources", "functions", "ephemeral-resources"} {
		for _, name := range objects(t, kind) {
			t.Run(name, func(t *testing.T) {
				w := acctest.NewWorkspace(t, "")
				copyInto(t, w, name)
				for _, neighbor := range neighbors[name] {
					copyInto(t, w, neighbor)
				}
				if strings.Contains(readFile(t, filepath.Join(w.Dir, "all.tf")), "required_providers") {
					write(t, w, "main.tf", "") // It says itself where the provider comes from.
				}
				if !knows(t, kind) {
					w.Expect(1, "validate", "-no-color")
					return
				}
				w.Expect(0, "validate", "-no-color")
			})
		}
	}
}

// objects are the directories of one kind.
func objects(t *testing.T, kind string) []string {
	t.Helper()
	if kind == "provider" {
		return []string{kind}
	}
	entries, err := os.ReadDir(directory(t, kind))
	if err != nil && !os.IsNotExist(err) { // The provider has none of this kind.
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		found = append(found, kind+"/"+entry.Name())
	}
	return found
}

// copyInto adds the configuration of an example to a workspace, and the files that it reads.
func copyInto(t *testing.T, w *acctest.Workspace, name string) {
	t.Helper()
	entries, err := os.ReadDir(directory(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text := readFile(t, directory(t, name, entry.Name()))
		switch filepath.Ext(entry.Name()) {
		case ".tf":
			all, err := os.ReadFile(filepath.Join(w.Dir, "all.tf"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			write(t, w, "all.tf", string(all)+text)
		case ".sh": // what to type
		default:
			write(t, w, entry.Name(), text)
		}
	}
}

// since are the versions from which OpenTofu and Terraform know what they did not always know.
var since = map[string]struct{ openTofu, terraform string }{
	"functions":           {"1.7.0", "1.8.0"},
	"ephemeral-resources": {"1.11.0", "1.10.0"},
}

// knows reports whether the CLI is new enough for a kind of object.
func knows(t *testing.T, kind string) bool {
	t.Helper()
	oldest, ok := since[kind]
	return !ok || newEnough(t, oldest.openTofu, oldest.terraform)
}
