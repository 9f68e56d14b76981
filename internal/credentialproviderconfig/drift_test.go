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
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// What someone else does to the file shows in the plan, in the attribute that it is about, and apply takes it back.
func TestChangesOutsideAreShownAndTakenBack(t *testing.T) {
	first := func(name string) tfjsonpath.Path {
		return tfjsonpath.New("providers").AtSliceIndex(0).AtMapKey(name)
	}
	replace := func(old, replacement string) func(string) string {
		return func(text string) string { return replaced(text, old, replacement) }
	}
	appended := func(more string) func(string) string { return func(text string) string { return text + more } }
	all := func(content string) func(string) string { return func(string) string { return content } }
	path := filepath.Join(t.TempDir(), "config.yaml")
	steps := []resource.TestStep{{Config: config(path, full), ConfigPlanChecks: empty}}
	for _, c := range []struct {
		name string
		edit func(string) string
		at   tfjsonpath.Path
		want knownvalue.Check
	}{
		{"image", replace("- ak.test", "- other.test"), first("match_images").AtSliceIndex(0), knownvalue.StringExact("other.test")},
		{"duration", replace("1h30m0s", "6h"), first("default_cache_duration"), knownvalue.StringExact("6h")},
		{"version of a plugin", replace("kubelet.k8s.io/v1beta1", "kubelet.k8s.io/v1alpha1"),
			tfjsonpath.New("providers").AtSliceIndex(1).AtMapKey("api_version"), knownvalue.StringExact("credentialprovider.kubelet.k8s.io/v1alpha1")},
		{"argument", replace("--url=https://ak.test", "--url=https://evil.test"), first("args").AtSliceIndex(0), knownvalue.StringExact("--url=https://evil.test")},
		{"environment", replace("value: info", "value: debug"), first("env").AtMapKey("AK_LOG"), knownvalue.StringExact("debug")},
		{"audience", replace("Audience: artifact-keeper", "Audience: other"),
			first("token_attributes").AtMapKey("service_account_token_audience"), knownvalue.StringExact("other")},
		{"requirement", replace("requireServiceAccount: true\n      requiredServiceAccountAnnotationKeys:\n        - ak.test/role", "requireServiceAccount: false"),
			first("token_attributes").AtMapKey("require_service_account"), knownvalue.Bool(false)},
		{"provider added", appended("  - name: x\n    matchImages: [x.test]\n    defaultCacheDuration: 1m\n    apiVersion: credentialprovider.kubelet.k8s.io/v1\n"),
			tfjsonpath.New("providers"), knownvalue.ListSizeExact(3)},
		{"comment", appended("# a remark\n"), tfjsonpath.New("content"), knownvalue.StringExact(fullYAML + "# a remark\n")},
		{"second document", appended("---\n"), tfjsonpath.New("content"), knownvalue.StringExact(fullYAML + "---\n")},
		{"refused by the kubelet", replace("cacheType: ServiceAccount", "cacheType: Pod"), first("token_attributes").AtMapKey("cache_type"),
			knownvalue.StringExact("Pod")},
		{"not even YAML", all("{"), tfjsonpath.New("content"), knownvalue.StringExact("{")},
		{"not even text", all("\xff"), tfjsonpath.New("content"), knownvalue.StringExact("\uFFFD")},
		{"emptied", all(""), tfjsonpath.New("content"), knownvalue.StringExact("")},
	} {
		steps = append(steps,
			resource.TestStep{
				PreConfig:    func() { write(t, path, c.edit(fullYAML)) },
				RefreshState: true, ExpectNonEmptyPlan: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					// The plan starts from what was found.
					expectPrior{c.name, c.at, c.want},
				}},
			},
			resource.TestStep{Config: config(path, full), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: disk(path, fullYAML, 0o644)},
		)
	}
	run(t, steps...)
}

// An edit that leaves the meaning as it is shows as content alone: no attribute changes its words.
func TestAnEditOfFormShowsAsContentAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	run(t,
		resource.TestStep{Config: config(path, replaced(full, `"1h30m"`, `"90m"`)), ConfigPlanChecks: empty},
		resource.TestStep{
			PreConfig: func() {
				write(t, path, replaced(replaced(fullYAML, "1h30m0s", "5400s"), "    args: []\n", "")+"# end\n")
			},
			RefreshState: true, ExpectNonEmptyPlan: true,
		},
		resource.TestStep{
			Config: config(path, replaced(full, `"1h30m"`, `"90m"`)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				expectChanged{"content", "config_hash"},
			}},
			Check:             disk(path, fullYAML, 0o644),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("providers").AtSliceIndex(0).AtMapKey("default_cache_duration"), knownvalue.StringExact("90m"))},
		},
	)
}

func TestPermissionsOutsideAreTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	run(t,
		resource.TestStep{Config: config(path, minimal), ConfigPlanChecks: empty},
		resource.TestStep{
			PreConfig: func() {
				if err := os.Chmod(path, 0o666); err != nil {
					t.Error(err)
				}
			},
			Config: config(path, minimal),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				expectPrior{"permissions", tfjsonpath.New("file_permission"), knownvalue.StringExact("0666")}, expectChanged{"file_permission"},
			}},
			Check: disk(path, minimalYAML, 0o644),
		},
	)
}

func TestDeletedFileComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "config.yaml")
	run(t,
		resource.TestStep{Config: config(path, minimal), ConfigPlanChecks: empty},
		resource.TestStep{
			PreConfig: func() {
				if err := os.RemoveAll(filepath.Dir(path)); err != nil {
					t.Error(err)
				}
			},
			Config: config(path, minimal), ConfigPlanChecks: action(plancheck.ResourceActionCreate), Check: disk(path, minimalYAML, 0o644),
		},
	)
}

func TestSomethingElseInThePlaceOfTheFileIsAnError(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	swap := func(put func() error) func() {
		return func() {
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
			if err := put(); err != nil {
				t.Error(err)
			}
		}
	}
	run(t,
		resource.TestStep{Config: config(path, minimal), ConfigPlanChecks: empty},
		resource.TestStep{
			PreConfig: swap(func() error { return os.Symlink("elsewhere.yaml", path) }),
			Config:    config(path, minimal), ExpectError: regexp.MustCompile(`(?s)a\s+symbolic\s+link\s+to\s+elsewhere\.yaml.*the\s+path\s+that\s+the\s+link`),
		},
		resource.TestStep{
			PreConfig: swap(func() error { return os.Mkdir(path, 0o700) }),
			Config:    config(path, minimal), ExpectError: regexp.MustCompile(`is\s+a\s+directory`),
		},
		resource.TestStep{
			PreConfig: swap(func() error { return os.WriteFile(path, []byte(minimalYAML), 0o600) }),
			Config:    config(path, minimal), ConfigPlanChecks: empty, Check: disk(path, minimalYAML, 0o644),
		},
	)
}

// What the kubelet would say of a file that someone bent comes as a warning, and holds nothing up.
func TestBentFileIsExplained(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.yaml", full))
	path := filepath.Join(w.Dir, "config.yaml")
	acctest.Silent(t, w.Apply(), "Warning")

	write(t, path, replaced(fullYAML, "cacheType: ServiceAccount", "cacheType: Pod"))
	acctest.Says(t, w.Plan(2), "would not start with the file as it is now",
		`providers.tokenAttributes.cacheType: Unsupported value: "Pod"`, "Applying writes the file again")
	write(t, path, strings.Replace(fullYAML, "matchImages", "matchImage", 1))
	acctest.Says(t, w.Plan(2), `unknown field "providers[0].matchImage"`)
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")
	if got := read(t, path); got != fullYAML {
		t.Errorf("the file holds\n%s", got)
	}
}

// A file that was edited behind the back of a plan is not deleted: nobody has seen what is in it.
func TestDestroyLeavesAFileThatNobodyHasSeen(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.yaml", minimal))
	path := filepath.Join(w.Dir, "config.yaml")
	w.Apply()
	write(t, path, minimalYAML+"# hours of work\n")
	acctest.Says(t, w.Expect(1, "destroy", "-no-color", "-auto-approve", "-refresh=false"),
		"does not hold what it held when it was last read", "left as it is", "Plan again")
	if got := read(t, path); !strings.Contains(got, "hours of work") {
		t.Errorf("the file holds\n%s", got)
	}
	// With a refresh, the plan shows what is going to be lost.
	acctest.Says(t, w.Expect(0, "plan", "-no-color", "-destroy"), "hours of work")
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	if err := absent(path)(nil); err != nil {
		t.Error(err)
	}
}
