package credentialproviderconfig_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// rendering is a configuration of the data source with these lines.
func rendering(lines ...string) string {
	return "data \"aktrust_credential_provider_config\" \"test\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

func base(text string) string { return "base = " + acctest.HCL(text) }

func rendered(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data."+address, tfjsonpath.New(name), want)
}

func exactly(text string) knownvalue.Check { return knownvalue.StringExact(text) }

func hashOf(text string) knownvalue.Check { return exactly(kubeletconfig.Hash([]byte(text))) }

const minimalJSON = `{
  "apiVersion": "kubelet.config.k8s.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [
    {
      "name": "ak-kubelet-provider",
      "matchImages": [
        "ak.test"
      ],
      "defaultCacheDuration": "12h0m0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }
  ]
}
`

func TestRendering(t *testing.T) {
	run(t,
		resource.TestStep{
			Config: rendering(minimal), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				rendered("yaml", exactly(minimalYAML)), rendered("yaml_config_hash", hashOf(minimalYAML)),
				rendered("json", exactly(minimalJSON)), rendered("json_config_hash", hashOf(minimalJSON)),
				rendered("kubelet_args", knownvalue.ListExact(nil)), rendered("warnings", knownvalue.ListExact(nil)),
				rendered("entries_yaml", knownvalue.MapExact(map[string]knownvalue.Check{
					"ak-kubelet-provider": exactly("name: ak-kubelet-provider\nmatchImages:\n  - ak.test\ndefaultCacheDuration: 12h0m0s\n" +
						"apiVersion: credentialprovider.kubelet.k8s.io/v1\n"),
				})),
				rendered("entries_json", knownvalue.MapExact(map[string]knownvalue.Check{
					"ak-kubelet-provider": exactly("{\n  \"name\": \"ak-kubelet-provider\",\n  \"matchImages\": [\n    \"ak.test\"\n  ],\n" +
						"  \"defaultCacheDuration\": \"12h0m0s\",\n  \"apiVersion\": \"credentialprovider.kubelet.k8s.io/v1\"\n}\n"),
				})),
			},
		},
		resource.TestStep{
			Config: rendering(full, `config_path = "/etc/kubernetes/p.yaml"`, `bin_dir = "/opt/bin"`), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				rendered("yaml", exactly(fullYAML)), rendered("entries_json", knownvalue.MapSizeExact(2)),
				rendered("kubelet_args", knownvalue.ListExact([]knownvalue.Check{
					exactly("--image-credential-provider-config=/etc/kubernetes/p.yaml"), exactly("--image-credential-provider-bin-dir=/opt/bin"),
				})),
			},
		},
		resource.TestStep{
			Config: rendering(minimal, `api_version = "kubelet.config.k8s.io/v1beta1"`, `config_path = "/p"`), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				rendered("yaml", exactly(replaced(minimalYAML, "config.k8s.io/v1", "config.k8s.io/v1beta1"))),
				rendered("kubelet_args", knownvalue.ListExact([]knownvalue.Check{exactly("--image-credential-provider-config=/p")})),
			},
		},
	)
}

// What the resource writes is what the data source renders.
func TestRenderingIsWhatIsWritten(t *testing.T) {
	for _, format := range []string{"yaml", "json"} {
		path := t.TempDir() + "/config." + format
		run(t, resource.TestStep{
			Config: rendering(full) + config(path, full), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.CompareValuePairs("data."+address, tfjsonpath.New(format), address, tfjsonpath.New("content"), same{}),
				statecheck.CompareValuePairs("data."+address, tfjsonpath.New(format+"_config_hash"), address, tfjsonpath.New("config_hash"), same{}),
			},
		})
	}
}

// same expects two values to be equal.
type same struct{}

func (same) CompareValues(values ...any) error {
	if values[0] != values[1] {
		return fmt.Errorf("%v differs from %v", values[0], values[1])
	}
	return nil
}

// A base keeps its words in its own format, and its meaning in the other.
func TestBaseIsExtended(t *testing.T) {
	gkeOurs := replaced(gke, "# stable\n", "# stable\n- name: ak-kubelet-provider\n  matchImages:\n    - ak.test\n  defaultCacheDuration: 12h0m0s\n"+
		"  apiVersion: credentialprovider.kubelet.k8s.io/v1\n")
	asYAML := "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  - name: ecr-credential-provider\n" +
		"    matchImages:\n      - '*.dkr.ecr.*.amazonaws.com'\n    defaultCacheDuration: 12h0m0s\n    apiVersion: credentialprovider.kubelet.k8s.io/v1\n" +
		strings.SplitAfter(minimalYAML, "providers:\n")[1]
	run(t,
		resource.TestStep{
			Config: rendering(minimal, base(eks)), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				rendered("json", exactly(with(eksOurs))), rendered("json_config_hash", hashOf(with(eksOurs))),
				rendered("yaml", exactly(asYAML)), rendered("yaml_config_hash", hashOf(asYAML)), rendered("entries_yaml", knownvalue.MapSizeExact(1)),
			},
		},
		resource.TestStep{
			Config: rendering(minimal, base(gke)), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{rendered("yaml", exactly(gkeOurs))},
		},
		resource.TestStep{ // One of the same name is replaced in its place.
			Config: rendering(providers(plugin("gcp")), base(gkeOurs)), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{rendered("yaml", exactly(replaced(gkeOurs, `name: gcp   # from the image
  matchImages: ["gcr.io", "*.gcr.io"]

  defaultCacheDuration: 1m
`, `name: gcp
  matchImages:
    - ak.test
  defaultCacheDuration: 12h0m0s
`)))},
		},
		resource.TestStep{ // Nothing is added.
			Config: rendering(providers(), base(gke)), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{rendered("yaml", exactly(gke)), rendered("entries_json", knownvalue.MapSizeExact(0))},
		},
		resource.TestStep{
			Config: rendering(minimal, base(replaced(eks, "io/v1", "io/v1alpha1"))), ConfigPlanChecks: empty,
			ConfigStateChecks: []statecheck.StateCheck{rendered("json", exactly(replaced(with(eksOurs), "io/v1", "io/v1alpha1")))},
		},
	)
}

func TestWhatCannotBeRendered(t *testing.T) {
	w := acctest.NewWorkspace(t, "")
	for _, c := range []struct {
		name, config string
		wants        []string
	}{
		{"no provider", rendering(providers()), []string{"at least 1 item in plugins is required"}},
		{"no images", rendering(providers(entry("match_images = []"))), []string{"at least 1 item in matchImages is required"}},
		{"half a provider", rendering(`providers = [{ name = "ak" }]`), []string{"match_images", "required"}},
		{"null for a provider", rendering(providers("null")), []string{"null"}},
		{"token in an older file", rendering(`api_version = "kubelet.config.k8s.io/v1beta1"`, providers(entry(token()))), []string{`unknown field "providers[0].tokenAttributes"`}},
		{"token in an older base", rendering(base(replaced(eks, "io/v1", "io/v1beta1")), providers(entry(token()))), []string{"providers[0].token_attributes", `unknown field "providers[0].tokenAttributes"`}},
		{"another version", rendering(base(eks), `api_version = "kubelet.config.k8s.io/v1beta1"`, minimal), []string{"the base is of version kubelet.config.k8s.io/v1"}},
		{"empty base", rendering(base(""), minimal), []string{"Object 'Kind' is missing", "apiVersion: kubelet.config.k8s.io/v1"}},
		{"base of something else", rendering(base("kind: Pod\napiVersion: v1\n"), minimal), []string{`no kind "Pod" is registered`}},
		{"base with a wrong member", rendering(base(replaced(gke, "matchImages", "matchImage")), minimal), []string{"line 6 of this base", `unknown field "providers[0].matchImage"`, "spelling"}},
		{"base with a wrong value", rendering(base(replaced(gke, "defaultCacheDuration: 1m", "defaultCacheDuration: -1m")), minimal), []string{"line 6 of this base", "must be greater than or equal to 0", `"0s"`}},
		{"base that is no YAML", rendering(base(replaced(gke, "kind:", " kind:")), minimal), []string{"yaml: line 3"}},
		{"base that is no JSON", rendering(base(replaced(eks, `"12h",`, `"12h"`)), minimal), []string{"line 11 of this base", "invalid character"}},
		{"large base", rendering("base = join(\"\", [for i in range(1024) : format(\"%1100s\", i)])", minimal), []string{"has 1126400 bytes, more than the 1048576"}},
		{"base that cannot be changed", rendering(base(strings.TrimSuffix(gke, "\n\n# the end\n")+"\n  args:\n  - |\n    text"), minimal), []string{"Cannot extend the base", "cannot be changed in place"}},
		{"empty path", rendering(minimal, `config_path = ""`), []string{"must not be empty"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.Config(c.config)
			acctest.Says(t, w.Plan(1), c.wants...)
		})
	}
}

// A data source is read in every plan, so that what is odd comes as a value.
func TestRenderingWarnsInAValue(t *testing.T) {
	w := acctest.NewWorkspace(t, rendering(providers(entry(`match_images = ["ak.test/*"]`)))+
		"output \"warnings\" {\n  value = data."+address+".warnings\n}\n")
	acctest.Silent(t, w.Apply(), "Warning")
	acctest.Silent(t, w.Plan(0), "Warning")
	acctest.Says(t, w.Expect(0, "output", "-no-color"), "providers[0].match_images[0]: a * in the path is a literal star")
}

// With something unknown it is read at apply, and what is known is checked while planning.
func TestRenderingOfUnknownValues(t *testing.T) {
	w := acctest.NewWorkspace(t, unknown+rendering(providers(entry("name = "+later+".name", `match_images = ["ak.test:*"]`))))
	acctest.Says(t, w.Plan(1), "invalid port")
	later3 := "[for k in " + later + ".keys : { name = k, match_images = [\"ak.test\"], default_cache_duration = \"1h\" }]"
	for _, lines := range [][]string{
		{providers(entry("name = " + later + ".name"))}, {"providers = " + later3},
		{providers(later + ".yes ? { name = \"a\", match_images = [\"x.test\"], default_cache_duration = \"1h\" } : null")},
		{providers(), "base = jsonencode(merge(jsondecode(" + acctest.HCL(eks) + "), " + later + ".yes ? {} : {}))"},
	} {
		w.Config(unknown + rendering(lines...) + "output \"yaml\" {\n  value = data." + address + ".yaml\n}\n")
		w.Plan(2)
		w.Apply()
		w.Plan(0)
	}
}

// Only what is used of it makes a plan change: the rendering itself never does.
func TestRenderingChangesNothingByItself(t *testing.T) {
	run(t,
		resource.TestStep{Config: rendering(minimal)},
		resource.TestStep{Config: rendering(full), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}

// The example of the documentation works as it stands there.
func TestExampleOfTheDataSource(t *testing.T) {
	const dir = "../../examples/data-sources/aktrust_credential_provider_config/"
	w := acctest.NewWorkspace(t, read(t, dir+"data-source.tf"))
	before := read(t, dir+"config.json")
	write(t, filepath.Join(w.Dir, "config.json"), before)
	w.Apply()
	merged := w.Expect(0, "output", "-no-color", "-raw", "config_json")
	if !strings.HasPrefix(merged, strings.TrimSuffix(before, "\n  ]\n}\n")+",\n") {
		t.Errorf("the base is not as it was:\n%s", merged)
	}
	found, err := kubeletconfig.Parse([]byte(merged))
	if err != nil || len(found.Providers) != 2 {
		t.Errorf("%v: %+v", err, found)
	}
}
