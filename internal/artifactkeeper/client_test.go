package artifactkeeper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

// start gives a registry and a client of it.
func start(t *testing.T, options emulator.Options, change ...func(*Config)) (*emulator.Server, *Client) {
	t.Helper()
	server, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, connect(t, server, change...)
}

// connect gives another client of a registry, as another run of the CLI has it.
func connect(t *testing.T, server *emulator.Server, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{Endpoint: server.URL(), CACertificate: server.CACertificate(), Token: server.Token(), MaxRetries: 2,
		retryWait: time.Millisecond, RequestTimeout: 5 * time.Second}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// count tells how many requests with this method and a path that ends like this the registry has had.
func count(server *emulator.Server, method, suffix string) int {
	n := 0
	for _, r := range server.Requests() {
		if r.Method == method && strings.HasSuffix(r.Path, suffix) {
			n++
		}
	}
	return n
}

func genericProvider(name string) ProviderInput {
	return ProviderInput{Name: name, ProviderType: "generic", IssuerURL: "https://" + name + ".example.com",
		Audience: "artifact-keeper", IsEnabled: true}
}

func mappingInput(name string) MappingInput {
	return MappingInput{Name: name, Priority: 100, IsEnabled: true, ClaimFilters: json.RawMessage(`{"sub":"` + name + `"}`)}
}

// under makes a provider for mappings to stand under.
func under(t *testing.T, server *emulator.Server) string {
	t.Helper()
	p, err := server.AddProvider(emulator.Provider{Name: "p", ProviderType: "generic", IssuerURL: "https://p.example.com",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func TestTokenFileIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, c := start(t, emulator.Options{}, func(cfg *Config) { cfg.Token, cfg.TokenFile = "", file })
	write(server.Token() + "\n")
	if _, err := c.GroupByName(t.Context(), "nobody"); adviceOf(err) == "" || strings.Contains(err.Error(), "401") {
		t.Fatalf("with the token: %v", err)
	}
	fresh := server.RotateToken()
	_, err := c.RepositoryByKey(t.Context(), "k")
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with the old token in the file: %v", err)
	}
	write(fresh)
	if _, err := c.CreateProvider(t.Context(), genericProvider("after")); err != nil {
		t.Errorf("with the new token in the file: %v", err)
	}
	for _, bad := range []string{"", "two words", "two\nlines"} {
		write(bad)
		server.RotateToken()
		_, err := c.RepositoryByKey(t.Context(), "k")
		if err == nil || !strings.Contains(err.Error(), "token_file") || (bad != "" && strings.Contains(err.Error(), bad)) {
			t.Errorf("with %q in the file: %v", bad, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := c.RepositoryByKey(t.Context(), "k"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("without the file: %v", err)
	}
}

func asUser(server *emulator.Server) func(*Config) {
	return func(cfg *Config) {
		cfg.Token = ""
		cfg.Username, cfg.Password = server.Credentials()
	}
}

func TestLoginOnceAndAgainAfter401(t *testing.T) {
	server, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	c := connect(t, server, asUser(server))
	done := make(chan error)
	for range 8 {
		go func() { _, err := c.Providers(t.Context()); done <- err }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := count(server, "POST", "/auth/login"); n != 1 {
		t.Errorf("%d logins, want 1", n)
	}
	server.EndSessions()
	if _, err := c.CreateProvider(t.Context(), genericProvider("after")); err != nil {
		t.Errorf("after the session ended: %v", err)
	}
	if n := count(server, "POST", "/auth/login"); n != 2 {
		t.Errorf("%d logins, want 2", n)
	}
	if n := len(server.State().Providers); n != 1 {
		t.Errorf("%d providers, want 1", n)
	}
}

// A session that never worked is not renewed for every call that it is refused for: the limiter would lock the user out.
func TestRefusedSessionIsNotRenewed(t *testing.T) {
	server, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	server.Inject(emulator.Fault{Path: "/api/v1/admin/...", Kind: emulator.Unauthorized})
	c := connect(t, server, asUser(server))
	for range 20 {
		if _, err := c.Providers(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("error is %v", err)
		}
	}
	if n := count(server, "POST", "/auth/login"); n != 1 {
		t.Errorf("%d logins, want 1", n)
	}
}

func TestLoginThatCannotBeUsed(t *testing.T) {
	cases := []struct {
		name    string
		options emulator.Options
		fault   *emulator.Fault
		change  func(*Config)
		says    string
		advice  string
	}{
		{name: "wrong password", change: func(cfg *Config) { cfg.Password = "hunter22-wrong" }, says: "does not accept", advice: "Check username"},
		{name: "must change password", options: emulator.Options{MustChangePassword: true}, says: "must change its password", advice: "web page"},
		{name: "second factor", options: emulator.Options{TOTPRequired: true}, says: "second factor", advice: "service account"},
		{name: "limiter", fault: &emulator.Fault{Path: "/api/v1/auth/login", Kind: emulator.RateLimited, RetryAfter: "540"},
			says: "limits logins", advice: "Wait 9 minutes"},
		{name: "unavailable", fault: &emulator.Fault{Path: "/api/v1/auth/login", Kind: emulator.UnavailableBefore},
			says: "did not succeed", advice: "in trouble"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server, err := emulator.Start(c.options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			if c.fault != nil {
				server.Inject(*c.fault)
			}
			change := []func(*Config){asUser(server)}
			if c.change != nil {
				change = append(change, c.change)
			}
			client := connect(t, server, change...)
			_, err = client.Providers(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(adviceOf(err), c.advice) {
				t.Fatalf("error is %v (%s)", err, adviceOf(err))
			}
			_, password := server.Credentials()
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "hunter22") {
				t.Errorf("the password is in the error: %s", err)
			}
			logins := count(server, "POST", "/auth/login")
			if _, again := client.Providers(t.Context()); again == nil {
				t.Error("a failed login is forgotten")
			}
			if n := count(server, "POST", "/auth/login"); n != logins {
				t.Errorf("a failed login was tried again: %d and then %d", logins, n)
			}
		})
	}
}

// Whatever a server echoes, no credential comes out of the client.
func TestEchoedCredentials(t *testing.T) {
	var logged []string
	server, c := start(t, emulator.Options{}, func(cfg *Config) {
		cfg.Headers = map[string]string{"X-Access": "canary-header-value"}
		cfg.Log = func(message string, fields map[string]any) {
			text, _ := json.Marshal(fields)
			logged = append(logged, message+string(text))
		}
	})
	server.Inject(emulator.Fault{Kind: emulator.Echo})
	const oidc = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.c2ln"
	_, first := c.RepositoryByKey(t.Context(), "k")
	_, second := c.Exchange(t.Context(), oidc, "")
	for _, err := range []error{first, second} {
		if err == nil || !strings.Contains(err.Error(), scrub.Redacted) {
			t.Fatalf("nothing was echoed, so that nothing is shown: %v", err)
		}
		text := err.Error() + adviceOf(err) + strings.Join(logged, "")
		for _, secret := range []string{server.Token(), "canary-header-value", oidc} {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is in: %s", text)
			}
		}
	}
	if len(logged) == 0 {
		t.Error("no request was logged")
	}
}

func TestHeadersAndUserAgent(t *testing.T) {
	server, c := start(t, emulator.Options{RequireHeaders: map[string]string{"X-Access": "letmein"}}, func(cfg *Config) {
		cfg.Headers = map[string]string{"X-Access": "letmein"}
	})
	if _, err := c.Providers(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := connect(t, server).Providers(t.Context()); err == nil || !strings.Contains(adviceOf(err), "access proxy") {
		t.Errorf("without the header: %v (%s)", err, adviceOf(err))
	}
}

func TestBasePath(t *testing.T) {
	_, c := start(t, emulator.Options{BasePath: "/registry"})
	if _, err := c.Health(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Providers(t.Context()); err != nil {
		t.Error(err)
	}
}
