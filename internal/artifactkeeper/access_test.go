package artifactkeeper

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// mapped gives a registry whose mapping has an account, and that account.
func mapped(t *testing.T, options emulator.Options) (*emulator.Server, *Client, emulator.Account) {
	t.Helper()
	server, client := start(t, options)
	if _, err := server.AddMapping(emulator.Mapping{Name: "m", ProviderID: under(t, server), IsEnabled: true}); err != nil {
		t.Fatal(err)
	}
	for _, account := range server.State().Accounts {
		if account.MappingID != "" {
			return server, client, account
		}
	}
	t.Fatal("the mapping has no account")
	return nil, nil, emulator.Account{}
}

// The account of a mapping is found whether the registry takes it for a service account or a user.
func TestAccount(t *testing.T) {
	for _, asBuilt := range []bool{false, true} {
		server, client, account := mapped(t, emulator.Options{AsBuilt: asBuilt})
		if err := server.SetAccountActive(account.ID, asBuilt); err != nil {
			t.Fatal(err)
		}
		got, err := client.Account(t.Context(), strings.ToUpper(account.ID))
		if err != nil || got.Username != account.Username || got.IsActive == nil || *got.IsActive != asBuilt {
			t.Errorf("as built %t: %+v, %v", asBuilt, got, err)
		}
		if _, err := client.Account(t.Context(), "00000000-0000-0000-0000-000000000000"); !IsNotFound(err) {
			t.Errorf("an account that does not exist: %v", err)
		}
		server.Inject(emulator.Fault{Path: "/api/v1/service-accounts/*", Kind: emulator.Forbidden})
		if _, err := client.Account(t.Context(), account.ID); err == nil || IsNotFound(err) {
			t.Errorf("a refusal is taken for an answer: %v", err)
		}
	}
}

// Members come in windows.
func TestIsMember(t *testing.T) {
	server, client, account := mapped(t, emulator.Options{})
	group := server.AddGroup("g", "").ID
	is := func() bool {
		t.Helper()
		member, err := client.IsMember(t.Context(), group, account.ID)
		if err != nil {
			t.Fatal(err)
		}
		return member
	}
	for i := range memberWindow {
		other := server.AddAccount(emulator.Account{Username: fmt.Sprintf("user-%d", i)}, "")
		if err := server.AddMember(group, other.ID); err != nil {
			t.Fatal(err)
		}
	}
	if is() {
		t.Error("a member too many")
	}
	if err := server.AddMember(group, account.ID); err != nil {
		t.Fatal(err)
	}
	if !is() {
		t.Error("the member of the second window is not found")
	}
	if err := server.DeleteGroup(group); err != nil {
		t.Fatal(err)
	}
	if is() {
		t.Error("a group that is gone has members")
	}
}

func TestPermissions(t *testing.T) {
	server, client := start(t, emulator.Options{})
	repository, other := server.AddRepository(emulator.Repository{Key: "a"}).ID, server.AddRepository(emulator.Repository{Key: "b"}).ID
	for i := range pageSize + 1 {
		group := server.AddGroup(fmt.Sprintf("g%d", i), "").ID
		server.AddPermission(emulator.Permission{PrincipalType: "group", PrincipalID: group, TargetType: "repository", TargetID: repository})
		server.AddPermission(emulator.Permission{
			PrincipalType: "group", PrincipalID: group, TargetType: "repository", TargetID: other, Actions: []string{"write"},
		})
	}
	for target, reading := range map[string]bool{repository: true, other: false} {
		rules, err := client.Permissions(t.Context(), TargetRepository, target)
		if err != nil || len(rules) != pageSize+1 {
			t.Fatalf("%d rules, %v", len(rules), err)
		}
		for _, rule := range rules {
			if rule.TargetID != target || rule.AllowsReading() != reading || !strings.Contains(rule.String(), `group "g`) {
				t.Fatalf("%+v", rule)
			}
		}
	}
}

func TestManifest(t *testing.T) {
	server, client := start(t, emulator.Options{})
	server.AddRepository(emulator.Repository{Key: "open", IsPublic: true})
	server.AddRepository(emulator.Repository{Key: "closed"})
	digest, err := server.AddImage(emulator.Image{Repository: "open", Name: "team/app", Tag: "1"})
	if err != nil {
		t.Fatal(err)
	}
	account := server.AddAccount(emulator.Account{Username: "jane"}, "")
	token, err := server.NewToken(account.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	jane := Credential{Username: "jane", AccessToken: token}
	for _, reference := range []string{"1", digest} {
		got, err := client.ReadManifest(t.Context(), jane, "open/team/app", reference)
		if err != nil || got.Digest != digest || got.MediaType == "" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for name, code := range map[string]string{"open/team/other": "MANIFEST_UNKNOWN", "closed/app": "NAME_UNKNOWN", "none/app": "NAME_UNKNOWN"} {
		var refused *Error
		if _, err := client.ReadManifest(t.Context(), jane, name, "1"); !errors.As(err, &refused) || refused.Code != code {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
	_, err = client.ReadManifest(t.Context(), Credential{Username: "jane", AccessToken: "wrong-secret"}, "open/team/app", "1")
	if err == nil || strings.Contains(err.Error(), "wrong-secret") {
		t.Errorf("a wrong credential: %v", err)
	}
}

// A credential goes nowhere but to the registry, whatever the challenge says.
func TestCredentialStaysAtHome(t *testing.T) {
	_, client := start(t, emulator.Options{})
	for _, challenge := range []string{
		`Bearer realm="https://evil.example.com/token",service="artifact-keeper"`,
		`Bearer realm="http://` + client.base.Host + `/v2/token"`,
		`Bearer service="artifact-keeper"`, `Basic realm="x"`, ``, `Bearer realm="%zz"`,
	} {
		var refused *ChallengeError
		if _, err := client.pullToken(t.Context(), Credential{Username: "u", AccessToken: "secret"}, challenge); !errors.As(err, &refused) {
			t.Errorf("%s: %v", challenge, err)
		}
	}
}

func TestShows(t *testing.T) {
	server, client := start(t, emulator.Options{})
	server.AddRepository(emulator.Repository{Key: "open", IsPublic: true})
	server.AddRepository(emulator.Repository{Key: "closed"})
	token, err := server.NewToken(server.AddAccount(emulator.Account{Username: "jane"}, "").ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"open": true, "closed": false, "none": false} {
		if got, err := client.Shows(t.Context(), Credential{AccessToken: token}, key); err != nil || got != want {
			t.Errorf("%s: %t, %v", key, got, err)
		}
	}
	server.Inject(emulator.Fault{Path: "/api/v1/repositories/*", Kind: emulator.NotFoundEmpty})
	if _, err := client.Shows(t.Context(), Credential{AccessToken: token}, "open"); err == nil {
		t.Error("a route that does not exist is taken for an answer")
	}
}

// A group is read by its id, however that is spelt.
func TestGroup(t *testing.T) {
	server, client := start(t, emulator.Options{})
	id := server.AddGroup("pullers", "").ID
	if got, err := client.Group(t.Context(), strings.ToUpper(id)); err != nil || got.Name != "pullers" || got.ID != id {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := client.Group(t.Context(), "00000000-0000-0000-0000-000000000000"); !IsNotFound(err) {
		t.Errorf("a group that does not exist: %v", err)
	}
}
