package mappingsexclusive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// Bad input is refused while planning, and nothing is asked of the registry.
func TestRefused(t *testing.T) {
	w := newWorld(t)
	a := fmt.Sprintf("%q", w.other)
	provider := fmt.Sprintf("%q", w.provider)
	for _, c := range []struct {
		name, provider, set string
		says                []string
	}{
		{"null provider", "null", "[]", []string{"provider_id"}},
		{"empty provider", `""`, "[]", []string{"provider_id", "UUID"}},
		{"provider by name", `"cluster0"`, "[]", []string{"provider_id", "UUID"}},
		{"null set", provider, "null", []string{"mapping_ids", "required"}},
		{"null element", provider, "[null]", []string{"mapping_ids", "null"}},
		{"empty element", provider, `[""]`, []string{"mapping_ids", "UUID"}},
		{"no id", provider, `["team"]`, []string{"mapping_ids", "UUID"}},
		{"twice", provider, fmt.Sprintf("[%s, upper(%s)]", a, a), []string{"UUID named twice"}},
		{"foreign written", provider, "[]\n  foreign_mappings = []", []string{"foreign_mappings"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.configure(exclusiveOf(c.provider, c.set))
			acctest.Says(t, w.Plan(1), c.says...)
		})
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests to the registry", n)
	}
}

// An id that leads to no mapping of the provider is worth a warning: the mapping that was meant is foreign.
func TestIDOfNothing(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	for _, ids := range [][]string{{a.ID, w.other}, {w.other}} { // On creation, and on a change.
		quoted := make([]string, len(ids))
		for i, id := range ids {
			quoted[i] = acctest.HCL(id)
		}
		w.configure(w.exclusive(quoted...))
		acctest.Says(t, w.Plan(2), "Warning: Mappings that are not there", w.other)
		w.Apply()
	}
	acctest.Silent(t, w.Plan(2), "Warning: Mappings that are not there")
	w.has("a")
}

// The case of UUIDs and the order of the set are no change, also not of the provider.
func TestSpelling(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("a"), w.add("b")
	w.configure(exclusiveOf(acctest.HCL(w.provider), fmt.Sprintf("[%q, %q]", a.ID, b.ID)))
	w.Apply()
	w.configure(exclusiveOf(acctest.HCL(strings.ToUpper(w.provider)), fmt.Sprintf("[upper(%q), %q]", b.ID, strings.ToUpper(a.ID))))
	w.Plan(0)
	w.has("a", "b")
}

const later = `
variable "value" { default = null }
resource "terraform_data" "later" { input = { value = var.value } }
`

// What is unknown while planning is neither refused nor foreign, as a whole or in a part, at the creation and later.
func TestUnknown(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	const from = "terraform_data.later.output.value"
	own := acctest.HCL(a.ID)
	for _, c := range []struct {
		name, provider, set, value string
		ok                         bool
		says                       string
	}{
		{"provider", from, "[" + own + "]", w.provider, true, ""},
		{"provider turns out no id", from, "[" + own + "]", "cluster0", false, "UUID"},
		{"an element", acctest.HCL(w.provider), "[" + from + "]", a.ID, true, ""},
		{"an element turns out null", acctest.HCL(w.provider), "[" + own + ", " + from + "]", "", false, "null"},
		{"an element turns out no id", acctest.HCL(w.provider), "[" + from + "]", "a", false, "UUID"},
		{"the set", acctest.HCL(w.provider), `toset(split(",", ` + from + "))", a.ID, true, ""},
		{"the set turns out null", acctest.HCL(w.provider), from + " == null ? null : [" + own + "]", "", false, "mapping_ids"},
		{"the set turns out empty", acctest.HCL(w.other), `[for v in split(",", ` + from + `) : v if v != ""]`, "", true,
			"Nobody gets in by this provider"},
	} {
		t.Run(c.name, func(t *testing.T) {
			space := acctest.NewWorkspace(t, acctest.ProviderBlock(w.Server)+later+exclusiveOf(c.provider, c.set))
			vars := []string{"-var=value=" + c.value}
			if c.value == "" && !c.ok {
				vars = nil
			}
			acctest.Silent(t, space.Plan(2, vars...), "Warning: ")
			if !c.ok {
				acctest.Says(t, space.Expect(1, append([]string{"apply", "-no-color", "-auto-approve"}, vars...)...), c.says)
				return
			}
			acctest.Says(t, space.Apply(vars...), c.says)
			space.Plan(0, vars...)
		})
		w.has("a")
	}
}

// The set of an existing resource may become unknown; its mappings are not deleted for that.
func TestSetBecomesUnknown(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("a"), w.add("b")
	w.configure(w.exclusive(acctest.HCL(a.ID), acctest.HCL(b.ID)))
	w.Apply()
	w.configure(later, w.exclusiveSet(`split(",", terraform_data.later.output.value)`))
	value := "-var=value=" + a.ID
	acctest.Silent(t, w.Plan(2, value), "Warning: ")
	w.Apply(value)
	w.has("a", "b")
	acctest.Says(t, w.Plan(2, value), `- "b: every token"`, deleted)
}

// While the provider's own configuration is unknown, the plan keeps what the last refresh knew, and asks nothing.
func TestUnknownConfiguration(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	w.configure(w.exclusive(acctest.HCL(a.ID)))
	w.Apply()
	w.add("rogue")
	w.Expect(0, "refresh", "-no-color")
	w.Config(later + fmt.Sprintf("locals {\n  ca = <<-EOT\n%s\nEOT\n}\nprovider \"aktrust\" {\n  endpoint = terraform_data.later.output.value\n"+
		"  token = %q\n  ca_certificate = local.ca\n}\n", w.CACertificate(), w.Token()) + w.exclusive(acctest.HCL(a.ID)))
	w.ResetRequests()
	value := "-var=value=" + w.URL()
	acctest.Says(t, w.Plan(2, value), "Drift was not checked", `- "rogue: every token"`, deleted)
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests while the configuration is unknown", n)
	}
	w.Apply(value)
	w.has("a")
	w.Plan(0, value)
}

// An import takes every mapping that is there for one's own, and plans nothing.
func TestImport(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("a"), w.add("b")
	config := acctest.ProviderBlock(w.Server) + w.exclusive(acctest.HCL(a.ID), acctest.HCL(b.ID))
	provider := func(*terraform.State) (string, error) { return strings.ToUpper(w.provider), nil }
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{Config: config, ResourceName: address, ImportState: true, ImportStateIdFunc: provider, ImportStatePersist: true},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateIdFunc: provider},
		},
	})
	w.configure(w.exclusive())
	for id, says := range map[string]string{"cluster0": "give the UUID", a.ID: "non-existent", w.provider + "/" + a.ID: "give the UUID"} {
		acctest.Says(t, w.Expect(1, "import", "-no-color", address, id), says)
	}
}

// An import and the set that is written go together in one apply.
func TestImportIntoASmallerSet(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	w.add("rogue")
	w.configure(w.exclusive(acctest.HCL(a.ID)), fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, w.provider))
	acctest.Silent(t, w.Plan(2), deleted)
	w.Apply()
	w.has("a", "rogue")
	acctest.Says(t, w.Plan(2), `- "rogue: every token"`, deleted)
}
