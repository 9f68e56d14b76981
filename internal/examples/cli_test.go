//go:build linux

package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// newEnough reports whether the CLI is one of these versions or newer.
func newEnough(t *testing.T, openTofu, terraform string) bool {
	t.Helper()
	program, err := acctest.CLI()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), program, "version", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Version string `json:"terraform_version"` // OpenTofu's too
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	got, err := version.NewVersion(answer.Version)
	if err != nil {
		t.Fatal(err)
	}
	oldest := terraform
	if isOpenTofu() {
		oldest = openTofu
	}
	return got.Core().GreaterThanOrEqual(version.Must(version.NewVersion(oldest)))
}

// isOpenTofu reports which of the two the CLI is, as acctest.Main has found out.
func isOpenTofu() bool { return os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" }

var requiredVersion = regexp.MustCompile(`(?m)^  required_version = ">= ([0-9.]+)"$`)

// runs reports whether the CLI is one that an example asks for. An older one has to refuse the example, and does.
func runs(t *testing.T, name string) bool {
	t.Helper()
	required := requiredVersion.FindStringSubmatch(readFile(t, directory(t, name, "main.tf")))
	if required == nil {
		t.Fatalf("%s does not say which CLI it needs", name)
	}
	if newEnough(t, required[1], required[1]) {
		return true
	}
	exampleAsIs(t, name, nil).Expect(1, "validate", "-no-color")
	return false
}

// theirMocks are what an example's own tests say of other providers. It goes with the files that need these.
var theirMocks = regexp.MustCompile(`(?m)^mock_provider "(aws|azurerm|google|kubernetes|vault)" {}\n`)

// What a reader finds as tests of an example holds: they are run, with the provider mocked.
func TestExamplesTestThemselves(t *testing.T) {
	for _, name := range withTests(t) {
		t.Run(name, func(t *testing.T) {
			if !runs(t, name) {
				return
			}
			w := example(t, name, nil)
			if !newEnough(t, "1.8.0", "1.7.0") { // They know no mocks.
				w.Expect(0, "validate", "-no-color")
				return
			}
			for file, text := range files(t, name) {
				if strings.HasSuffix(file, ".tftest.hcl") {
					write(t, w, file, theirMocks.ReplaceAllString(text, ""))
				}
			}
			out := w.Expect(0, "test", "-no-color")
			acctest.Says(t, out, "Success! ", ", 0 failed.")
			acctest.Silent(t, out, "Success! 0 passed")
		})
	}
}

// withTests are the examples that have tests, but for the one that is written for the other CLI.
func withTests(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(directory(t, "*", "tests"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no example has tests (%v)", err)
	}
	var names []string
	for _, tests := range append(all, directory(t, manyClusters(), "tests")) {
		name, err := filepath.Rel(directory(t), filepath.Dir(tests))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
