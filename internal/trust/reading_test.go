package trust_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

// Whether an account may read follows rules for itself and its groups, on the repository and its project, and then roles.
func TestReading(t *testing.T) {
	rule := func(w *world, kind, principal string, actions ...string) {
		w.registry.AddPermission(emulator.Permission{
			PrincipalType: kind, PrincipalID: principal, TargetType: "repository", TargetID: w.repository, Actions: actions,
		})
	}
	alone := func(w *world) { // without a group
		w.updateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = nil })
		w.must(w.registry.RemoveMember(w.group, w.mappingAccountID))
	}
	cases := []struct {
		name    string
		arrange func(*world)
		status  trust.Status
		detail  string
	}{
		{"a rule of its own", func(w *world) { alone(w); rule(w, "user", w.mappingAccountID, "read") }, trust.OK, "user"},
		{"admin implies read", func(w *world) { alone(w); rule(w, "user", w.mappingAccountID, "admin") }, trust.OK, "admin"},
		{"a rule of its own without read", func(w *world) { alone(w); rule(w, "user", w.mappingAccountID, "write") }, trust.Broken, "not to read"},
		{"a group that somebody put it into", func(w *world) {
			alone(w)
			w.must(w.registry.AddMember(w.group, w.mappingAccountID))
		}, trust.OK, `group "pullers"`},
		{"a group without any rule", func(w *world) {
			other := w.registry.AddGroup("other", "").ID
			w.updateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{other} })
		}, trust.Broken, `the rules on it: group "pullers"`},
		{"no group at all", func(w *world) {
			w.updateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{} })
		}, trust.Broken, "puts it into 0 groups"},
		{"a role", func(w *world) {
			alone(w)
			w.registry.AddRole(emulator.Role{AccountID: w.mappingAccountID, Actions: []string{"read"}})
		}, trust.OK, "by a role"},
		{"a role that outdoes a rule", func(w *world) {
			alone(w)
			rule(w, "user", w.mappingAccountID, "write")
			w.registry.AddRole(emulator.Role{AccountID: w.mappingAccountID, Actions: []string{"admin"}})
		}, trust.Unknown, "a role may let it in"},
		{"a rule on the project", func(w *world) {
			const project = "11111111-2222-3333-4444-555555555555"
			made := w.registry.AddRepository(emulator.Repository{Key: "project", ProjectID: project})
			w.registry.AddPermission(emulator.Permission{
				PrincipalType: "group", PrincipalID: w.group, TargetType: "project", TargetID: project,
			})
			w.request.Image = host + "/" + made.Key + "/app:1"
		}, trust.OK, `group "pullers"`},
		{"within the ceiling", func(w *world) {
			w.updateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{strings.ToUpper(w.repository)} })
		}, trust.OK, `group "pullers"`},
	}
	for _, asBuilt := range []bool{false, true} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t, emulator.Options{AsBuilt: asBuilt})
				c.arrange(w)
				result := w.check()
				link := result.Link(trust.Permission)
				if link.Status != c.status || !strings.Contains(link.Detail, c.detail) {
					t.Errorf("%+v, want it %s with %q", link, c.status, c.detail)
				}
				if result.Denied() != (c.status == trust.Broken) || result.Allowed() != (c.status == trust.OK) {
					t.Errorf("denied is %t and allowed %t", result.Denied(), result.Allowed())
				}
			})
		}
	}
}

// While no credential can be had, a role that cannot be seen may still let the account in.
func TestReadingWithoutTheRegistrysWord(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	breaks["no-grant"](w)
	breaks["key-rotated"](w)
	result := w.check()
	if link := result.Link(trust.Permission); link.Status != trust.Broken || !strings.Contains(link.Detail, "a role that the API does not list") {
		t.Errorf("%+v", link)
	}
	if result.Denied() {
		t.Error("what is not certain counts as a refusal")
	}
}
