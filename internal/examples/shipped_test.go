//go:build linux

package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// The CLI loads each directory with all its files, as a reader who copies it has them. It is what init does before it fetches the
// providers, which cannot be had here but for our own.
func TestExamplesLoadAsTheyAre(t *testing.T) {
	for _, name := range modulesOf(t) {
		t.Run(name, func(t *testing.T) {
			required, used := map[string]bool{}, map[string]bool{}
			for file, text := range files(t, name) {
				if filepath.Ext(file) == ".tf" {
					providersOf(t, name+"/"+file, text, required, used)
				}
			}
			same(t, "the providers that the directory requires, and those that it uses", used, required)
			if !runs(t, name) {
				return
			}
			w := acctest.NewWorkspace(t, "")
			copyNeighbors(t, name, filepath.Dir(w.Dir))
			for file, text := range files(t, name) {
				write(t, w, file, text)
			}
			w.Expect(0, "get", "-no-color")
		})
	}
}

// modulesOf are the directories that a reader runs the CLI in.
func modulesOf(t *testing.T) []string {
	t.Helper()
	names := []string{filepath.Join("many-clusters", "cluster"), manyClusters()}
	for name := range checked {
		if _, err := os.Stat(directory(t, name, "main.tf")); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// providersOf adds the providers that a file requires, and those that its blocks are of. A call of a module leaves them to that.
func providersOf(t *testing.T, file, text string, required, used map[string]bool) {
	t.Helper()
	config := parsed(t, file, text)
	for _, block := range config.Body().Blocks() {
		switch block.Type() {
		case "provider":
			used[block.Labels()[0]] = true
		case "resource", "data", "ephemeral":
			used[ownerOf(block)] = true
		case "module":
			used["aktrust"] = true
		case "terraform":
			for _, inner := range block.Body().Blocks() {
				for name := range inner.Body().Attributes() {
					if inner.Type() == "required_providers" {
						required[name] = true
					}
				}
			}
		}
	}
	delete(used, "terraform") // It is part of the CLI.
}

// ownerOf is the provider of an object, by its type.
func ownerOf(block *hclwrite.Block) string {
	name, _, _ := strings.Cut(block.Labels()[0], "_")
	return name
}

// needsOthers reports whether a file has blocks of other providers.
func needsOthers(t *testing.T, file, text string) bool {
	t.Helper()
	used := map[string]bool{}
	providersOf(t, file, text, map[string]bool{}, used)
	delete(used, "aktrust")
	return len(used) > 0
}

// withoutOthers takes the other providers out of what a file requires.
func withoutOthers(t *testing.T, file, text string) string {
	t.Helper()
	config := parsed(t, file, text)
	for _, block := range config.Body().Blocks() {
		for _, inner := range block.Body().Blocks() {
			for name := range inner.Body().Attributes() {
				if block.Type() == "terraform" && inner.Type() == "required_providers" && name != "aktrust" {
					inner.Body().RemoveAttribute(name)
				}
			}
		}
	}
	return string(config.Bytes())
}

func parsed(t *testing.T, file, text string) *hclwrite.File {
	t.Helper()
	config, diagnostics := hclwrite.ParseConfig([]byte(text), file, hcl.InitialPos)
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	return config
}
