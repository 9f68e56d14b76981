package artifactkeeper

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const keySet = `{"keys":[{"kty":"EC","crv":"P-256","kid":"one","use":"sig","alg":"ES256",` +
	`"x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`

func kubernetesProvider(name string) ProviderInput {
	in := genericProvider(name)
	in.ProviderType, in.KeySource, in.StaticJWKS = TypeKubernetes, KeySourceStatic, json.RawMessage(keySet)
	return in
}

// What an old registry ignores is refused before anything is sent.
func TestOldRegistryGetsNothing(t *testing.T) {
	cases := []struct {
		name string
		call func(c *Client, provider, mapping string) error
	}{
		{`provider_type "kubernetes"`, func(c *Client, _, _ string) error {
			in := genericProvider("q")
			in.ProviderType = TypeKubernetes
			_, err := c.CreateProvider(t.Context(), in)
			return err
		}},
		{"static_jwks", func(c *Client, _, _ string) error {
			_, err := c.CreateProvider(t.Context(), kubernetesProvider("q"))
			return err
		}},
		{"key_source", func(c *Client, p, _ string) error {
			in := genericProvider("p")
			in.KeySource = KeySourceDiscovery
			_, err := c.UpdateProvider(t.Context(), p, in)
			return err
		}},
		{"group_binding_ids", func(c *Client, p, _ string) error {
			in := mappingInput("n")
			in.GroupBindingIDs = IDs()
			_, err := c.CreateMapping(t.Context(), p, in)
			return err
		}},
		{"JSON Pointer", func(c *Client, p, _ string) error {
			in := mappingInput("n")
			in.ClaimFilters = json.RawMessage(`{"/kubernetes.io/namespace":"team"}`)
			_, err := c.CreateMapping(t.Context(), p, in)
			return err
		}},
		{"clearing allowed_repo_ids", func(c *Client, p, m string) error {
			in := mappingInput("m")
			in.AllowedRepoIDs = Cleared()
			_, err := c.UpdateMapping(t.Context(), p, m, in)
			return err
		}},
	}
	for _, profile := range []emulator.Profile{emulator.Profile18, emulator.Profile110, "unreadable"} {
		for _, c := range cases {
			t.Run(string(profile)+"/"+c.name, func(t *testing.T) {
				options := emulator.Options{Profile: profile}
				if profile == "unreadable" {
					options.Profile = emulator.Profile111
				}
				server, client := start(t, options)
				provider := under(t, server)
				mapping, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: "m", IsEnabled: true, Priority: 100,
					ClaimFilters: json.RawMessage(`{"sub":"m"}`), AllowedRepoIDs: []string{}})
				if err != nil {
					t.Fatal(err)
				}
				if profile == "unreadable" {
					server.Inject(emulator.Fault{Path: "/health", Kind: emulator.HTMLPage})
				}
				err = c.call(client, provider, mapping.ID)
				var unsupported *UnsupportedError
				if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), "1.11") {
					t.Fatalf("error is %v", err)
				}
				if profile != "unreadable" && !strings.Contains(err.Error(), string(profile)) {
					t.Errorf("the error does not name the version %s: %s", profile, err)
				}
				for _, r := range server.Requests() {
					if r.Method != http.MethodGet {
						t.Errorf("%s %s was sent", r.Method, r.Path)
					}
				}
			})
		}
	}
}

// What an old registry does understand works there, without asking for its version.
func TestOldRegistryGetsWhatItKnows(t *testing.T) {
	for _, profile := range []emulator.Profile{emulator.Profile18, emulator.Profile110} {
		server, client := start(t, emulator.Options{Profile: profile})
		p, err := client.CreateProvider(t.Context(), genericProvider("p"))
		if err != nil {
			t.Fatal(err)
		}
		in := mappingInput("m")
		in.AllowedRepoIDs = IDs()
		m, err := client.CreateMapping(t.Context(), p.ID, in)
		if err != nil {
			t.Fatal(err)
		}
		in.Priority = 7
		if _, err := client.UpdateMapping(t.Context(), p.ID, m.ID, in); err != nil {
			t.Error(err)
		}
		if got := server.State().Mappings[0]; got.AllowedRepoIDs == nil || len(got.AllowedRepoIDs) != 0 || got.Priority != 7 {
			t.Errorf("the registry has %+v", got)
		}
		if n := count(server, "GET", "/health"); n != 0 {
			t.Errorf("%d requests for the version", n)
		}
	}
}

// The second line: a registry that turned old after its version was read does not keep what it did not understand.
func TestIgnoredMembersAreUndone(t *testing.T) {
	t.Run("create provider", func(t *testing.T) {
		server, client := turnedOld(t)
		out, err := client.CreateProvider(t.Context(), kubernetesProvider("q"))
		checkNotApplied(t, err, "static_jwks")
		for _, p := range server.State().Providers {
			if p.ID == out.ID {
				t.Errorf("the provider is still there: %+v", p)
			}
		}
	})
	t.Run("create mapping", func(t *testing.T) {
		server, client := turnedOld(t)
		in := mappingInput("n")
		in.GroupBindingIDs = IDs()
		_, err := client.CreateMapping(t.Context(), server.State().Providers[0].ID, in)
		checkNotApplied(t, err, "group_binding_ids (asked for [], got null)")
		if n := len(server.State().Mappings); n != 1 {
			t.Errorf("%d mappings, want the 1 from before", n)
		}
	})
	t.Run("update mapping", func(t *testing.T) {
		server, client := turnedOld(t)
		before := server.State().Mappings[0]
		in := mappingInput("renamed")
		in.AllowedRepoIDs, in.GroupBindingIDs = Cleared(), Cleared()
		_, err := client.UpdateMapping(t.Context(), before.ProviderID, before.ID, in)
		checkNotApplied(t, err, "allowed_repo_ids (asked for null")
		after := server.State().Mappings[0]
		if after.Name != before.Name || string(after.ClaimFilters) != string(before.ClaimFilters) || after.AllowedRepoIDs == nil {
			t.Errorf("the mapping is %+v, want %+v", after, before)
		}
	})
	t.Run("undo fails", func(t *testing.T) {
		server, client := turnedOld(t)
		server.Inject(emulator.Fault{Method: "DELETE", Kind: emulator.Forbidden})
		in := mappingInput("n")
		in.GroupBindingIDs = IDs()
		out, err := client.CreateMapping(t.Context(), server.State().Providers[0].ID, in)
		if !Remains(err) || out.ID == "" || !strings.Contains(err.Error(), "UNDOING IT FAILED") {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

// turnedOld gives a registry with a provider and a mapping that was replaced by an older one after the client has
// read its version.
func turnedOld(t *testing.T) (*emulator.Server, *Client) {
	t.Helper()
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	if _, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: "m", IsEnabled: true, Priority: 100,
		ClaimFilters: json.RawMessage(`{"sub":"m"}`), AllowedRepoIDs: []string{}, GroupBindingIDs: []string{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.version(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.SetProfile(emulator.Profile110); err != nil {
		t.Fatal(err)
	}
	return server, client
}

func checkNotApplied(t *testing.T, err error, member string) {
	t.Helper()
	var missed *NotAppliedError
	if !errors.As(err, &missed) || missed.UndoErr != nil || !strings.Contains(err.Error(), member) {
		t.Errorf("error is %v, want one about %s", err, member)
	}
}

// A list of which nothing is said is expected to be null. When somebody has narrowed the mapping meanwhile, it is not
// widened, and the error says so.
func TestUpdateDoesNotWiden(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	m, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: "m", IsEnabled: true, Priority: 100,
		ClaimFilters: json.RawMessage(`{"sub":"m"}`), AllowedRepoIDs: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.UpdateMapping(t.Context(), provider, m.ID, mappingInput("renamed"))
	checkNotApplied(t, err, "allowed_repo_ids (asked for null, got [])")
	if got := server.State().Mappings[0]; got.AllowedRepoIDs == nil || got.Name != "m" {
		t.Errorf("the mapping is %+v", got)
	}
}

func TestVersions(t *testing.T) {
	for version, supported := range map[string]bool{
		"1.10.9": false, "1.11.0": true, "1.11.0-rc.1": true, "v1.12.3": true, "2.0.0": true, "0.9": false, "latest": false, "": false,
	} {
		s := newStub(t, answer(200, "application/json", `{"status":"healthy","version":"`+version+`"}`))
		if err := s.client(t).support(t.Context(), []string{"x"}); (err == nil) != supported {
			t.Errorf("version %q: %v", version, err)
		}
	}
}
