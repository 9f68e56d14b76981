package trust_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// What a remedy grants, it grants to no more than the mapping that is meant.
func TestRemediesOpenNothing(t *testing.T) {
	every := map[string]any{}
	for _, c := range []struct {
		name          string
		change        func(*trusttest.World)
		link          trust.Name
		detail        []string
		remedy, never string
	}{
		{"a mapping of every token wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 5, GroupBindingIDs: []string{}}, every)
		}, trust.Permission, []string{`"sneaky", which takes every token of the cluster, wins (priority 5) before "team" (priority 100), which matches too, and whose account may read`},
			`delete the mapping "sneaky"`, "group_binding_ids"},
		{"one of the issuer wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 5}, map[string]any{"/iss": w.Plane.Issuer()})
		}, trust.Permission, []string{"which takes every token of the cluster"}, `delete the mapping "sneaky"`, "group_binding_ids"},
		{"one of the namespace wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "wide", Priority: 5}, map[string]any{"/kubernetes.io/namespace": w.Namespace})
		}, trust.Permission, []string{`"wide" wins (priority 5) before "team"`, "whose account may read"}, "higher priority number than 100", "group_binding_ids"},
		{"one of more ServiceAccounts wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "wide", Priority: 5}, map[string]any{
				"/kubernetes.io/namespace": w.Namespace, "/kubernetes.io/serviceaccount/name": []string{trusttest.Account, trusttest.Worker, "more"},
			})
		}, trust.Permission, []string{`"wide" wins`}, "higher priority number than 100", "group_binding_ids"},
		{"a narrow one wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "narrow", Priority: 5}, map[string]any{
				"/kubernetes.io/namespace": w.Namespace, "/kubernetes.io/serviceaccount/name": trusttest.Account,
			})
		}, trust.Permission, []string{`"narrow" wins (priority 5) before "team"`}, "If \"narrow\" is meant to win: Add the group \"pullers\"", ""},
		{"one of the same filters wins", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "hand made", Priority: 1, GroupBindingIDs: []string{}},
				w.Registry.State().Mappings[0].ClaimFilters)
		}, trust.Permission, []string{`"hand made" wins (priority 1) before "team"`, "whose account may read"}, `delete the mapping "hand made"`, "group_binding_ids"},
		{"two mappings of every token", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 5, GroupBindingIDs: []string{}}, every)
			w.UpdateMapping(func(m *emulator.Mapping) { m.ClaimFilters = []byte("{}") })
		}, trust.Permission, []string{`"sneaky", which takes every token`}, `delete the mapping "sneaky"`, "group_binding_ids"},
		{"a mapping of every token is the only one", func(w *trusttest.World) {
			w.Break("no-mappings")
			w.AddMapping(emulator.Mapping{Name: "sneaky"}, every)
		}, trust.Permission, []string{`"sneaky" takes every token of the cluster`}, `Grant nothing to the mapping "sneaky"`, "group_binding_ids ="},
		{"it has a ceiling", func(w *trusttest.World) {
			w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 5, AllowedRepoIDs: []string{}}, every)
		}, trust.Permission, []string{"shuts every repository out", `before "team"`, "whose account may read"}, `delete the mapping "sneaky"`, "allowed_repo_ids"},
		{"its account is deactivated", func(w *trusttest.World) {
			id := w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 5}, every)
			for _, a := range w.Registry.State().Accounts {
				if a.MappingID == id {
					w.Must(w.Registry.SetAccountActive(a.ID, false))
				}
			}
		}, trust.Account, []string{`before "team"`}, `delete the mapping "sneaky"`, "Activate"},
		{"the ceiling keeps what is in it", func(w *trusttest.World) { w.Break("outside-ceiling") },
			trust.Permission, nil, `", "`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			c.change(w)
			result := w.Check()
			link := result.Link(c.link)
			if link.Status != trust.Broken || !strings.Contains(link.Remedy, c.remedy) || c.never != "" && strings.Contains(link.Remedy, c.never) {
				t.Errorf("%+v\nwant the remedy %q, and never %q", link, c.remedy, c.never)
			}
			for _, part := range c.detail {
				if !strings.Contains(link.Detail, part) || !strings.Contains(result.Summary(), part) {
					t.Errorf("%q is missing in\n%s\nor in\n%s", part, link.Detail, result.Summary())
				}
			}
		})
	}
}

// A remedy keeps the groups that a mapping has, and names the one that lost its right.
func TestRemediesNameTheGroup(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	other := w.Registry.AddGroup("other", "").ID
	w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{other} })
	link := w.Check().Link(trust.Permission)
	whole := "Add the group \"pullers\" (" + w.Group + "), which may read it, to the mapping \"team\":\n  group_binding_ids = [\"" + other + "\", \"" + w.Group + "\"]"
	if !strings.Contains(link.Remedy, whole) || !strings.Contains(link.Detail, `1 group: "other" (`+other+")") {
		t.Errorf("%+v", link)
	}

	w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{w.Group} })
	for _, rule := range w.Registry.State().Permissions {
		w.Must(w.Registry.DeletePermission(rule.ID))
	}
	link = w.Check().Link(trust.Permission)
	for _, part := range []string{`Let the group "pullers" (` + w.Group + "), into which", `"principal_id": "` + w.Group, `"target_id": "` + w.Repository, w.Registry.URL() + "/api/v1/permissions"} {
		if !strings.Contains(link.Remedy, part) {
			t.Errorf("%q is missing in %s", part, link.Remedy)
		}
	}
	// One whose name cannot be read is named by its id.
	w.Registry.Inject(emulator.Fault{Path: "/api/v1/groups/...", Kind: emulator.Forbidden})
	if link := w.Check().Link(trust.Permission); !strings.Contains(link.Remedy, "Let the group "+w.Group) || link.Status != trust.Broken {
		t.Errorf("%+v", link)
	}
}

// Two mappings of one name are told apart by their ids, in what is said and in what is to be done.
func TestRemediesTellNamesakesApart(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	first := w.AddMapping(emulator.Mapping{Name: "team", Priority: 1, GroupBindingIDs: []string{}}, w.Registry.State().Mappings[0].ClaimFilters)
	link := w.Check().Link(trust.Permission)
	former, latter := `"team" (`+first+")", `"team" (`+w.Mapping+")"
	if !strings.Contains(link.Detail, "the mapping "+former+" wins (priority 1) before "+latter+" (priority 100)") ||
		!strings.Contains(link.Remedy, "If "+latter+" is meant to win, delete the mapping "+former) {
		t.Errorf("%+v", link)
	}
	w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{} }) // then no other may read, and a grant is named
	if link := w.Check().Link(trust.Permission); !strings.Contains(link.Remedy, "to the mapping "+former+":") {
		t.Errorf("%+v", link)
	}
}

// What is done in the registry is a whole command.
func TestRemediesAreCommands(t *testing.T) {
	const curl = `curl --fail-with-body --oauth2-bearer "$ARTIFACT_KEEPER_TOKEN" `
	w := trusttest.New(t, emulator.Options{})
	w.Must(w.Registry.SetAccountActive(w.MappingAccount, false))
	whole := ":\n  " + curl + `--request PATCH --json '{"is_active": true}' ` + w.Registry.URL() + "/api/v1/users/" + w.MappingAccount + "\nOr: "
	if link := w.Check().Link(trust.Account); !strings.Contains(link.Remedy, whole) {
		t.Errorf("%q is missing in %s", whole, link.Remedy)
	}
	first := w.AddMapping(emulator.Mapping{Name: "sneaky", Priority: 1, GroupBindingIDs: []string{}}, map[string]any{})
	whole = ":\n  " + curl + "--request DELETE " + w.Registry.URL() + "/api/v1/admin/ci-oidc/" + w.Provider + "/mappings/" + first
	remedy := w.Check().Link(trust.Permission).Remedy
	if !strings.Contains(remedy, "aktrust_ci_oidc_mappings_exclusive") || !strings.HasSuffix(remedy, whole) {
		t.Errorf("%q is missing in %s", whole, remedy)
	}
	w.Must(w.Registry.DeleteMapping(w.Mapping)) // nobody else's: what to declare instead comes after the command
	if link := w.Check().Link(trust.Permission); !strings.Contains(link.Remedy, whole+"\nIf it is meant to pull") {
		t.Errorf("%q is missing in %s", whole, link.Remedy)
	}
}
