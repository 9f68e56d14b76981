package cioidcprovider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// lookUp gives the configuration of a data source with these arguments, and an output that holds all of it.
func lookUp(server *emulator.Server, arguments ...string) string {
	return acctest.ProviderBlock(server) + "data \"aktrust_ci_oidc_provider\" \"test\" {\n  " + strings.Join(arguments, "\n  ") +
		"\n}\noutput \"test\" { value = data.aktrust_ci_oidc_provider.test }\n"
}

const list = "data \"aktrust_ci_oidc_providers\" \"test\" {}\noutput \"test\" { value = data.aktrust_ci_oidc_providers.test.providers }\n"

// output applies and gives the value of the output.
func output[T any](t *testing.T, w *acctest.Workspace) T {
	t.Helper()
	w.Apply()
	w.Plan(0)
	var value T
	if err := json.Unmarshal([]byte(w.Expect(0, "output", "-json", "test")), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func add(t *testing.T, server *emulator.Server, p emulator.Provider) emulator.Provider {
	t.Helper()
	added, err := server.AddProvider(p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

type object = map[string]any

// told is a provider as the data sources tell it.
func told(p emulator.Provider, more object) object {
	want := object{"id": p.ID, "name": p.Name, "provider_type": p.ProviderType, "issuer_url": p.IssuerURL, "audience": p.Audience,
		"is_enabled": p.IsEnabled, "key_source": p.KeySource, "static_jwks": nil, "key_ids": []any{}, "mapping_count": 0.0,
		"created_at": p.CreatedAt.Format(time.RFC3339Nano), "updated_at": p.UpdatedAt.Format(time.RFC3339Nano)}
	maps.Copy(want, more)
	return want
}

// Each way leads to the one provider, and to everything that the registry tells of it.
func TestLookup(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	static := add(t, server, emulator.Provider{Name: "prod", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com/prod",
		Audience: "ak", IsEnabled: true, KeySource: "static", StaticJWKS: json.RawMessage(keys("b", "a"))})
	plain := add(t, server, emulator.Provider{Name: "Prod", ProviderType: "generic", IssuerURL: "https://oidc.example.com/prod/"})
	if _, err := server.AddMapping(emulator.Mapping{ProviderID: static.ID, Name: "m", ClaimFilters: json.RawMessage("{}")}); err != nil {
		t.Fatal(err)
	}
	w := acctest.NewWorkspace(t, "")
	for _, c := range []struct {
		argument string
		want     object
	}{
		{fmt.Sprintf("id = %q", strings.ToUpper(plain.ID)), told(plain, nil)},
		{`name = "Prod"`, told(plain, nil)},
		{`issuer_url = "https://oidc.example.com/prod/"`, told(plain, nil)},
		{"issuer_url = \"https://oidc.example.com/prod\"\n  id = null", told(static,
			object{"static_jwks": keys("a", "b"), "key_ids": []any{"a", "b"}, "mapping_count": 1.0})},
	} {
		w.Config(lookUp(server, c.argument))
		got := output[object](t, w)
		if want, ok := c.want["static_jwks"].(string); ok && acctest.SameJSON(want, got["static_jwks"].(string)) {
			c.want["static_jwks"] = got["static_jwks"]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.argument, diff)
		}
	}
	// The order in which the registry gives keys is no change.
	w.Config(strings.ReplaceAll(lookUp(server, `name = "prod"`), "aktrust_ci_oidc_provider.test }", "aktrust_ci_oidc_provider.test.static_jwks }"))
	output[string](t, w)
	if err := server.UpdateProvider(static.ID, func(p *emulator.Provider) {
		p.StaticJWKS = json.RawMessage(strings.ReplaceAll(keys("b", "a"), ",", " ,\n "))
	}); err != nil {
		t.Fatal(err)
	}
	w.Plan(0)
}

// What leads to none or to several is an error that says which there are, and so is more or less than one way.
func TestLookupRefused(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	var ids []string
	for _, issuer := range []string{"https://a.example.com", "https://a.example.com", "https://B.example.com/"} {
		ids = append(ids, add(t, server, emulator.Provider{Name: "twin", IssuerURL: issuer}).ID)
	}
	w := acctest.NewWorkspace(t, "")
	for _, c := range []struct {
		name, arguments string
		says            []string
	}{
		{"no way", "", []string{"Exactly one of these attributes must be configured"}},
		{"null ways", "id = null\n  name = null", []string{"Exactly one of these attributes must be configured"}},
		{"two ways", `name = "twin"` + "\n  issuer_url = \"https://a.example.com\"", []string{"Exactly one of these attributes must be configured"}},
		{"empty id", `id = ""`, []string{"UUID"}},
		{"no id", `id = "twin"`, []string{"UUID"}},
		{"empty name", `name = ""`, []string{"name", "must not be empty"}},
		{"empty issuer", `issuer_url = ""`, []string{"issuer_url", "must not be empty"}},
		{"several names", `name = "twin"`, slices.Concat([]string{`more than one CI OIDC provider named "twin"`, "Use the id"}, ids)},
		{"several issuers", `issuer_url = "https://a.example.com"`,
			[]string{`more than one CI OIDC provider of issuer "https://a.example.com": ` + ids[0] + ", " + ids[1], "Use the id"}},
		{"another case of the name", `name = "Twin"`, []string{`has no CI OIDC provider named "Twin"`, `there is "twin"`}},
		{"another slash", `issuer_url = "https://b.example.com"`,
			[]string{`has no CI OIDC provider of issuer "https://b.example.com"`, `there is "https://B.example.com/"`}},
		{"nothing like it", `issuer_url = "https://c.example.com"`, []string{"has no CI OIDC provider of issuer", "check the spelling"}},
		{"no such id", `id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"`,
			[]string{"Cannot read the CI OIDC provider 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "404"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.Config(lookUp(server, c.arguments))
			acctest.Says(t, w.Plan(1), c.says...)
		})
	}
}

// A way that is unknown while planning is possibly given, and read when it is known.
func TestLookupUnknown(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	p := add(t, server, emulator.Provider{Name: "prod", IssuerURL: "https://oidc.example.com"})
	const from = "terraform_data.later.output.value"
	for _, c := range []struct{ name, arguments, value, says string }{
		{"id", "id = " + from, p.ID, ""},
		{"id turns out none", "id = " + from, "prod", "UUID"},
		{"name", "name = " + from, "prod", ""},
		{"name turns out null", "name = " + from, "", "Exactly one"},
		{"issuer", "issuer_url = " + from, p.IssuerURL, ""},
		{"issuer turns out null beside a name", "name = \"prod\"\n  issuer_url = " + from, "", ""},
		{"issuer turns out given beside a name", "name = \"prod\"\n  issuer_url = " + from, p.IssuerURL, "Exactly one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := acctest.NewWorkspace(t, lookUp(server, c.arguments)+"variable \"value\" { default = null }\n"+
				"resource \"terraform_data\" \"later\" { input = { value = var.value } }\n")
			var vars []string
			if c.value != "" {
				vars = []string{"-var=value=" + c.value}
			}
			w.Plan(2, vars...)
			if c.says != "" {
				acctest.Says(t, w.Expect(1, append([]string{"apply", "-no-color", "-auto-approve"}, vars...)...), c.says)
				return
			}
			w.Apply(vars...)
			acctest.Says(t, w.Expect(0, "output", "-json", "test"), p.ID)
			w.Plan(0, vars...)
		})
	}
}

// The list has every provider, sorted, and without any it is empty.
func TestList(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(server)+list)
	if got := output[[]object](t, w); got == nil || len(got) != 0 {
		t.Errorf("without providers the list is %#v", got)
	}
	b := add(t, server, emulator.Provider{Name: "b", IssuerURL: "https://b.example.com", ProviderType: "gitlab"})
	a := add(t, server, emulator.Provider{Name: "a", IssuerURL: "https://a.example.com", ProviderType: "kubernetes", IsEnabled: true})
	if diff := cmp.Diff([]object{told(a, nil), told(b, nil)}, output[[]object](t, w)); diff != "" {
		t.Error(diff)
	}
	fault := server.Inject(emulator.Fault{Kind: emulator.Forbidden})
	defer fault.Remove()
	acctest.Says(t, w.Plan(1), "Cannot read the CI OIDC providers", "403")
}

// Registries before 1.11 know discovery only, and say nothing of it.
func TestLookupAtOldRegistry(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{Profile: emulator.Profile110})
	p := add(t, server, emulator.Provider{Name: "prod", ProviderType: "Keycloak", IssuerURL: "https://oidc.example.com"})
	w := acctest.NewWorkspace(t, lookUp(server, `name = "prod"`))
	if diff := cmp.Diff(told(p, object{"key_source": "discovery"}), output[object](t, w)); diff != "" {
		t.Error(diff)
	}
}
