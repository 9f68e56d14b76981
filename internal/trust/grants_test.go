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
		}, trust.Permission, []string{`"narrow" wins (priority 5) before "team"`}, `, which may read it, to the mapping "narrow":`, ""},
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
