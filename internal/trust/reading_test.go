package trust_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// Whether an account may read follows rules for itself and its groups, on the repository and its project, and then roles.
func TestReading(t *testing.T) {
	rule := func(w *trusttest.World, kind, principal string, actions ...string) {
		w.Registry.AddPermission(emulator.Permission{
			PrincipalType: kind, PrincipalID: principal, TargetType: "repository", TargetID: w.Repository, Actions: actions,
		})
	}
	alone := func(w *trusttest.World) { // without a group
		w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = nil })
		w.Must(w.Registry.RemoveMember(w.Group, w.MappingAccount))
	}
	cases := []struct {
		name    string
		arrange func(*trusttest.World)
		status  trust.Status
		detail  string
	}{
		{"a rule of its own", func(w *trusttest.World) { alone(w); rule(w, "user", w.MappingAccount, "read") }, trust.OK, "user"},
		{"admin implies read", func(w *trusttest.World) { alone(w); rule(w, "user", w.MappingAccount, "admin") }, trust.OK, "admin"},
		{"a rule of its own without read", func(w *trusttest.World) { alone(w); rule(w, "user", w.MappingAccount, "write") }, trust.Broken, "not to read"},
		{"a group that somebody put it into", func(w *trusttest.World) {
			alone(w)
			w.Must(w.Registry.AddMember(w.Group, w.MappingAccount))
		}, trust.OK, `group "pullers"`},
		{"a group without any rule", func(w *trusttest.World) {
			other := w.Registry.AddGroup("other", "").ID
			w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{other} })
		}, trust.Broken, `the rules on it: group "pullers"`},
		{"no group at all", func(w *trusttest.World) {
			w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{} })
		}, trust.Broken, "puts it into 0 groups"},
		{"a role", func(w *trusttest.World) {
			alone(w)
			w.Registry.AddRole(emulator.Role{AccountID: w.MappingAccount, Actions: []string{"read"}})
		}, trust.OK, "by a role"},
		{"a role that outdoes a rule", func(w *trusttest.World) {
			alone(w)
			rule(w, "user", w.MappingAccount, "write")
			w.Registry.AddRole(emulator.Role{AccountID: w.MappingAccount, Actions: []string{"admin"}})
		}, trust.Unknown, "a role may let it in"},
		{"a role that outdoes a rule, as the manifest shows", func(w *trusttest.World) {
			alone(w)
			rule(w, "user", w.MappingAccount, "write")
			w.Registry.AddRole(emulator.Role{AccountID: w.MappingAccount, Actions: []string{"admin"}})
			w.Request.Manifest = true
		}, trust.OK, "manifest was read"},
		{"a rule on the project", func(w *trusttest.World) {
			const project = "11111111-2222-3333-4444-555555555555"
			made := w.Registry.AddRepository(emulator.Repository{Key: "project", ProjectID: project})
			w.Registry.AddPermission(emulator.Permission{
				PrincipalType: "group", PrincipalID: w.Group, TargetType: "project", TargetID: project,
			})
			w.Request.Image = w.Registry.Host() + "/" + made.Key + "/app:1"
		}, trust.OK, `group "pullers"`},
		{"within the ceiling", func(w *trusttest.World) {
			w.UpdateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{strings.ToUpper(w.Repository)} })
		}, trust.OK, `group "pullers"`},
	}
	for _, asBuilt := range []bool{false, true} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := trusttest.New(t, emulator.Options{AsBuilt: asBuilt})
				c.arrange(w)
				result := w.Check()
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
	w := trusttest.New(t, emulator.Options{})
	w.Break("no-grant")
	w.Break("key-rotated")
	result := w.Check()
	if link := result.Link(trust.Permission); link.Status != trust.Broken || !strings.Contains(link.Detail, "a role that the API does not list") {
		t.Errorf("%+v", link)
	}
	if result.Denied() {
		t.Error("what is not certain counts as a refusal")
	}
	w.Break("group-without-read")
	if result := w.Check(); result.Denied() || result.Link(trust.Permission).Status != trust.Broken {
		t.Errorf("what is not certain counts as a refusal: %s", result.Summary())
	}
}

// contrary is a registry whose answers do not go together, as they may not while somebody changes it.
type contrary struct {
	trust.Registry
	username string // that it gives every credential for; empty for the right one
	inactive bool   // every account
	showsErr error
	readable bool // every manifest
}

func (c contrary) Exchange(ctx context.Context, token, provider string) (artifactkeeper.Credential, error) {
	credential, err := c.Registry.Exchange(ctx, token, provider)
	if c.username != "" {
		return artifactkeeper.Credential{Username: c.username}, nil
	}
	return credential, err
}

func (c contrary) Account(ctx context.Context, id string) (artifactkeeper.Account, error) {
	account, err := c.Registry.Account(ctx, id)
	if c.inactive {
		account.IsActive = new(bool)
	}
	return account, err
}

func (c contrary) Shows(ctx context.Context, credential artifactkeeper.Credential, key string) (bool, error) {
	if c.showsErr != nil {
		return false, c.showsErr
	}
	return c.Registry.Shows(ctx, credential, key)
}

func (c contrary) ReadManifest(
	ctx context.Context, credential artifactkeeper.Credential, name, reference string,
) (artifactkeeper.Manifest, error) {
	if c.readable {
		return artifactkeeper.Manifest{}, nil
	}
	return c.Registry.ReadManifest(ctx, credential, name, reference)
}

// What the registry does outweighs what it says, and trouble is no refusal: neither expectation is met by what is uncertain.
func TestContraryAnswers(t *testing.T) {
	errBusy := errors.New("the pool is exhausted")
	for _, c := range []struct {
		name    string
		breaks  string // a row; empty for none
		answers contrary
		unknown trust.Name // empty when it is allowed
	}{
		{"a credential for a deactivated account", "", contrary{inactive: true}, trust.Account},
		{"a credential for another account than one that is deactivated", "account-deactivated", contrary{username: "ci-other"}, trust.Mapping},
		{"a credential for another account than one that may not read", "outside-ceiling", contrary{username: "ci-other"}, trust.Mapping},
		{"no word about roles", "no-grant", contrary{showsErr: errBusy}, trust.Permission},
		{"no word about a role that may outdo a rule", "group-without-read", contrary{showsErr: errBusy}, trust.Permission},
		{"a manifest from outside of the ceiling", "outside-ceiling", contrary{readable: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			if c.breaks != "" {
				w.Break(c.breaks)
			}
			w.Request.Manifest = c.answers.readable
			sources := w.Sources()
			c.answers.Registry = sources.Registry
			sources.Registry = c.answers
			result, err := trust.Check(t.Context(), sources, w.Request)
			w.Must(err)
			if result.Denied() || result.Allowed() != (c.unknown == "") || c.unknown != "" && result.Link(c.unknown).Status != trust.Unknown {
				t.Errorf("denied is %t, allowed %t: %s", result.Denied(), result.Allowed(), result.Summary())
			}
		})
	}
}
