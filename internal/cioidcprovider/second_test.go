package cioidcprovider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// A second provider of an issuer and audience is warned of in the plan and refused by apply; nothing else of that kind is said.
func TestSecondProvider(t *testing.T) {
	const second = "Warning: A second provider of this issuer and audience"
	there := emulator.Provider{Name: "first", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com/prod",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"}
	free := map[string]string{"issuer_url": `"https://oidc.example.com/free"`}
	for _, c := range []struct {
		name          string
		before, after map[string]string // nil before for a create
		there         func(*emulator.Provider)
		warns         bool
	}{
		{name: "created", warns: true},
		{name: "created with a slash more", after: map[string]string{"issuer_url": `"https://oidc.example.com/prod/"`}, warns: true},
		{name: "moved to that issuer", before: free, warns: true},
		{name: "moved to that audience", before: map[string]string{"audience": `"other"`}, warns: true},
		{name: "enabled", before: map[string]string{"is_enabled": "false"}, warns: true},
		{name: "another issuer", after: free},
		{name: "another audience", after: map[string]string{"audience": `"other"`}},
		{name: "created disabled", after: map[string]string{"is_enabled": "false"}},
		{name: "the first is disabled", there: func(p *emulator.Provider) { p.IsEnabled = false }},
		{name: "another issuer, renamed", before: free, after: map[string]string{"issuer_url": free["issuer_url"], "name": `"next"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			first := there
			if c.there != nil {
				c.there(&first)
			}
			first, err := server.AddProvider(first)
			if err != nil {
				t.Fatal(err)
			}
			w := acctest.NewWorkspace(t, "")
			if c.before != nil {
				w.Config(provider(server, set(c.before)...))
				acctest.Silent(t, w.Apply(), second)
			}
			w.Config(provider(server, set(c.after)...))
			out := w.Plan(2)
			if c.warns {
				acctest.Says(t, out, second, `"first" with id `+first.ID, `Apply refuses the CI OIDC provider "prod" unless`, "Import the existing one", "moved block")
				acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "Error: Cannot", "already has an enabled CI OIDC provider")
				return
			}
			acctest.Silent(t, out, "Warning: ")
			acctest.Silent(t, w.Apply(), "Warning: ")
		})
	}
}

// The provider itself is no second one, nor is one that the same run takes away first.
func TestNoSecondProvider(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, provider(server, minimal("prod")...))
	w.Apply()
	acctest.Silent(t, w.Plan(2, "-replace="+address), "Warning: ")
	w.Config(provider(server, with(minimal("prod"), "is_enabled = false")...))
	w.Apply()
	w.Config(provider(server, minimal("next")...))
	acctest.Silent(t, w.Apply(), "Warning: ")
}

// A plan of many providers lists once, and one that cannot list plans all the same. What is unknown is looked at during apply.
func TestLookForASecondProvider(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	if _, err := server.AddProvider(emulator.Provider{Name: "first", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com/7",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"}); err != nil {
		t.Fatal(err)
	}
	many := map[string]string{"issuer_url": `"https://oidc.example.com/${count.index}"`, "count": "20"}
	w := acctest.NewWorkspace(t, provider(server, set(many)...))
	out := w.Plan(2)
	if n := strings.Count(out, "A second provider of this issuer"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, out)
	}
	if got := server.Requests(); len(got) != 1 || got[0].Method != http.MethodGet {
		t.Errorf("asks %+v, want one list", got)
	}
	w.Config(later + provider(server, set(map[string]string{"issuer_url": "terraform_data.later.output.value"})...))
	acctest.Silent(t, w.Plan(2, value2("https://oidc.example.com/7")), "Warning: ")
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve", value2("https://oidc.example.com/7")), "already has an enabled CI OIDC provider")
	config := provider(server, set(nil)...)
	server.Close()
	w.Config(strings.Replace(config, "token ", "max_retries = 0\n  token ", 1))
	acctest.Silent(t, w.Plan(2), "Warning: ", "Error: ")
}
