package cioidcmapping_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

type object = map[string]any

// listing gives the configuration of the list of a provider's mappings, and an output that holds it.
func listing(w *world, providerID string) string {
	return acctest.ProviderBlock(w.Server) + "data \"aktrust_ci_oidc_mappings\" \"test\" {\n  provider_id = " + providerID +
		"\n}\noutput \"test\" { value = data.aktrust_ci_oidc_mappings.test.mappings }\n"
}

func listed(t *testing.T, space *acctest.Workspace) []object {
	t.Helper()
	space.Apply()
	space.Plan(0)
	var value []object
	if err := json.Unmarshal([]byte(space.Expect(0, "output", "-json", "test")), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// stamp is a time as the registry writes it.
func stamp(at time.Time) string { return at.Format(time.RFC3339Nano) }

// The list has all that the registry tells, in the order in which it tries mappings; null, empty and filled are three things.
func TestList(t *testing.T) {
	w := newWorld(t)
	space := acctest.NewWorkspace(t, listing(w, acctest.HCL(strings.ToUpper(w.provider))))
	if got := listed(t, space); got == nil || len(got) != 0 {
		t.Errorf("without mappings the list is %#v", got)
	}
	add := func(m emulator.Mapping) emulator.Mapping {
		added, err := w.AddMapping(m)
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	m := w.minimal()
	m.Name, m.ClaimFilters = "last", json.RawMessage(`{"b": [2, 1.50, "x"],  "a": {"y": null, "x": true}}`)
	m.AllowedRepoIDs, m.GroupBindingIDs = []string{w.repos[1], w.repos[0]}, []string{}
	last := add(m)
	m = w.minimal()
	m.Name, m.Priority, m.IsEnabled = "first", -1, false
	first := add(m)
	m = w.minimal()
	m.ProviderID = w.other
	add(m)

	repos := []any{w.repos[0], w.repos[1]}
	if w.repos[0] > w.repos[1] {
		repos[0], repos[1] = repos[1], repos[0]
	}
	account := func(m emulator.Mapping) (id, name string) {
		for _, a := range w.State().Accounts {
			if a.MappingID == m.ID {
				return a.ID, a.Username
			}
		}
		t.Fatalf("%s has no account", m.Name)
		return "", ""
	}
	firstID, firstName := account(first)
	lastID, lastName := account(last)
	want := []object{
		{"id": first.ID, "provider_id": w.provider, "name": "first", "priority": -1.0, "is_enabled": false,
			"claim_filters": `{"/kubernetes.io/namespace":"team"}`, "allowed_repo_ids": nil, "group_binding_ids": nil,
			"service_account_id": firstID, "service_account_username": firstName, "created_at": stamp(first.CreatedAt), "updated_at": stamp(first.UpdatedAt)},
		{"id": last.ID, "provider_id": w.provider, "name": "last", "priority": 100.0, "is_enabled": true,
			"claim_filters": `{"a":{"x":true,"y":null},"b":["x",1.5,2]}`, "allowed_repo_ids": repos, "group_binding_ids": []any{},
			"service_account_id": lastID, "service_account_username": lastName, "created_at": stamp(last.CreatedAt), "updated_at": stamp(last.UpdatedAt)},
	}
	if diff := cmp.Diff(want, listed(t, space)); diff != "" {
		t.Error(diff)
	}
	// Another order of what has none is no change, apart from the time of the write.
	if err := w.UpdateMapping(last.ID, func(m *emulator.Mapping) {
		m.AllowedRepoIDs = []string{w.repos[0], w.repos[1]}
		m.ClaimFilters = json.RawMessage(`{"a":{"x":true,"y":null},"b":["x",2,1.5]}`)
	}); err != nil {
		t.Fatal(err)
	}
	for _, m := range w.State().Mappings {
		if m.ID == last.ID {
			want[1]["updated_at"] = stamp(m.UpdatedAt)
		}
	}
	if diff := cmp.Diff(want, listed(t, space)); diff != "" || want[1]["updated_at"] == want[1]["created_at"] {
		t.Error(diff)
	}
}

// What an old registry holds is told as it is, also filters that it should not have.
func TestListAtOldRegistry(t *testing.T) {
	w := &world{Server: acctest.Registry(t, emulator.Options{Profile: emulator.Profile110})}
	p, err := w.AddProvider(emulator.Provider{Name: "p", IssuerURL: "https://oidc.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.AddMapping(emulator.Mapping{ProviderID: p.ID, Name: "m", ClaimFilters: json.RawMessage(`[ "x" ]`)})
	if err != nil {
		t.Fatal(err)
	}
	want := []object{{"id": m.ID, "provider_id": p.ID, "name": "m", "priority": 0.0, "is_enabled": false, "claim_filters": `["x"]`,
		"allowed_repo_ids": nil, "group_binding_ids": nil, "service_account_id": nil, "service_account_username": nil,
		"created_at": stamp(m.CreatedAt), "updated_at": stamp(m.UpdatedAt)}}
	if diff := cmp.Diff(want, listed(t, acctest.NewWorkspace(t, listing(w, acctest.HCL(p.ID))))); diff != "" {
		t.Error(diff)
	}
}

// The provider's id is required and checked; unknown, it is waited for; and one that leads nowhere is an error.
func TestListOfWhat(t *testing.T) {
	w := newWorld(t)
	space := acctest.NewWorkspace(t, "")
	for id, says := range map[string]string{
		"null": "required", `""`: "UUID", `"cluster0"`: "UUID",
		`"3f2504e0-4f89-41d3-9a0c-0305e82c3301"`: "Cannot read the identity mappings of the CI OIDC provider 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	} {
		space.Config(listing(w, id))
		acctest.Says(t, space.Plan(1), "provider", says)
	}
	for value, says := range map[string]string{w.provider: "", "cluster0": "UUID"} {
		space := acctest.NewWorkspace(t, later+listing(w, "terraform_data.later.output.value"))
		argument := fmt.Sprintf("-var=value=%s", value)
		space.Plan(2, argument)
		if says != "" {
			acctest.Says(t, space.Expect(1, "apply", "-no-color", "-auto-approve", argument), says)
			continue
		}
		space.Apply(argument)
		space.Plan(0, argument)
	}
}
