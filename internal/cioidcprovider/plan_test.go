package cioidcprovider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// set gives the arguments of minimal with some replaced or added; an empty value removes one.
func set(changes map[string]string) []string {
	arguments := map[string]string{"name": `"prod"`, "provider_type": `"kubernetes"`, "issuer_url": `"https://oidc.example.com/prod"`}
	var lines []string
	maps.Copy(arguments, changes)
	for name, value := range arguments {
		if value != "" {
			lines = append(lines, name+" = "+value)
		}
	}
	return lines
}

// Bad input is refused while planning, in words that name the argument, and nothing is asked of the registry.
func TestRefused(t *testing.T) {
	cases := []struct {
		name    string
		changes map[string]string
		says    []string
	}{
		{"no name", map[string]string{"name": `""`}, []string{"name must not be empty. Write a name for people"}},
		{"long name", map[string]string{"name": `"` + strings.Repeat("n", 256) + `"`}, []string{"255"}},
		{"type", map[string]string{"provider_type": `"Kubernetes"`}, []string{"provider_type", `"kubernetes"`}},
		{"http", map[string]string{"issuer_url": `"http://oidc.example.com"`}, []string{"Not an issuer", "not an https URL"}},
		{"no host", map[string]string{"issuer_url": `"https:///prod"`}, []string{"names no host"}},
		{"query", map[string]string{"issuer_url": `"https://oidc.example.com?x"`}, []string{"has a query"}},
		{"empty query", map[string]string{"issuer_url": `"https://oidc.example.com?"`}, []string{"has a query"}},
		{"fragment", map[string]string{"issuer_url": `"https://oidc.example.com#x"`}, []string{"has a fragment"}},
		{"empty fragment", map[string]string{"issuer_url": `"https://oidc.example.com#"`}, []string{"has a fragment"}},
		{"empty issuer", map[string]string{"issuer_url": `""`}, []string{"Not an issuer"}},
		{"empty audience", map[string]string{"audience": `""`}, []string{"audience must not be empty. Write the audience of the tokens, or leave it out"}},
		{"API server's audience", map[string]string{"audience": `"https://kubernetes.default.svc"`}, []string{"An audience of the API server", "every pod"}},
		{"with its domain", map[string]string{"audience": `"https://kubernetes.default.svc.cluster.local"`}, []string{"An audience of the API server"}},
		{"issuer as audience", map[string]string{"audience": `"https://oidc.example.com/prod"`}, []string{"--api-audiences"}},
		{"discovery and keys", map[string]string{"key_source": `"discovery"`, "static_jwks": acctest.HCL(keys("a"))}, []string{"A key set beside discovery"}},
		{"discovery and a private key", map[string]string{"key_source": `"discovery"`,
			"static_jwks": acctest.HCL(strings.Replace(keys("a"), `"kid"`, `"d":"c2VjcmV0LWNhbmFyeQ","kid"`, 1))}, []string{"static_jwks", "private"}},
		{"static without keys", map[string]string{"key_source": `"static"`}, []string{"Static keys without a key set"}},
		{"key source", map[string]string{"key_source": `"jwks"`}, []string{"key_source"}},
		{"no keys", map[string]string{"static_jwks": `jsonencode({ keys = [] })`}, []string{"static_jwks", "keys"}},
		{"not a set", map[string]string{"static_jwks": `"<html>"`}, []string{"static_jwks"}},
		{"clash", map[string]string{"static_jwks": acctest.HCL(strings.Replace(keys("a", "b"), `"kid":"b"`, `"kid":"a"`, 1))}, []string{"static_jwks"}},
		{"private", map[string]string{"static_jwks": acctest.HCL(strings.Replace(keys("a"), `"kid"`, `"d":"c2VjcmV0LWNhbmFyeQ","kid"`, 1))},
			[]string{"static_jwks", "private"}},
	}
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, "")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w.Config(provider(server, set(c.changes)...))
			out := w.Expect(1, "plan", "-no-color")
			acctest.Says(t, out, c.says...)
			acctest.Silent(t, out, "c2VjcmV0LWNhbmFyeQ")
		})
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests to the registry", n)
	}
}

// What another type of provider may have is not refused for it.
func TestNotRefused(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, provider(server, set(map[string]string{
		"provider_type": `"generic"`, "audience": `"https://oidc.example.com/prod"`})...))
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")
}

// A warning comes with the plan that makes the change, and with no later one.
func TestWarnings(t *testing.T) {
	two := acctest.HCL(keys("a", "b"))
	cases := []struct {
		name   string
		before map[string]string // nil for a create
		after  map[string]string
		says   string // empty for no warning
	}{
		{"public issuer", nil, map[string]string{}, ""},
		{"cluster's own name", nil, map[string]string{"issuer_url": `"https://oidc.svc"`}, "The registry may not reach this issuer"},
		{"cluster's long name", nil, map[string]string{"issuer_url": `"https://kubernetes.default.svc.cluster.local"`}, "name inside the cluster"},
		{"private address", nil, map[string]string{"issuer_url": `"https://10.0.0.1:6443"`}, "https://10.0.0.1:6443, and its host is a private address"},
		{"loopback", nil, map[string]string{"issuer_url": `"https://[::1]"`}, "private address"},
		{"private name", nil, map[string]string{"issuer_url": `"https://oidc.corp.local"`}, "private network"},
		{"one word", nil, map[string]string{"issuer_url": `"https://oidc"`}, "not a public name"},
		{"private with keys", nil, map[string]string{"issuer_url": `"https://oidc.svc"`, "static_jwks": two}, ""},
		{"rotation with overlap", map[string]string{"static_jwks": two}, map[string]string{"static_jwks": acctest.HCL(keys("b", "c"))},
			"Tokens of a dropped key may still be in use"},
		{"a key added", map[string]string{"static_jwks": acctest.HCL(keys("a"))}, map[string]string{"static_jwks": two}, ""},
		{"rotation without", map[string]string{"static_jwks": two}, map[string]string{"static_jwks": acctest.HCL(keys("c"))}, "No key of the old set remains"},
		{"another issuer", map[string]string{}, map[string]string{"issuer_url": `"https://oidc.example.com/next"`},
			`every token with the iss "https://oidc.example.com/prod"`},
		{"another slash", map[string]string{}, map[string]string{"issuer_url": `"https://oidc.example.com/prod/"`}, "Tokens of the old issuer are refused"},
		{"another audience", map[string]string{"audience": `"old"`}, map[string]string{"audience": `"new"`}, `every token for the audience "old"`},
		{"the default audience instead", map[string]string{"audience": `"old"`}, map[string]string{}, "Tokens for the old audience are refused"},
		{"the default audience written out", map[string]string{}, map[string]string{"audience": `"artifact-keeper"`, "name": `"next"`}, ""},
		{"an audience of jobs", map[string]string{"provider_type": `"gitlab"`, "audience": `"old"`}, map[string]string{"provider_type": `"gitlab"`},
			`"old". Whoever asks for that one`},
		{"jobs' keys", map[string]string{"provider_type": `"gitlab"`, "static_jwks": two},
			map[string]string{"provider_type": `"gitlab"`, "static_jwks": acctest.HCL(keys("a"))}, "are not those of a cluster"},
		{"all of a disabled one", map[string]string{"is_enabled": "false", "audience": `"old"`, "static_jwks": two},
			map[string]string{"issuer_url": `"https://oidc.example.com/next"`, "static_jwks": acctest.HCL(keys("c"))}, ""},
		{"leaving kubernetes", map[string]string{}, map[string]string{"provider_type": `"generic"`}, "Credentials become writable"},
		{"entering kubernetes", map[string]string{"provider_type": `"generic"`}, map[string]string{}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			w := acctest.NewWorkspace(t, "")
			if c.before != nil {
				w.Config(provider(server, set(c.before)...))
				w.Apply()
			}
			w.Config(provider(server, set(c.after)...))
			planned := w.Plan(2, "-out=plan.bin")
			w.Expect(0, "apply", "-no-color", "plan.bin")
			if c.says != "" {
				acctest.Says(t, planned, "Warning: ", c.says)
			} else {
				acctest.Silent(t, planned, "Warning: ")
			}
			acctest.Silent(t, w.Plan(0), "Warning: ")
		})
	}
}

// later is a value that is known only after another resource was made.
const later = `
variable "value" {
  type    = string
  default = null
}
resource "terraform_data" "later" {
  input = { value = var.value }
}
`

func value2(v string) string { return "-var=value=" + v }

// What is unknown while planning is neither refused nor absent, and is checked and warned of at apply.
func TestUnknown(t *testing.T) {
	const from = "terraform_data.later.output.value"
	cases := []struct {
		name     string
		argument string
		value    string // what it turns out to be; null when empty
		ok       bool
		says     string
	}{
		{"keys", "static_jwks", keys("a"), true, ""},
		{"keys turn out null", "static_jwks", "", true, ""},
		{"audience", "audience", "registry", true, ""},
		{"audience turns out null", "audience", "", true, ""},
		{"audience turns out the API server's", "audience", "https://kubernetes.default.svc", false, "An audience of the API server"},
		{"issuer turns out the audience", "issuer_url", "artifact-keeper", false, "Not an issuer"},
		{"issuer turns out private", "issuer_url", "https://oidc.svc", true, "The registry may not reach this issuer"},
		{"name", "name", "named", true, ""},
		{"type", "provider_type", "kubernetes", true, ""},
		{"type turns out wrong", "provider_type", "k8s", false, "provider_type"},
		{"is_enabled", "is_enabled", "false", true, ""},
		{"is_enabled turns out null", "is_enabled", "", true, ""},
		{"key source", "key_source", "discovery", true, ""},
		{"key source turns out static", "key_source", "static", false, "Static keys without a key set"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			w := acctest.NewWorkspace(t, later+provider(server, set(map[string]string{c.argument: from})...))
			var vars []string
			if c.value != "" {
				vars = append(vars, value2(c.value))
			}
			acctest.Silent(t, w.Plan(2, vars...), "Warning: ")
			code := 1
			if c.ok {
				code = 0
			}
			out := w.Expect(code, append([]string{"apply", "-no-color", "-auto-approve"}, vars...)...)
			acctest.Says(t, out, c.says)
			if made := len(server.State().Providers) == 1; made != c.ok {
				t.Errorf("made: %v, want %v", made, c.ok)
			}
			if c.ok {
				acctest.Silent(t, w.Plan(0, vars...), "Warning: ")
			}
		})
	}
}

// Keys that are pinned stay pinned when their source turns out to give none.
func TestPinnedKeysStay(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	config := later + provider(server, set(map[string]string{"static_jwks": "terraform_data.later.output.value"})...)
	w := acctest.NewWorkspace(t, config)
	w.Apply(value2(keys("a")))
	out := w.Expect(1, "apply", "-no-color", "-auto-approve")
	acctest.Says(t, out, "The keys would be unpinned")
	if got := server.State().Providers[0]; got.KeySource != "static" {
		t.Errorf("the registry has %+v", got)
	}
}

// Everything that someone changes behind our back shows in the next plan, and one apply takes it back.
func TestDrift(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, provider(server, set(map[string]string{"static_jwks": acctest.HCL(keys("a", "b"))})...))
	w.Apply()
	before := server.State().Providers[0]
	changes := []struct {
		says   []string
		change func(*emulator.Provider)
	}{
		{[]string{`~ name = "other" -> "prod"`}, func(p *emulator.Provider) { p.Name = "other" }},
		{[]string{`~ provider_type = "generic" -> "kubernetes"`}, func(p *emulator.Provider) { p.ProviderType = "generic" }},
		{[]string{`~ issuer_url = "https://evil.example.com" -> "https://oidc.example.com/prod"`},
			func(p *emulator.Provider) { p.IssuerURL = "https://evil.example.com" }},
		{[]string{`~ audience = "other" -> "artifact-keeper"`}, func(p *emulator.Provider) { p.Audience = "other" }},
		{[]string{`~ is_enabled = false -> true`}, func(p *emulator.Provider) { p.IsEnabled = false }},
		{[]string{`~ key_ids = [`, `"evil"`, `"b"`}, func(p *emulator.Provider) { p.StaticJWKS = json.RawMessage(keys("a", "evil")) }},
		{[]string{`~ key_source = "discovery" -> "static"`, `+ "a",`},
			func(p *emulator.Provider) { p.KeySource, p.StaticJWKS = "discovery", nil }},
	}
	for _, c := range changes {
		if err := server.UpdateProvider(before.ID, c.change); err != nil {
			t.Fatal(err)
		}
		acctest.Says(t, w.Plan(2), c.says...)
		w.Apply()
		w.Plan(0)
		after := server.State().Providers[0]
		after.UpdatedAt = before.UpdatedAt
		if !acctest.SameJSON(string(after.StaticJWKS), string(before.StaticJWKS)) {
			t.Errorf("after %s the keys are %s", c.says, after.StaticJWKS)
		}
		after.StaticJWKS = before.StaticJWKS
		if fmt.Sprintf("%+v", after) != fmt.Sprintf("%+v", before) {
			t.Errorf("after %s the registry has %+v, want %+v", c.says, after, before)
		}
	}
	if err := server.DeleteProvider(before.ID); err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, w.Plan(2), "1 to add")
	w.Apply()
	w.Plan(0)
}
