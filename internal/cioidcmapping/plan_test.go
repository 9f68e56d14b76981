package cioidcmapping_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// Bad input is refused while planning, in words that name the argument, and nothing is asked of the registry.
func TestRefused(t *testing.T) {
	cases := []struct {
		name      string
		arguments map[string]string
		says      []string
	}{
		{"provider id", map[string]string{"provider_id": `"prod"`}, []string{"provider_id", "UUID"}},
		{"no name", map[string]string{"name": `""`}, []string{"name must not be empty. Write a name for people"}},
		{"no filters", map[string]string{"claim_filters": ""}, []string{"claim_filters", "required"}},
		{"null filters", map[string]string{"claim_filters": "null"}, []string{"claim_filters"}},
		{"a list", map[string]string{"claim_filters": `["team"]`}, []string{"Invalid claim filters"}},
		{"not JSON", map[string]string{"claim_filters": `"team"`}, []string{"Invalid claim filters"}},
		{"JSON list", map[string]string{"claim_filters": `jsonencode(["team"])`}, []string{"Invalid claim filters"}},
		{"JSON null", map[string]string{"claim_filters": `jsonencode(null)`}, []string{"Invalid claim filters"}},
		{"bad escape", map[string]string{"claim_filters": `{ "/a~2b" = "x" }`}, []string{"Invalid claim filters", "~"}},
		{"trailing escape", map[string]string{"claim_filters": `{ "/a~" = "x" }`}, []string{"Invalid claim filters", "~"}},
		{"repo id", map[string]string{"allowed_repo_ids": `["team"]`}, []string{"UUID"}},
		{"null group", map[string]string{"group_binding_ids": `[null]`}, []string{"Invalid UUID", "null"}},
		{"priority", map[string]string{"priority": "2147483648"}, []string{"priority has to be a whole number from -2147483648", "and is 2147483648"}},
		{"fraction", map[string]string{"priority": "1.5"}, []string{"priority has to be a whole number", "and is 1.5"}},
	}
	w := newWorld(t)
	space := acctest.NewWorkspace(t, "")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			space.Config(w.config(c.arguments))
			acctest.Says(t, space.Expect(1, "plan", "-no-color"), c.says...)
		})
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests to the registry", n)
	}
}

// A warning comes with the plan that makes the change, and with no later one.
func TestWarnings(t *testing.T) {
	cases := []struct {
		name      string
		arguments map[string]string
		says      string // empty for no warning
	}{
		{"granted", map[string]string{}, ""},
		{"every membership stripped", map[string]string{"group_binding_ids": "[]"}, ""},
		{"no groups", map[string]string{"group_binding_ids": ""}, "The mapping grants nothing"},
		{"a ceiling is no grant", map[string]string{"group_binding_ids": "", "allowed_repo_ids": "[]"}, "is a ceiling and grants nothing"},
		{"no repository", map[string]string{"allowed_repo_ids": "[]"}, "Every repository is denied"},
		{"no repository, and no ceiling", map[string]string{"allowed_repo_ids": "null"}, ""},
		{"no repository of a mapping that is shut", map[string]string{"allowed_repo_ids": "[]", "is_enabled": "false"}, ""},
		{"a claim that no token has", map[string]string{"claim_filters": `{ "/kubernetes.io/namespaces" = "team" }`}, `No token of a Kubernetes cluster has "/kubernetes.io/namespaces"`},
		{"a number", map[string]string{"claim_filters": `{ "/kubernetes.io/namespace" = 5 }`}, "never equal"},
		{"an account of any namespace", map[string]string{"claim_filters": `jsonencode({ "/kubernetes.io/serviceaccount/name" = "app" })`}, `"app" of every namespace`},
		{"every token", map[string]string{"claim_filters": "{}"}, "match every token"},
		{"every token, as text", map[string]string{"claim_filters": `"{}"`}, "match every token"},
		{"one of nothing", map[string]string{"claim_filters": `{ sub = [] }`}, "never matches"},
		{"null", map[string]string{"claim_filters": `{ sub = null }`}, "every token without this claim"},
		{"null among others", map[string]string{"claim_filters": `{ sub = ["a", null] }`}, "every token without this claim"},
		{"dotted key", map[string]string{"claim_filters": `{ "kubernetes.io.namespace" = "team" }`}, `"/kubernetes.io/namespace"`},
		{"a part of the object", map[string]string{"claim_filters": `{ "kubernetes.io" = { namespace = "team" } }`}, `"/kubernetes.io/namespace"`},
		{"an object of one's own", map[string]string{"claim_filters": `{ "/custom" = { namespace = "team" } }`}, ""},
		{"no leading slash", map[string]string{"claim_filters": `{ "kubernetes.io/namespace" = "team" }`}, `"/kubernetes.io/namespace"`},
	}
	w := newWorld(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			arguments := map[string]string{"group_binding_ids": list(w.groups[0])}
			maps.Copy(arguments, c.arguments)
			space := acctest.NewWorkspace(t, w.config(arguments))
			planned := space.Plan(2)
			if c.says != "" {
				acctest.Says(t, planned, "Warning: ", c.says)
			} else {
				acctest.Silent(t, planned, "Warning: ")
			}
			space.Apply()
			acctest.Silent(t, space.Plan(0), "Warning: ")
		})
	}
	t.Run("account replaced", func(t *testing.T) {
		space := acctest.NewWorkspace(t, w.config(map[string]string{"group_binding_ids": list(w.groups[0])}))
		space.Apply()
		space.Config(w.config(map[string]string{"group_binding_ids": list(w.groups[0]), "provider_id": acctest.HCL(w.other)}))
		acctest.Says(t, space.Plan(2), "Warning: ", "The account is replaced with the mapping", "ci-")
	})
	t.Run("another type of provider", func(t *testing.T) {
		if err := w.UpdateProvider(w.other, func(p *emulator.Provider) { p.ProviderType = "gitlab" }); err != nil {
			t.Fatal(err)
		}
		space := acctest.NewWorkspace(t, w.config(map[string]string{"provider_id": acctest.HCL(w.other)}))
		acctest.Silent(t, space.Plan(2), "Warning: ")
	})
}

const later = `
variable "value" { default = null }
resource "terraform_data" "later" { input = { value = var.value } }
`

// What is unknown while planning is neither refused nor absent, as a whole or in a part.
func TestUnknown(t *testing.T) {
	w := newWorld(t)
	const from = "terraform_data.later.output.value"
	group := list(w.groups[0])
	cases := []struct {
		name      string
		arguments map[string]string
		value     string
		ok        bool
		says      string
		want      func(*emulator.Mapping)
	}{
		{"provider", map[string]string{"provider_id": from}, w.provider, true, "", nil},
		{"provider turns out no id", map[string]string{"provider_id": from}, "prod", false, "UUID", nil},
		{"filters as text", map[string]string{"claim_filters": from}, `{"/kubernetes.io/namespace":"team"}`, true, "", nil},
		{"filters turn out {}", map[string]string{"claim_filters": from}, "{}", true, "match every token",
			func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage("{}") }},
		{"filters turn out wrong", map[string]string{"claim_filters": from}, "[]", false, "Invalid claim filters", nil},
		{"a filter's value", map[string]string{"claim_filters": `{ "/kubernetes.io/namespace" = ` + from + ` }`}, "team", true, "", nil},
		{"a filter's value turns out null", map[string]string{"claim_filters": `{ sub = ` + from + ` }`}, "", true, "every token without this claim",
			func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage(`{"sub":null}`) }},
		{"name", map[string]string{"name": from}, "named", true, "", func(m *emulator.Mapping) { m.Name = "named" }},
		{"name turns out empty", map[string]string{"name": "coalesce(" + from + `, "") == "x" ? "x" : ""`}, "", false, "name", nil},
		{"is_enabled", map[string]string{"is_enabled": from}, "false", true, "", func(m *emulator.Mapping) { m.IsEnabled = false }},
		{"is_enabled turns out null", map[string]string{"is_enabled": from}, "", true, "", nil},
		{"one of a filter's values", map[string]string{"claim_filters": `{ sub = ["a", ` + from + `] }`}, "b", true, "",
			func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage(`{"sub":["a","b"]}`) }},
		{"a group", map[string]string{"group_binding_ids": "[" + from + "]"}, w.groups[0], true, "", nil},
		{"a group turns out no id", map[string]string{"group_binding_ids": "[" + from + "]"}, "x", false, "UUID", nil},
		{"groups turn out null", map[string]string{"group_binding_ids": from}, "", true, "The mapping grants nothing",
			func(m *emulator.Mapping) { m.GroupBindingIDs = nil }},
		{"repositories turn out empty", map[string]string{"allowed_repo_ids": "slice([" + from + "], 0, " + from + ` == "x" ? 0 : 1)`}, "x", true, "Every repository is denied",
			func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{} }},
		{"repositories turn out null", map[string]string{"allowed_repo_ids": from}, "", true, "", nil},
		{"priority", map[string]string{"priority": from}, "7", true, "", func(m *emulator.Mapping) { m.Priority = 7 }},
		{"priority turns out a fraction", map[string]string{"priority": from}, "1.5", false, "and is 1.5", nil},
		{"priority turns out null", map[string]string{"priority": from}, "", true, "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range w.State().Mappings {
				if err := w.DeleteMapping(m.ID); err != nil {
					t.Fatal(err)
				}
			}
			arguments := map[string]string{"group_binding_ids": group}
			maps.Copy(arguments, c.arguments)
			space := acctest.NewWorkspace(t, later+w.config(arguments))
			var vars []string
			if c.value != "" {
				vars = []string{"-var=value=" + c.value}
			}
			acctest.Silent(t, space.Plan(2, vars...), "Warning: ")
			if !c.ok {
				acctest.Says(t, space.Expect(1, slices.Concat([]string{"apply", "-no-color", "-auto-approve"}, vars)...), c.says)
				if n := len(w.State().Mappings); n != 0 {
					t.Errorf("the registry has %d mappings", n)
				}
				return
			}
			acctest.Says(t, space.Apply(vars...), c.says)
			acctest.Silent(t, space.Plan(0, vars...), "Warning: ")
			want := w.minimal()
			want.GroupBindingIDs = []string{w.groups[0]}
			if c.want != nil {
				c.want(&want)
			}
			if err := same(w.State().Mappings[0], want); err != nil {
				t.Error(err)
			}
		})
	}
}

// Everything that someone changes behind our back shows in the next plan, and one apply takes it back.
func TestDrift(t *testing.T) {
	w := newWorld(t)
	space := acctest.NewWorkspace(t, w.config(map[string]string{
		"allowed_repo_ids": list(w.repos[0]), "group_binding_ids": list(w.groups[0], w.groups[1])}))
	space.Apply()
	before := w.State().Mappings[0]
	changes := []struct {
		says   []string
		change func(*emulator.Mapping)
	}{
		{[]string{`~ name = "other" -> "team"`}, func(m *emulator.Mapping) { m.Name = "other" }},
		{[]string{`~ priority = 1 -> 100`}, func(m *emulator.Mapping) { m.Priority = 1 }},
		{[]string{`~ is_enabled = false -> true`}, func(m *emulator.Mapping) { m.IsEnabled = false }},
		{[]string{`~ claim_filters`, `+ "/kubernetes.io/namespace" = "team"`}, func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage(`{}`) }},
		{[]string{`~ claim_filters`, "team", "everyone"}, func(m *emulator.Mapping) {
			m.ClaimFilters = json.RawMessage(`{"/kubernetes.io/namespace":["team","everyone"]}`)
		}},
		{[]string{`+ allowed_repo_ids`}, func(m *emulator.Mapping) { m.AllowedRepoIDs = nil }},
		{[]string{`allowed_repo_ids`, `+ "` + w.repos[0]}, func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{} }},
		{[]string{`- "` + w.groups[2]}, func(m *emulator.Mapping) { m.GroupBindingIDs = w.groups }},
		{[]string{`+ group_binding_ids`}, func(m *emulator.Mapping) { m.GroupBindingIDs = nil }},
	}
	for _, c := range changes {
		if err := w.UpdateMapping(before.ID, c.change); err != nil {
			t.Fatal(err)
		}
		acctest.Says(t, space.Plan(2), c.says...)
		space.Apply()
		space.Plan(0)
		if err := same(w.State().Mappings[0], before); err != nil {
			t.Errorf("after %s: %s", c.says, err)
		}
	}
	if err := w.DeleteMapping(before.ID); err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, space.Plan(2), "1 to add")
	space.Apply()
	space.Plan(0)
	if err := w.DeleteProvider(w.provider); err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, space.Plan(2), "1 to add")
}

// A bad import says which forms there are.
func TestImportRefused(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		m := w.minimal()
		m.Name = "twice"
		if _, err := w.AddMapping(m); err != nil {
			t.Fatal(err)
		}
	}
	space := acctest.NewWorkspace(t, w.config(nil))
	for id, says := range map[string]string{
		"team":                        "give PROVIDER_ID/MAPPING_ID",
		"a/b":                         "give PROVIDER_ID/MAPPING_ID",
		"name:cluster0":               "give PROVIDER_ID/MAPPING_ID",
		"name:nowhere/team":           `no CI OIDC provider named "nowhere"`,
		"name:cluster0/nobody":        `no identity mapping named "nobody"`,
		"name:cluster0/twice":         `more than one identity mapping named "twice"`,
		w.provider + "/" + w.other:    "non-existent",
		strings.Repeat("x/", 3) + "y": "give PROVIDER_ID/MAPPING_ID",
	} {
		acctest.Says(t, space.Expect(1, "import", "-no-color", address, id), says)
	}
}
