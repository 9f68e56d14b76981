package artifactkeeper

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// null, the empty list and a list are three things on the wire.
func TestListsOnTheWire(t *testing.T) {
	for want, list := range map[string]IDList{
		`{"name":"","priority":0,"claim_filters":null,"is_enabled":false}`:                              {},
		`{"name":"","priority":0,"claim_filters":null,"allowed_repo_ids":null,"is_enabled":false}`:      Cleared(),
		`{"name":"","priority":0,"claim_filters":null,"allowed_repo_ids":[],"is_enabled":false}`:        IDs(),
		`{"name":"","priority":0,"claim_filters":null,"allowed_repo_ids":["a","b"],"is_enabled":false}`: IDs("a", "b"),
	} {
		got, err := encode(MappingInput{AllowedRepoIDs: list})
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestMappingLists(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	group := server.AddGroup("g", "").ID
	in := mappingInput("m")
	m, err := client.CreateMapping(t.Context(), provider, in)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		list IDList
		want []string
	}{
		{IDs(strings.ToUpper(group)), []string{group}}, {IDs(), []string{}}, {Cleared(), nil}, {IDList{}, nil}, {IDs(group), []string{group}},
	}
	for _, step := range steps {
		in.GroupBindingIDs = step.list
		if _, err := client.UpdateMapping(t.Context(), provider, m.ID, in); err != nil {
			t.Fatal(err)
		}
		got := server.State().Mappings[0].GroupBindingIDs
		if (got == nil) != (step.want == nil) || !strings.EqualFold(strings.Join(got, ","), strings.Join(step.want, ",")) {
			t.Errorf("after %+v the registry has %#v, want %#v", step.list, got, step.want)
		}
	}
	in.GroupBindingIDs = IDs("8a4f7c1e-0000-4000-8000-000000000000")
	var e *Error
	if _, err := client.UpdateMapping(t.Context(), provider, m.ID, in); !errors.As(err, &e) || !strings.Contains(e.Message, "8a4f7c1e") {
		t.Errorf("an unknown group: %v", err)
	}
}

func TestProviderKeys(t *testing.T) {
	server, client := start(t, emulator.Options{})
	in := kubernetesProvider("p")
	p, err := client.CreateProvider(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !p.HasStaticKeys() || !sameKeys(p.StaticJWKS, in.StaticJWKS) {
		t.Errorf("got %+v", p)
	}
	in.KeySource, in.StaticJWKS = KeySourceDiscovery, nil
	if p, err = client.UpdateProvider(t.Context(), p.ID, in); err != nil || p.HasStaticKeys() || !isNull(p.StaticJWKS) {
		t.Errorf("got %+v, %v", p, err)
	}
	if got := server.State().Providers[0]; got.KeySource != KeySourceDiscovery || got.StaticJWKS != nil {
		t.Errorf("the registry has %+v", got)
	}
}

// A second enabled provider of one issuer and audience is refused, whoever is first.
func TestSecondProvider(t *testing.T) {
	server, client := start(t, emulator.Options{})
	first, err := client.CreateProvider(t.Context(), genericProvider("one"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(in ProviderInput, id string) {
		t.Helper()
		var err error
		if id == "" {
			_, err = client.CreateProvider(t.Context(), in)
		} else {
			_, err = client.UpdateProvider(t.Context(), id, in)
		}
		var duplicate *DuplicateIssuerError
		if !errors.As(err, &duplicate) || duplicate.Existing.ID != first.ID || !strings.Contains(duplicate.Advice(), first.ID) {
			t.Errorf("%+v: %v", in, err)
		}
	}
	second := genericProvider("one")
	second.Name = "two"
	refused(second, "")
	second.IssuerURL += "/"
	refused(second, "")
	second.IsEnabled = false
	made, err := client.CreateProvider(t.Context(), second)
	if err != nil {
		t.Fatalf("a disabled second one: %v", err)
	}
	second.IsEnabled = true
	refused(second, made.ID)
	second.Audience = "another"
	if _, err := client.UpdateProvider(t.Context(), made.ID, second); err != nil {
		t.Errorf("another audience: %v", err)
	}
	if _, err := client.UpdateProvider(t.Context(), first.ID, genericProvider("one")); err != nil {
		t.Errorf("itself: %v", err)
	}
	if n := len(server.State().Providers); n != 2 {
		t.Errorf("%d providers, want 2", n)
	}
}

// Two creates of one apply cannot slip past each other.
func TestSecondProviderAtOnce(t *testing.T) {
	server, client := start(t, emulator.Options{})
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() { _, _ = client.CreateProvider(t.Context(), genericProvider("one")) })
	}
	wait.Wait()
	if n := len(server.State().Providers); n != 1 {
		t.Errorf("%d providers, want 1", n)
	}
}

// An update that is repeated after a lost answer ends where it should.
func TestLostUpdate(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	m, err := client.CreateMapping(t.Context(), provider, mappingInput("m"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []emulator.Kind{emulator.LostBefore, emulator.LostAfter, emulator.UnavailableAfter, emulator.RateLimited} {
		server.Inject(emulator.Fault{Method: "PUT", Kind: kind, Times: 1, RetryAfter: "0"})
		if out, err := client.UpdateMapping(t.Context(), provider, m.ID, mappingInput(string(kind))); err != nil || out.Name != string(kind) {
			t.Errorf("%s: %+v, %v", kind, out, err)
		}
	}
	if err := client.DeleteMapping(t.Context(), provider, m.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateMapping(t.Context(), provider, m.ID, mappingInput("m")); !IsNotFound(err) {
		t.Errorf("an update of what is gone: %v", err)
	}
}

func TestDifferencesNameTheMember(t *testing.T) {
	p := Provider{Name: "p", ProviderType: "generic", IssuerURL: "https://p.example.com", Audience: "a", IsEnabled: true}
	for member, in := range map[string]ProviderInput{
		"name":          {Name: "q", ProviderType: "generic", IssuerURL: p.IssuerURL, Audience: "a", IsEnabled: true},
		"provider_type": {Name: "p", ProviderType: "github", IssuerURL: p.IssuerURL, Audience: "a", IsEnabled: true},
		"issuer_url":    {Name: "p", ProviderType: "generic", IssuerURL: p.IssuerURL + "/", Audience: "a", IsEnabled: true},
		"audience":      {Name: "p", ProviderType: "generic", IssuerURL: p.IssuerURL, Audience: "b", IsEnabled: true},
		"is_enabled":    {Name: "p", ProviderType: "generic", IssuerURL: p.IssuerURL, Audience: "a"},
	} {
		if got := in.differences(p); len(got) != 1 || !strings.HasPrefix(got[0], member+" (asked for ") {
			t.Errorf("%s: %q", member, got)
		}
	}
	m := Mapping{Name: "m", Priority: 1, ClaimFilters: json.RawMessage(`{"a":["x","y"]}`)}
	in := m.input()
	in.AllowedRepoIDs, in.GroupBindingIDs = IDList{}, IDList{}
	in.ClaimFilters = json.RawMessage(`{ "a": ["y", "x"] }`)
	if got := in.differences(m); len(got) != 0 {
		t.Errorf("the same filters differ: %q", got)
	}
}
