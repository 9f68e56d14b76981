package credentialproviderconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// eks is the file that nodeadm writes.
const eks = `{
  "apiVersion": "kubelet.config.k8s.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [
    {
      "name": "ecr-credential-provider",
      "matchImages": [
        "*.dkr.ecr.*.amazonaws.com"
      ],
      "defaultCacheDuration": "12h",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }
  ]
}
`

// eksOurs is what stands in it of ours.
const eksOurs = `,
    {
      "name": "ak-kubelet-provider",
      "matchImages": [
        "ak.test"
      ],
      "defaultCacheDuration": "12h0m0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }`

// gke is a file that people write.
const gke = `# kept by the platform team
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig

providers:
- name: gcp   # from the image
  matchImages: ["gcr.io", "*.gcr.io"]

  defaultCacheDuration: 1m
  apiVersion: credentialprovider.kubelet.k8s.io/v1 # stable

# the end
`

const entries = `manage = "entries"`

// with returns eks with more behind its provider.
func with(more string) string { return replaced(eks, "\n    }\n  ]", "\n    }"+more+"\n  ]") }

// holding expects the file to hold this content.
func holding(path, want string) resource.TestCheckFunc { return disk(path, want, 0o644) }

// The life of entries in a file of others: put in, changed in place, one added, one taken out, all taken out.
func TestLifeOfEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	write(t, path, eks)
	changed := replaced(eksOurs, `"apiVersion": "credentialprovider.kubelet.k8s.io/v1"`, `"apiVersion": "credentialprovider.kubelet.k8s.io/v1",
      "args": [
        "-v"
      ]`)
	second := replaced(eksOurs, "ak-kubelet-provider", "second")
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             holding(path, eks),
		Steps: []resource.TestStep{
			{
				Config: config(path, minimal, entries), ConfigPlanChecks: action(plancheck.ResourceActionCreate), Check: holding(path, with(eksOurs)),
				ConfigStateChecks: []statecheck.StateCheck{
					value("content", knownvalue.StringExact(with(eksOurs))), value("api_version", knownvalue.StringExact(kubeletconfig.FileV1)),
					value("config_hash", knownvalue.StringExact(kubeletconfig.Hash([]byte(with(eksOurs))))), value("providers", knownvalue.ListSizeExact(1)),
				},
			},
			{
				Config:           config(path, providers(plugin("ak-kubelet-provider", `args = ["-v"]`), plugin("second")), entries),
				ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holding(path, with(changed+second)),
			},
			{ // The order among ours is that of the configuration.
				Config:           config(path, providers(plugin("second"), plugin("ak-kubelet-provider", `args = ["-v"]`)), entries),
				ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holding(path, with(second+changed)),
			},
			{ // All that means the same plans nothing.
				Config: config(path, providers(plugin("second", `args = []`), plugin("ak-kubelet-provider", `args = ["-v"]`)), entries, `bin_dir = "/opt/bin"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{expectChanged{"bin_dir", "kubelet_args", "providers"}},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: holding(path, with(second+changed)),
			},
			{
				Config:           config(path, providers(plugin("second")), entries),
				ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holding(path, with(second)),
			},
			{
				Config:           config(path, providers(), entries),
				ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holding(path, eks),
			},
			{Config: config(path, minimal, entries), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holding(path, with(eksOurs))},
		},
	})
}

// What belongs to the others of a YAML file stays as it is to the byte, its permissions included.
func TestEntriesLeaveTheFileOfOthersAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for name, before := range map[string]string{
		"as people write it": gke, "without a line break at the end": strings.TrimSuffix(gke, "\n\n# the end\n"), "CRLF": strings.ReplaceAll(gke, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, before)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Providers,
				CheckDestroy:             disk(path, before, 0o640),
				Steps: []resource.TestStep{
					{
						Config: config(path, full, entries), ConfigPlanChecks: empty,
						Check: func(*terraform.State) error { return disk(path, read(t, path), 0o640)(nil) },
					},
					{Config: config(path, minimal, entries), ConfigPlanChecks: empty},
				},
			})
		})
	}
}

// Where there is no file, one is made, and taken away again.
func TestEntriesOfAFileThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "config.yaml")
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             absent(path),
		Steps: []resource.TestStep{
			{Config: config(path, minimal, entries), ConfigPlanChecks: empty, Check: disk(path, minimalYAML, 0o644)},
			{ // Somebody takes it away.
				PreConfig: func() {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				},
				Config: config(path, minimal, entries), ConfigPlanChecks: action(plancheck.ResourceActionCreate), Check: disk(path, minimalYAML, 0o644),
			},
		},
	})
}

// Drift is what others do to our entries, and nothing else.
func TestDriftIsWhatHappensToOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	write(t, path, eks)
	others := strings.NewReplacer(`"12h"`, `"6h"`, "\"providers\"", "\n  \"providers\"")
	step := func(edit func(string) string, checks resource.ConfigPlanChecks, want string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { write(t, path, edit(read(t, path))) },
			Config:    config(path, minimal, entries), ConfigPlanChecks: checks, Check: holding(path, want),
		}
	}
	replace := func(old, replacement string) func(string) string {
		return func(text string) string { return replaced(text, old, replacement) }
	}
	first := tfjsonpath.New("providers").AtSliceIndex(0)
	back := func(name string, at tfjsonpath.Path, before knownvalue.Check) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate), expectPrior{name, at, before},
			},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}
	}
	ours := others.Replace(with(eksOurs))
	run(t,
		resource.TestStep{Config: config(path, minimal, entries), ConfigPlanChecks: empty},
		step(others.Replace, unchanged, ours),
		resource.TestStep{ // The refresh has followed.
			Config: config(path, minimal, entries), ConfigPlanChecks: unchanged,
			ConfigStateChecks: []statecheck.StateCheck{value("content", knownvalue.StringExact(ours)),
				value("config_hash", knownvalue.StringExact(kubeletconfig.Hash([]byte(ours))))},
		},
		step(replace(`"ak.test"`, `"evil.test"`), back("image", first.AtMapKey("match_images").AtSliceIndex(0), knownvalue.StringExact("evil.test")), ours),
		step(replace(eksOurs, ""), back("entry", tfjsonpath.New("providers"), knownvalue.ListSizeExact(0)), ours),
		step(func(string) string { return with(replaced(eksOurs, "12h0m0s", "720m")) }, unchanged, with(replaced(eksOurs, "12h0m0s", "720m"))),
	)
}

// An entry that was lost and comes back is known again, whatever the state said meanwhile.
func TestAnEntryThatComesBackIsOurs(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	ours := read(t, path)
	write(t, path, eks)
	w.Expect(0, "apply", "-no-color", "-auto-approve", "-refresh-only")
	w.Plan(2)
	write(t, path, ours)
	w.Plan(0)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	if got := read(t, path); got != eks {
		t.Errorf("the file holds\n%s", got)
	}
}

// The kubelet reads the first document only, which is said where something is put into it, and in a value for a base.
func TestFurtherDocumentsAreIgnored(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.yaml", minimal, entries))
	path := filepath.Join(w.Dir, "config.yaml")
	two := gke + "---\n" + gke
	write(t, path, two)
	acctest.Says(t, w.Plan(2), "Warning: A part of the file is ignored", "several YAML documents")
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")
	w.Config(rendering(minimal, "base = "+acctest.HCL(two)) + "output \"warnings\" {\n  value = data." + address + ".warnings\n}\n")
	w.Apply()
	acctest.Says(t, w.Expect(0, "output", "-no-color"), "base: the text has several YAML documents")
}

// A replacement takes the entries out and puts them in again.
func TestEntriesAreReplaced(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	w.Apply("-replace=" + address)
	if got := read(t, path); got != with(eksOurs) {
		t.Errorf("the file holds\n%s", got)
	}
	w.Config(config("other.json", minimal, entries))
	w.Apply()
	if got := read(t, path); got != eks {
		t.Errorf("the old file holds\n%s", got)
	}
	w.Plan(0)
}

// Several resources on one file keep each other's entries, in one apply, in any order, whoever made the file.
func TestResourcesOnOneFile(t *testing.T) {
	several := func(path string, names ...string) string {
		var text strings.Builder
		for _, name := range names {
			text.WriteString(replaced(config(path, providers(plugin(name)), entries), `"test"`, `"`+name+`"`))
		}
		return text.String()
	}
	names := []string{"a", "b", "c", "d", "e"}
	for _, before := range []string{eks, ""} {
		w := acctest.NewWorkspace(t, several("config.json", names...))
		path := filepath.Join(w.Dir, "config.json")
		if before != "" {
			write(t, path, before)
		}
		w.Apply()
		w.Plan(0)
		found, err := kubeletconfig.Parse([]byte(read(t, path)))
		if err != nil || len(found.Providers) < len(names) {
			t.Fatalf("%v, the file holds\n%s", err, read(t, path))
		}
		w.Config(several("config.json", "a", "b"))
		w.Apply()
		w.Plan(0)
		w.Expect(0, "destroy", "-no-color", "-auto-approve")
		if before == "" {
			if err := absent(path)(nil); err != nil {
				t.Error(err)
			}
		} else if got := read(t, path); got != before {
			t.Errorf("the file holds\n%s", got)
		}
	}
}
