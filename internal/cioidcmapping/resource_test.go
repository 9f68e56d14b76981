package cioidcmapping_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "aktrust_ci_oidc_mapping.test"

// world is a registry with what a mapping refers to.
type world struct {
	*emulator.Server
	provider, other string // ids of two providers
	groups, repos   []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: acctest.Registry(t, emulator.Options{})}
	for i, id := range []*string{&w.provider, &w.other} {
		p, err := w.AddProvider(emulator.Provider{Name: fmt.Sprint("cluster", i), ProviderType: "kubernetes",
			IssuerURL: fmt.Sprint("https://oidc.example.com/", i), Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
		if err != nil {
			t.Fatal(err)
		}
		*id = p.ID
	}
	for i := range 3 {
		w.groups = append(w.groups, w.AddGroup(fmt.Sprint("group", i), "").ID)
		w.repos = append(w.repos, w.AddRepository(emulator.Repository{Key: fmt.Sprint("repo", i), Format: "docker"}).ID)
	}
	return w
}

// config gives the configuration of one mapping. Each argument replaces that of a minimal mapping; an empty one removes it.
func (w *world) config(arguments map[string]string) string {
	all := map[string]string{"provider_id": acctest.HCL(w.provider), "name": `"team"`,
		"claim_filters": `{ "/kubernetes.io/namespace" = "team" }`}
	maps.Copy(all, arguments)
	var lines []string
	for name, value := range all {
		if value != "" {
			lines = append(lines, "  "+name+" = "+value)
		}
	}
	return acctest.ProviderBlock(w.Server) + "resource \"aktrust_ci_oidc_mapping\" \"test\" {\n" + strings.Join(lines, "\n") + "\n}\n"
}

// list gives ids as an HCL list.
func list(ids ...string) string {
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = acctest.HCL(id)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// minimal is how the registry holds the mapping of config without arguments.
func (w *world) minimal() emulator.Mapping {
	return emulator.Mapping{ProviderID: w.provider, Name: "team", Priority: 100, IsEnabled: true,
		ClaimFilters: json.RawMessage(`{"/kubernetes.io/namespace":"team"}`)}
}

// same compares a mapping of the registry whole, id and times aside.
func same(got, want emulator.Mapping) error {
	if !acctest.SameJSON(string(got.ClaimFilters), string(want.ClaimFilters)) {
		return fmt.Errorf("claim_filters is %s, want %s", got.ClaimFilters, want.ClaimFilters)
	}
	for _, ids := range [][]string{got.AllowedRepoIDs, got.GroupBindingIDs, want.AllowedRepoIDs, want.GroupBindingIDs} {
		slices.Sort(ids) // Sets have no order.
	}
	want.ID, want.CreatedAt, want.UpdatedAt, want.ClaimFilters = got.ID, got.CreatedAt, got.UpdatedAt, got.ClaimFilters
	if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want); g != w {
		return fmt.Errorf("the registry has\n%s, want\n%s", g, w)
	}
	return nil
}

// remote compares the registry's one mapping.
func (w *world) remote(want emulator.Mapping) resource.TestCheckFunc {
	return func(*terraform.State) error {
		all := w.State().Mappings
		if len(all) != 1 {
			return fmt.Errorf("the registry has %d mappings, want 1", len(all))
		}
		return same(all[0], want)
	}
}

func (w *world) gone(*terraform.State) error {
	if n := len(w.State().Mappings); n != 0 {
		return fmt.Errorf("the registry still has %d mappings", n)
	}
	return nil
}

func value(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want)
}

var (
	emptyAfter  = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	emptyBefore = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
)

func importStep(id string) resource.TestStep {
	step := resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: id}
	if id == "" {
		step.ImportStateIdFunc = func(s *terraform.State) (string, error) {
			attributes := s.RootModule().Resources[address].Primary.Attributes
			return attributes["provider_id"] + "/" + attributes["id"], nil
		}
	}
	return step
}

// The life of a mapping: made with defaults, every attribute set, changed and cleared, imported at each step.
func TestLife(t *testing.T) {
	w := newWorld(t)
	minimal := w.minimal()
	full := emulator.Mapping{ProviderID: w.provider, Name: "team/2", Priority: -5,
		ClaimFilters:    json.RawMessage(`{"sub":["a","b"],"/n":1,"/b":true,"/o":{"x":null}}`),
		AllowedRepoIDs:  []string{w.repos[0], w.repos[1]},
		GroupBindingIDs: []string{w.groups[2]}}
	arguments := map[string]string{"name": `"team/2"`, "priority": "-5", "is_enabled": "false",
		"claim_filters":    `{ sub = ["a", "b"], "/n" = 1, "/b" = true, "/o" = { x = null } }`,
		"allowed_repo_ids": list(w.repos[0], w.repos[1]), "group_binding_ids": list(w.groups[2])}
	reordered := map[string]string{"name": `"team/2"`, "priority": "-5", "is_enabled": "false",
		"provider_id":      acctest.HCL(strings.ToUpper(w.provider)),
		"claim_filters":    `jsonencode({ "/o" = { x = null }, "/b" = true, "/n" = 1, sub = ["b", "a"] })`,
		"allowed_repo_ids": list(strings.ToUpper(w.repos[1]), w.repos[0]), "group_binding_ids": list(strings.ToUpper(w.groups[2]))}
	denied := minimal
	denied.AllowedRepoIDs, denied.GroupBindingIDs = []string{}, []string{}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             w.gone,
		Steps: []resource.TestStep{
			{
				Config: w.config(nil), ConfigPlanChecks: emptyAfter, Check: w.remote(minimal),
				ConfigStateChecks: []statecheck.StateCheck{
					value("priority", knownvalue.Int32Exact(100)), value("is_enabled", knownvalue.Bool(true)),
					value("allowed_repo_ids", knownvalue.Null()), value("group_binding_ids", knownvalue.Null()),
					value("service_account_username", knownvalue.NotNull()), value("service_account_id", knownvalue.NotNull()),
				},
			},
			importStep(""), importStep("name:cluster0/team"),
			{Config: w.config(arguments), ConfigPlanChecks: emptyAfter, Check: w.remote(full)},
			importStep(""), importStep("name:cluster0/team/2"),
			{Config: w.config(reordered), ConfigPlanChecks: emptyBefore},
			{
				Config:           w.config(map[string]string{"allowed_repo_ids": "[]", "group_binding_ids": "[]"}),
				ConfigPlanChecks: emptyAfter, Check: w.remote(denied),
			},
			importStep(""),
			{Config: w.config(nil), ConfigPlanChecks: emptyAfter, Check: w.remote(minimal)},
			importStep(""),
		},
	})
}

// null, the empty list and a list are three things from the first request on.
func TestCreateLists(t *testing.T) {
	for _, c := range []struct {
		argument string
		want     func(*world) []string
	}{
		{"", func(*world) []string { return nil }},
		{"null", func(*world) []string { return nil }},
		{"[]", func(*world) []string { return []string{} }},
		{"one", func(w *world) []string { return []string{w.groups[0]} }},
	} {
		t.Run(c.argument, func(t *testing.T) {
			w := newWorld(t)
			argument := c.argument
			if argument == "one" {
				argument = list(w.groups[0])
			}
			want := w.minimal()
			want.GroupBindingIDs = c.want(w)
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Providers,
				Steps: []resource.TestStep{{
					Config:           w.config(map[string]string{"group_binding_ids": argument}),
					ConfigPlanChecks: emptyAfter, Check: w.remote(want),
				}},
			})
		})
	}
}

// Another provider is another mapping and another account.
func TestReplace(t *testing.T) {
	w := newWorld(t)
	moved := w.minimal()
	moved.ProviderID = w.other
	account := statecheck.CompareValue(differs{})
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{
			{
				Config:            w.config(nil),
				ConfigStateChecks: []statecheck.StateCheck{account.AddStateValue(address, tfjsonpath.New("service_account_username"))},
			},
			{
				Config: w.config(map[string]string{"provider_id": acctest.HCL(w.other)}), Check: w.remote(moved),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)}},
				ConfigStateChecks: []statecheck.StateCheck{account.AddStateValue(address, tfjsonpath.New("service_account_username"))},
			},
		},
	})
}

// differs compares values that must all differ.
type differs struct{}

func (differs) CompareValues(values ...any) error {
	seen := map[any]bool{}
	for _, v := range values {
		if seen[v] {
			return fmt.Errorf("%v stands twice", v)
		}
		seen[v] = true
	}
	return nil
}
