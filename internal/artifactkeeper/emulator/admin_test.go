package emulator_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// p256Other is a second key of its curve, for rotations.
var p256Other = sync.OnceValues(func() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) })

// TestBehindTheBack changes everything in Go and reads it over HTTP.
func TestBehindTheBack(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	server := x.emulator
	p, err := server.AddProvider(emulator.Provider{Name: "p", IssuerURL: "https://i.example.test", IsEnabled: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.AddMapping(emulator.Mapping{ProviderID: p.ID, Name: "m", Priority: 5, ClaimFilters: json.RawMessage(`{ "b": 1, "a": 2 }`)})
	if err != nil {
		t.Fatal(err)
	}
	at := providersPath + "/" + p.ID
	same(t, settled(x.admin(t, "GET", at).want(t, http.StatusOK).object(t)), object{
		"name": "p", "provider_type": "generic", "issuer_url": "https://i.example.test", "audience": "artifact-keeper", "is_enabled": true,
		"key_source": "discovery", "static_jwks": nil, "mapping_count": 1.0,
	})
	if err := server.UpdateProvider(p.ID, func(p *emulator.Provider) {
		p.ID, p.Name, p.KeySource, p.StaticJWKS = "not yours", "renamed", "static", json.RawMessage(`{"keys": []}`)
	}); err != nil {
		t.Fatal(err)
	}
	if out := x.admin(t, "GET", at).want(t, http.StatusOK).object(t); out["name"] != "renamed" || out["static_jwks"] == nil {
		t.Errorf("provider %v", out)
	}
	if err := server.UpdateMapping(m.ID, func(m *emulator.Mapping) {
		m.IsEnabled, m.GroupBindingIDs, m.AllowedRepoIDs = true, []string{}, []string{noSuchID}
	}); err != nil {
		t.Fatal(err)
	}
	out := x.admin(t, "GET", at+"/mappings/"+m.ID).want(t, http.StatusOK).object(t)
	same(t, settled(out), object{
		"name": "m", "priority": 5.0, "claim_filters": object{"a": 2.0, "b": 1.0}, "is_enabled": true,
		"group_binding_ids": []any{}, "allowed_repo_ids": []any{noSuchID},
	})
	account := out["service_account_id"].(string)
	service := "/api/v1/service-accounts/" + account
	if out := x.admin(t, "GET", service).want(t, http.StatusOK).object(t); out["is_active"] != true || out["username"] != accountName(m.ID) {
		t.Errorf("service account %v", out)
	}
	if err := server.SetAccountActive(account, false); err != nil {
		t.Fatal(err)
	}
	if items := x.admin(t, "GET", "/api/v1/service-accounts").want(t, http.StatusOK).items(t); len(items) != 1 || items[0]["is_active"] != false {
		t.Errorf("service accounts %v", items)
	}
	if err := server.DeleteMapping(m.ID); err != nil {
		t.Fatal(err)
	}
	if err := server.DeleteProvider(p.ID); err != nil {
		t.Fatal(err)
	}
	x.admin(t, "GET", at).wantError(t, http.StatusNotFound, "NOT_FOUND")
	x.admin(t, "DELETE", "/api/v1/users/"+account).wantEmpty(t, http.StatusOK)
	x.admin(t, "GET", service).wantError(t, http.StatusNotFound, "NOT_FOUND")
}

func accountName(mappingID string) string {
	return "ci-" + mappingID[:8] + mappingID[9:13]
}

// TestStateIsACopy shows that nobody can reach into the registry with it, and
// that the same registry has the same state.
func TestStateIsACopy(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	c := x.cluster(t, nil)
	group := x.emulator.AddGroup("g", "d")
	repository := x.emulator.AddRepository(emulator.Repository{Key: "r"})
	x.mapping(t, c.provider, object{"group_binding_ids": []any{group.ID}, "allowed_repo_ids": []any{repository.ID}})
	x.emulator.AddPermission(emulator.Permission{PrincipalType: "group", PrincipalID: group.ID, TargetType: "repository", TargetID: repository.ID})
	x.emulator.AddRole(emulator.Role{AccountID: noSuchID, Actions: []string{"read"}})
	want := x.emulator.State()
	spoil := x.emulator.State()
	spoil.Providers[0].StaticJWKS[0] = 'X'
	spoil.Mappings[0].ClaimFilters[0] = 'X'
	spoil.Mappings[0].AllowedRepoIDs[0] = "X"
	spoil.Mappings[0].GroupBindingIDs[0] = "X"
	spoil.Groups[0].MemberIDs[0] = "X"
	spoil.Permissions[0].Actions[0] = "X"
	spoil.Roles[0].Actions[0] = "X"
	spoil.Accounts[0].Username = "X"
	spoil.Repositories[0].Key = "X"
	if diff := cmp.Diff(want, x.emulator.State(), ignoreUnexported); diff != "" {
		t.Errorf("a copy reaches into the registry (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var back emulator.State
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back, ignoreUnexported); diff != "" {
		t.Errorf("the state does not survive JSON (-want +got):\n%s", diff)
	}
}

// TestNothingToChange shows the errors of those who name what is not there, or
// hand over what is no JSON.
func TestNothingToChange(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	server := x.emulator
	p, err := server.AddProvider(emulator.Provider{Name: "p"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.AddMapping(emulator.Mapping{ProviderID: p.ID})
	if err != nil {
		t.Fatal(err)
	}
	before := server.State()
	bad := json.RawMessage("{")
	for name, change := range map[string]func() error{
		"provider":        func() error { return server.UpdateProvider(noSuchID, func(*emulator.Provider) {}) },
		"provider's keys": func() error { return server.UpdateProvider(p.ID, func(p *emulator.Provider) { p.StaticJWKS = bad }) },
		"added keys":      func() error { _, err := server.AddProvider(emulator.Provider{StaticJWKS: bad}); return err },
		"mapping":         func() error { return server.UpdateMapping(noSuchID, func(*emulator.Mapping) {}) },
		"filters":         func() error { return server.UpdateMapping(m.ID, func(m *emulator.Mapping) { m.ClaimFilters = bad }) },
		"added filters": func() error {
			_, err := server.AddMapping(emulator.Mapping{ProviderID: p.ID, ClaimFilters: bad})
			return err
		},
		"mapping's parent": func() error { _, err := server.AddMapping(emulator.Mapping{ProviderID: noSuchID}); return err },
		"delete provider":  func() error { return server.DeleteProvider(noSuchID) },
		"delete mapping":   func() error { return server.DeleteMapping(noSuchID) },
		"delete group":     func() error { return server.DeleteGroup(noSuchID) },
		"join":             func() error { return server.AddMember(noSuchID, noSuchID) },
		"leave":            func() error { return server.RemoveMember(noSuchID, noSuchID) },
		"repository":       func() error { return server.DeleteRepository(noSuchID) },
		"permission":       func() error { return server.DeletePermission(noSuchID) },
		"account":          func() error { return server.SetAccountActive(noSuchID, true) },
		"profile":          func() error { return server.SetProfile("2.0") },
		"image":            func() error { _, err := server.AddImage(emulator.Image{Repository: "none", Name: "n"}); return err },
	} {
		if change() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	server.AddRepository(emulator.Repository{Key: "r"})
	if _, err := server.AddImage(emulator.Image{Repository: "r"}); err == nil {
		t.Error("an image without a name was added")
	}
	after := server.State()
	after.Repositories = before.Repositories
	if diff := cmp.Diff(before, after, ignoreUnexported); diff != "" {
		t.Errorf("a failed change changed something (-before +after):\n%s", diff)
	}
}

// TestUpgrade takes a registry from 1.10 to 1.11 with its mappings.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{Profile: emulator.Profile110})
	c := x.cluster(t, nil) // the key set is ignored, without a word
	m := x.mapping(t, c.provider, object{"claim_filters": object{}})
	if err := x.emulator.SetProfile(emulator.Profile111); err != nil {
		t.Fatal(err)
	}
	x.profile = emulator.Profile111
	if got := x.guest(t, "GET", "/health").object(t)["version"]; got != emulator.Profile111.Version() {
		t.Errorf("version %v", got)
	}
	out := x.admin(t, "GET", mappingPath(m)).want(t, http.StatusOK).object(t)
	for _, member := range []string{"service_account_id", "service_account_username", "group_binding_ids"} {
		if value, ok := out[member]; !ok || value != nil {
			t.Errorf("%s is %v, want null until the first exchange", member, value)
		}
	}
	x.admin(t, "PUT", path(c.provider), object{"key_source": "static", "static_jwks": keySet(publicJWK(t, "kid", c.key))}).want(t, http.StatusOK)
	username := x.exchange(t, c.token(t)).want(t, http.StatusOK).object(t)["username"]
	if out := x.admin(t, "GET", mappingPath(m)).object(t); out["service_account_username"] != username || username == nil {
		t.Errorf("service_account_username %v, want %v", out["service_account_username"], username)
	}
}

// TestFailReconciliation shows what the two newest lines make of it.
func TestFailReconciliation(t *testing.T) {
	t.Parallel()
	for profile, status := range map[emulator.Profile]int{emulator.Profile111: http.StatusOK, emulator.ProfileNext: http.StatusServiceUnavailable} {
		x := startTarget(t, emulator.Options{Profile: profile})
		c := x.cluster(t, nil)
		group := x.emulator.AddGroup("g", "")
		m := x.mapping(t, c.provider, object{"claim_filters": object{}, "group_binding_ids": []any{group.ID}})
		if err := x.emulator.RemoveMember(group.ID, m["service_account_id"].(string)); err != nil {
			t.Fatal(err)
		}
		x.emulator.FailReconciliation(true)
		out := x.exchange(t, c.token(t)).want(t, status)
		if status == http.StatusServiceUnavailable {
			out.wantError(t, status, "SERVICE_UNAVAILABLE")
			wantHeader(t, out, "Retry-After", "1")
		}
		if got := x.emulator.State().Groups[0].MemberIDs; len(got) != 0 {
			t.Errorf("%s: members %v, want none", profile, got)
		}
		x.emulator.FailReconciliation(false)
		x.exchange(t, c.token(t)).want(t, http.StatusOK)
		if got := x.emulator.State().Groups[0].MemberIDs; len(got) != 1 {
			t.Errorf("%s: members %v, want the account", profile, got)
		}
	}
}

// TestDanglingGroup shows that a mapping keeps naming a group that is gone.
func TestDanglingGroup(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	c := x.cluster(t, nil)
	group := x.emulator.AddGroup("g", "")
	m := x.mapping(t, c.provider, object{"claim_filters": object{}, "group_binding_ids": []any{group.ID}})
	if err := x.emulator.DeleteGroup(group.ID); err != nil {
		t.Fatal(err)
	}
	x.exchange(t, c.token(t)).want(t, http.StatusOK)
	out := x.admin(t, "PUT", mappingPath(m), object{"name": "renamed"}).want(t, http.StatusOK).object(t)
	if !cmp.Equal(out["group_binding_ids"], any([]any{group.ID})) {
		t.Errorf("group_binding_ids %v, want the group that is gone", out["group_binding_ids"])
	}
}
