package credentialproviderconfig_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// The life of a file: made with defaults, every attribute changed, cleared again, moved, and imported at each step.
func TestLife(t *testing.T) {
	root := t.TempDir()
	path, moved := filepath.Join(root, "made", "for", "it", "config.yaml"), filepath.Join(root, "moved", "config.json")
	args := func(path string, bin ...string) statecheck.StateCheck {
		want := []knownvalue.Check{knownvalue.StringExact("--image-credential-provider-config=" + path)}
		for _, dir := range bin {
			want = append(want, knownvalue.StringExact("--image-credential-provider-bin-dir="+dir))
		}
		return value("kubelet_args", knownvalue.ListExact(want))
	}
	changed := []string{full, `bin_dir = "/usr/local/bin"`, `file_permission = "600"`, `directory_permission = "0750"`, `manage = "file"`,
		`api_version = "kubelet.config.k8s.io/v1"`}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             absent(path, moved),
		Steps: []resource.TestStep{
			{
				Config: config(path, minimal), ConfigPlanChecks: empty, Check: disk(path, minimalYAML, 0o644),
				ConfigStateChecks: []statecheck.StateCheck{
					value("id", knownvalue.StringExact(path)), value("manage", knownvalue.StringExact("file")),
					value("api_version", knownvalue.StringExact(kubeletconfig.FileV1)), value("bin_dir", knownvalue.Null()),
					value("file_permission", knownvalue.StringExact("0644")), value("directory_permission", knownvalue.StringExact("0755")),
					value("content", knownvalue.StringExact(minimalYAML)),
					value("config_hash", knownvalue.StringExact(kubeletconfig.Hash([]byte(minimalYAML)))), args(path),
				},
			},
			imported(),
			{
				Config: config(path, changed...), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: disk(path, fullYAML, 0o600),
				ConfigStateChecks: []statecheck.StateCheck{
					value("file_permission", knownvalue.StringExact("600")), value("content", knownvalue.StringExact(fullYAML)),
					args(path, "/usr/local/bin"),
				},
			},
			{ // All that means the same plans nothing.
				Config:           config(root+"/made/./for/it//config.yaml", replacing(changed, 0, replaced(full, `"1h30m"`, `"1h30m0s"`), 2, `file_permission = "0600"`)...),
				ConfigPlanChecks: unchanged,
			},
			{ // Everything back to its default.
				Config: config(path, minimal), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: disk(path, minimalYAML, 0o644),
				ConfigStateChecks: []statecheck.StateCheck{value("bin_dir", knownvalue.Null()), args(path)},
			},
			{
				Config: config(moved, full), ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate),
				Check:             resource.ComposeAggregateTestCheckFunc(absent(path), isJSON(moved)),
				ConfigStateChecks: []statecheck.StateCheck{value("id", knownvalue.StringExact(moved)), args(moved)},
			},
			imported(),
		},
	})
}

// A change of what does not stand in the file leaves the file alone: a node watches its time of change for restarts.
func TestFileIsWrittenOnlyWhenItChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	var before os.FileInfo
	run(t,
		resource.TestStep{Config: config(path, minimal), Check: stat(path, &before)},
		resource.TestStep{
			Config: config(path, minimal, `bin_dir = "/opt/bin"`, `directory_permission = "0700"`), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: sameFile(path, &before),
		},
	)
}

func TestCreateLeavesTheFileOfSomeoneElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "theirs")
	run(t,
		resource.TestStep{Config: config(path, minimal), ExpectError: regexp.MustCompile(`(?s)is\s+there\s+already.*import\s+aktrust_credential_provider_config\.NAME`)},
		resource.TestStep{
			PreConfig: func() {
				if got := read(t, path); got != "theirs" {
					t.Errorf("the file now holds %s", got)
				}
				// The very same content is nobody's loss. Only the permissions are set.
				write(t, path, minimalYAML)
				if err := os.Chmod(path, 0o600); err != nil {
					t.Error(err)
				}
			},
			Config: config(path, minimal), ConfigPlanChecks: empty, Check: disk(path, minimalYAML, 0o644),
		},
	)
}

func TestCreateSaysWhyItCannot(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "file"), "x")
	if err := os.Symlink("/no/such/target", filepath.Join(root, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "directory.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"link.yaml":        `a\s+symbolic\s+link\s+to\s+/no/such/target`,
		"directory.yaml":   `is\s+a\s+directory`,
		"file/config.yaml": `not\s+a\s+directory`,
	} {
		run(t, resource.TestStep{Config: config(filepath.Join(root, path), minimal), ExpectError: regexp.MustCompile(want)})
	}
}

func TestImportByIdentityAndByPath(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, filepath.Join(root, "broken.yaml"), "nothing: of the kind")
	wrong := func(id, want string) resource.TestStep {
		return resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: id, ExpectError: regexp.MustCompile(want),
		}
	}
	run(t,
		resource.TestStep{Config: config(path, full), ConfigPlanChecks: empty},
		imported(),
		wrong(filepath.Join(root, "absent.yaml"), `no\s+such\s+file`),
		wrong(root, `is\s+a\s+directory`),
		wrong("../config.yaml", `has\s+"\.\."\s+in\s+it`),
		wrong(filepath.Join(root, "broken.yaml"), `Object\s+'Kind'\s+is\s+missing`),
	)
}

// A file that a person wrote is imported as it is, comments and all, and planning it changes nothing.
func TestImportKeepsTheWordsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	const handwritten = "# ours since 2024\n{apiVersion: kubelet.config.k8s.io/v1, kind: CredentialProviderConfig, providers: [\n" +
		"  {name: ak-kubelet-provider, matchImages: [ak.test], defaultCacheDuration: 720m, apiVersion: credentialprovider.kubelet.k8s.io/v1}]}\n"
	write(t, path, handwritten)
	importBlock := "import {\n  to = " + address + "\n  id = \"" + path + "\"\n}\n"
	run(t,
		resource.TestStep{Config: importBlock + config(path, minimal), ConfigPlanChecks: empty, Check: disk(path, handwritten, 0o644)},
		resource.TestStep{Config: config(path, minimal), ConfigPlanChecks: unchanged},
		resource.TestStep{ // What changes is written in our words.
			Config:           config(path, providers(plugin("ak-kubelet-provider", `args = ["-v"]`))),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            disk(path, minimalYAML+"    args:\n      - -v\n", 0o644),
		},
		resource.TestStep{ // The words that were imported are accepted no more.
			PreConfig: func() { write(t, path, handwritten) },
			Config:    config(path, minimal), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: disk(path, minimalYAML, 0o644),
		},
	)
}

// What a file does not tell is planned after an import, and leaves the file alone.
func TestImportIsFollowedByWhatTheFileDoesNotTell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, minimalYAML)
	var before os.FileInfo
	if err := stat(path, &before)(nil); err != nil {
		t.Fatal(err)
	}
	run(t, resource.TestStep{
		Config: "import {\n  to = " + address + "\n  id = \"" + path + "\"\n}\n" +
			config(path, minimal, `bin_dir = "/opt/bin"`, `directory_permission = "0700"`),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{expectChanged{"bin_dir", "directory_permission", "kubelet_args"}},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		Check: sameFile(path, &before),
	})
}

// Two resources of one apply cannot slip past each other: one of them writes the file, the other says that it is there.
func TestOneFileHasOneOwner(t *testing.T) {
	other := strings.Replace(config("config.yaml", full), `"test"`, `"other"`, 1)
	w := acctest.NewWorkspace(t, config("config.yaml", minimal)+other)
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "is there already and holds something else")
	if got := read(t, filepath.Join(w.Dir, "config.yaml")); got != minimalYAML && got != fullYAML {
		t.Errorf("the file holds\n%s", got)
	}
}
