package credentialproviderconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// What cannot work is an error of the plan, and the file stays as it is.
func TestEntriesThatCannotBePutIn(t *testing.T) {
	older := strings.Replace(eks, "kubelet.config.k8s.io/v1", "kubelet.config.k8s.io/v1beta1", 1)
	withToken := providers(entry(token()))
	w := acctest.NewWorkspace(t, "")
	path := filepath.Join(w.Dir, "config.json")
	for _, c := range []struct {
		name, before, config string
		wants                []string
	}{
		{"name of someone else", with(eksOurs), config("config.json", minimal, entries),
			[]string{`there is a provider "ak-kubelet-provider" already, on line 13`, `import aktrust_credential_provider_config.NAME "config.json"`}},
		{"the same entry twice", with(eksOurs), config("config.json", providers(plugin("other"), plugin("ak-kubelet-provider")), entries), []string{`providers[1]`, "somebody else's"}},
		{"older file", older, config("config.json", withToken, entries), []string{`unknown field "providers[0].tokenAttributes"`, "token_attributes"}},
		{"another version", older, config("config.json", minimal, entries, `api_version = "kubelet.config.k8s.io/v1"`), []string{"is of version kubelet.config.k8s.io/v1beta1", "Leave api_version out"}},
		{"emptied", "", config("config.json", minimal, entries), []string{"is not one that the kubelet starts with", "Object 'Kind' is missing"}},
		{"no provider", replaced(eks, eks[strings.Index(eks, "\n    {"):strings.LastIndex(eks, "\n  ]")], ""), config("config.json", minimal, entries), []string{"at least 1 item in plugins is required"}},
		{"not JSON", eks + "}", config("config.json", minimal, entries), []string{"invalid character '}' after top-level value"}},
		{"not UTF-8", gke + "# \xff", config("config.json", minimal, entries), []string{"line 13: not valid UTF-8"}},
		{"large", gke + strings.Repeat("#", 10<<20), config("config.json", minimal, entries), []string{"has 10486036 bytes, more than the 1048576 of which"}},
		{"a text that would become longer", strings.TrimSuffix(gke, "\n\n# the end\n") + "\n  args:\n  - |\n    text", config("config.json", minimal, entries),
			[]string{"cannot be changed in place", "plain block style"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, path, c.before)
			w.Config(c.config)
			acctest.Says(t, w.Plan(1), c.wants...)
			if got := read(t, path); got != c.before {
				t.Errorf("the file holds\n%s", got)
			}
		})
	}
}

// Something else in the place of the file is left alone.
func TestEntriesOfWhatIsNoFile(t *testing.T) {
	w := acctest.NewWorkspace(t, "")
	write(t, filepath.Join(w.Dir, "target.json"), eks)
	if err := os.Symlink("target.json", filepath.Join(w.Dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.Dir, "directory.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"link.json": "is a symbolic link to target.json", "directory.json": "is a directory", "../config.json": `has ".." in it`,
		"target.json/config.json": "not a directory",
	} {
		w.Config(config(path, minimal, entries))
		acctest.Says(t, w.Plan(1), want)
	}
	if got := read(t, filepath.Join(w.Dir, "target.json")); got != eks {
		t.Errorf("the target holds\n%s", got)
	}
}

// A file of others that is bent is reported: not written again, and not taken for gone.
func TestTheFileOfOthersIsNotWrittenAgain(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	ours := read(t, path)
	for _, bent := range []string{"", ours[:len(ours)-9], ours + "\xff"} {
		write(t, path, bent)
		wants := []string{"is not one that the kubelet starts with", "put back what was there before"}
		acctest.Says(t, w.Plan(1), append(wants, "The state stays as it was", "Cannot plan the credential provider config config.json")...)
		acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve", "-refresh=false"), wants...)
		acctest.Says(t, w.Expect(1, "destroy", "-no-color", "-auto-approve", "-refresh=false"), append(wants, "Cannot delete the credential provider config config.json")...)
		// A refresh alone does not lose what is known.
		acctest.Says(t, w.Expect(0, "apply", "-no-color", "-auto-approve", "-refresh-only"), wants...)
		if got := read(t, path); got != bent {
			t.Errorf("the file holds\n%s", got)
		}
		write(t, path, ours)
		acctest.Silent(t, w.Plan(0), "Warning")
	}
}

// A file of others that goes away shows in the plan, and is not made again.
func TestTheFileOfOthersIsNotMadeAgain(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	ours := read(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wants := []string{"The file is gone", "let go of this resource"}
	acctest.Says(t, w.Plan(2), append(wants, "The state stays as it was", "config_hash")...)
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve", "-refresh=false"), append(wants, "Cannot update the credential provider config config.json")...)
	acctest.Says(t, w.Expect(0, "apply", "-no-color", "-auto-approve", "-refresh-only"), wants...)
	write(t, path, ours)
	acctest.Silent(t, w.Plan(0), "Warning")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	// What is gone need not be taken out.
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
}

// The kubelet exits on a file without a provider: none is left behind, and no file of others is removed.
func TestTheLastEntryIsNotTakenOut(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	ours := read(t, path)
	alone := replaced(ours, ours[strings.Index(ours, "\n    {"):strings.Index(ours, ",\n    {\n")+1], "")
	write(t, path, alone)
	w.Plan(0)
	acctest.Says(t, w.Expect(1, "destroy", "-no-color", "-auto-approve"), "provider would be left in the file", "Put another provider into the file")
	w.Config(config("config.json", providers(), entries))
	acctest.Says(t, w.Plan(1), "provider would be left in the file")
	if got := read(t, path); got != alone {
		t.Errorf("the file holds\n%s", got)
	}

	w = acctest.NewWorkspace(t, config("made.json", providers(), entries))
	acctest.Says(t, w.Plan(1), "There is no file yet")
	w.Config(config("made.json", minimal, entries))
	w.Apply()
	w.Config(config("made.json", providers(), entries))
	acctest.Says(t, w.Plan(1), "destroy the resource")
	// Others may join in a file of ours, and it becomes theirs when we go.
	path = filepath.Join(w.Dir, "made.json")
	write(t, path, with(eksOurs))
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	if got := read(t, path); got != eks {
		t.Errorf("the file holds\n%s", got)
	}
}

// An entry that was edited behind the back of a plan is not taken out: nobody has seen what is in it.
func TestDestroyLeavesAnEntryThatNobodyHasSeen(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", minimal, entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	w.Apply()
	edited := replaced(read(t, path), "ak.test", "hours-of-work.test")
	write(t, path, edited)
	acctest.Says(t, w.Expect(1, "destroy", "-no-color", "-auto-approve", "-refresh=false"), "left as it is", "Plan again")
	if got := read(t, path); got != edited {
		t.Errorf("the file holds\n%s", got)
	}
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	if got := read(t, path); got != eks {
		t.Errorf("the file holds\n%s", got)
	}
}

func TestEntriesWithUnknownValues(t *testing.T) {
	w := acctest.NewWorkspace(t, unknown+config("config.json", providers(entry("name = "+later+".name"), plugin("ecr-credential-provider")), entries))
	path := filepath.Join(w.Dir, "config.json")
	write(t, path, eks)
	acctest.Says(t, w.Plan(1), `there is a provider "ecr-credential-provider" already`)

	w.Config(unknown + config("config.json", providers(entry("name = "+later+".name"), plugin("second")), entries) +
		replaced(config("other.json", minimal, "manage = "+later+".yes ? \"entries\" : \"file\""), `"test"`, `"other"`) +
		replaced(replaced(config("", minimal, entries), `""`, later+".path"), `"test"`, `"path"`))
	acctest.Says(t, w.Plan(2), "content = (known after apply)", "config_hash = (known after apply)", "api_version = (known after apply)")
	w.Apply()
	w.Plan(0)
	found, err := kubeletconfig.Parse([]byte(read(t, path)))
	if err != nil || len(found.Providers) != 3 {
		t.Errorf("%v: the file holds\n%s", err, read(t, path))
	}
}

// An import takes the whole file; with entries, the others are let go of and stay.
func TestEntriesAreImportedWithTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	write(t, path, with(eksOurs))
	importBlock := "import {\n  to = " + address + "\n  id = \"" + path + "\"\n}\n"
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             holding(path, eks),
		Steps: []resource.TestStep{
			{
				Config: importBlock + config(path, minimal, entries),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{expectChanged{"manage", "providers"}},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: holding(path, with(eksOurs)),
			},
			{
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"manage", "providers", "providers.#", "providers.0.name", "providers.0.match_images"},
			},
		},
	})
}

// Who manages more or less of a file than before is told what becomes of the others' providers.
func TestFromTheFileToEntriesAndBack(t *testing.T) {
	w := acctest.NewWorkspace(t, config("config.json", providers(plugin("ak-kubelet-provider"), plugin("ecr"))))
	path := filepath.Join(w.Dir, "config.json")
	w.Apply()
	both := read(t, path)
	w.Config(config("config.json", minimal, entries))
	acctest.Says(t, w.Plan(2), "Providers that are managed no longer", "somebody else's from now on: ecr")
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")
	if got := read(t, path); got != both {
		t.Errorf("the file holds\n%s", got)
	}
	w.Config(config("config.json", minimal))
	acctest.Says(t, w.Plan(2), "Providers of others are removed", "are removed: ecr")
	w.Apply()
	w.Plan(0)
	if got := read(t, path); strings.Contains(got, "ecr") {
		t.Errorf("the file holds\n%s", got)
	}
}
