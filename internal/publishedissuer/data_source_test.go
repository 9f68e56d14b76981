package publishedissuer_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "data.aktrust_published_issuer.test"

// config reads an issuer as a pipeline does: the check warns, and whatever is read is an output, so that a plan shows it
// when it changes. The provider is not configured.
func config(lines ...string) string {
	return fmt.Sprintf(`data "aktrust_published_issuer" "test" {
%s
}
check "published" {
  assert {
    condition     = data.aktrust_published_issuer.test.consistent
    error_message = join("\n", data.aktrust_published_issuer.test.problems)
  }
}
output "everything" { value = data.aktrust_published_issuer.test }
`, strings.Join(lines, "\n"))
}

func argument(name, value string) string { return fmt.Sprintf("  %s = %s", name, acctest.HCL(value)) }

// arguments read an issuer of a server.
func arguments(server *publisher.Server, issuer string, more ...string) []string {
	return append([]string{argument("issuer_url", issuer), argument("ca_certificate", server.CA())}, more...)
}

func value(at string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(at), want)
}

func list(texts ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(texts))
	for i, text := range texts {
		checks[i] = knownvalue.StringExact(text)
	}
	return knownvalue.ListExact(checks)
}

func TestEveryAttribute(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	issuer := server.Issue("/prod", acctest.KeySet("b", "a"))
	key := func(kid string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"kid": knownvalue.StringExact(kid), "kty": knownvalue.StringExact("EC"), "alg": knownvalue.StringExact("ES256"),
			"use": knownvalue.StringExact("sig"), "thumbprint": knownvalue.StringRegexp(regexp.MustCompile(`^[\w-]{43}$`)),
			"public_key_pem": knownvalue.StringRegexp(regexp.MustCompile(`^-----BEGIN PUBLIC KEY-----\n`)),
		})
	}
	read := []statecheck.StateCheck{
		value("issuer", knownvalue.StringExact(issuer)),
		value("jwks_uri", knownvalue.StringExact(issuer+publisher.KeySetPath)),
		value("jwks", knownvalue.StringRegexp(regexp.MustCompile(`^\{"keys":\[\{"alg":"ES256",[^ ]+"kid":"a"[^ ]+"kid":"b"[^ ]+$`))),
		value("key_ids", list("a", "b")),
		value("keys", knownvalue.ListExact([]knownvalue.Check{key("a"), key("b")})),
		value("consistent", knownvalue.Bool(true)),
		value("problems", list()),
	}
	unread := []statecheck.StateCheck{
		value("issuer", knownvalue.Null()), value("jwks_uri", knownvalue.Null()), value("jwks", knownvalue.StringExact("")),
		value("key_ids", list()), value("keys", list()), value("consistent", knownvalue.Bool(false)),
		value("problems", knownvalue.ListPartial(map[int]knownvalue.Check{
			0: knownvalue.StringRegexp(regexp.MustCompile(`answered 404 Not Found`)),
		})),
	}
	compared := func(checks []statecheck.StateCheck, missing, extra knownvalue.Check) []statecheck.StateCheck {
		return append(append([]statecheck.StateCheck{}, checks...), value("missing_key_ids", missing), value("extra_key_ids", extra))
	}
	step := func(issuer string, checks []statecheck.StateCheck, more ...string) resource.TestStep {
		data := "data \"aktrust_published_issuer\" \"test\" {\n" + strings.Join(arguments(server, issuer, more...), "\n") + "\n}\n"
		return resource.TestStep{Config: data, ConfigStateChecks: checks}
	}
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: []resource.TestStep{
		step(issuer, compared(read, knownvalue.Null(), knownvalue.Null())),
		step(issuer, compared(read, knownvalue.Null(), knownvalue.Null()), "  expected_jwks = null"),
		step(issuer, compared(read, list(), list()), argument("expected_jwks", acctest.KeySet("b", "a"))),
		step(issuer, compared(read, list(), list("b")), argument("expected_jwks", acctest.KeySet("a"))),
		step(server.URL(), compared(unread, knownvalue.Null(), knownvalue.Null())),
		step(server.URL(), compared(unread, list("a"), list()), argument("expected_jwks", acctest.KeySet("a"))),
	}})
}

// The same where the keys are known at apply only.
func TestNoKeysAtApply(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	server := publisher.Start(t, publisher.Options{})
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(registry)+fmt.Sprintf(`
data "aktrust_published_issuer" "test" {
  issuer_url = terraform_data.later.output
%s
}
resource "terraform_data" "later" {
  input = %q
}
resource "aktrust_ci_oidc_provider" "test" {
  name          = "prod"
  provider_type = "kubernetes"
  issuer_url    = terraform_data.later.output
  static_jwks   = data.aktrust_published_issuer.test.jwks
}
`, argument("ca_certificate", server.CA()), server.URL()))
	w.Plan(2)
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "Invalid key set", "static_jwks", "the text is empty")
	if made := registry.State().Providers; len(made) > 0 {
		t.Errorf("the registry trusts %+v", made)
	}
}

// What is wrong is in every plan, in the same words, and changes nothing.
func TestProblemsAreNoChange(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	issuer := server.Issue("", acctest.KeySet("a"))
	w := acctest.NewWorkspace(t, config(arguments(server, issuer)...))
	acctest.Silent(t, w.Apply(), "Warning")
	acctest.Silent(t, w.Plan(0), "Warning")

	for name, c := range map[string]struct {
		path    string
		handler http.HandlerFunc
		says    []string
	}{
		"gone":       {publisher.KeySetPath, nil, []string{"answered 404 Not Found", "Publish the key set under exactly this address"}},
		"redirected": {publisher.DiscoveryPath, http.RedirectHandler("https://login.example.test/", http.StatusFound).ServeHTTP, []string{"a redirect to another host"}},
		"the API server's own": {publisher.DiscoveryPath, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"issuer":"https://kubernetes.default.svc","jwks_uri":"https://172.18.0.2:6443/openid/v1/jwks"}`)
		}, []string{"they are two issuers", "its host is a private address", "probably the API server's own"}},
	} {
		t.Run(name, func(t *testing.T) {
			server.Issue("", acctest.KeySet("a"))
			server.Handle(c.path, c.handler)
			acctest.Says(t, w.Plan(2), append(c.says, "Check block assertion failed")...)
			w.Apply()
			acctest.Says(t, w.Plan(0), c.says...)
			w.Plan(0)
		})
	}
}

// Without keys, a resource that takes them is refused while planning, and is not made without keys.
func TestNoKeysAreNotDiscovery(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	server := publisher.Start(t, publisher.Options{})
	issuer := server.Issue("", acctest.KeySet("a"))
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(registry)+config(arguments(server, issuer)...)+fmt.Sprintf(`
resource "aktrust_ci_oidc_provider" "test" {
  name          = "prod"
  provider_type = "kubernetes"
  issuer_url    = %q
  static_jwks   = data.aktrust_published_issuer.test.jwks
}
`, issuer))
	server.Handle(publisher.KeySetPath, nil)
	acctest.Says(t, w.Plan(1), "Invalid key set", "static_jwks", "the text is empty")

	server.Issue("", acctest.KeySet("a"))
	w.Apply()
	w.Plan(0)
	server.Handle(publisher.DiscoveryPath, nil)
	acctest.Says(t, w.Plan(1), "Invalid key set", "static_jwks", "the text is empty")
	if keys := string(registry.State().Providers[0].StaticJWKS); !strings.Contains(keys, `"kid"`) {
		t.Errorf("the registry has %s", keys)
	}
}

func TestRefusedArguments(t *testing.T) {
	const secret = "c2VjcmV0LW1hdGVyaWFs"
	issuer := argument("issuer_url", "https://oidc.example.test")
	for name, c := range map[string]struct {
		lines []string
		says  []string
	}{
		"none":               {nil, []string{"issuer_url"}},
		"empty issuer":       {[]string{argument("issuer_url", "")}, []string{"Not an issuer", "not an https URL"}},
		"http":               {[]string{argument("issuer_url", "http://oidc.example.test")}, []string{"Not an issuer", "not an https URL"}},
		"query":              {[]string{argument("issuer_url", "https://oidc.example.test?a=b")}, []string{"it has a query"}},
		"fragment":           {[]string{argument("issuer_url", "https://oidc.example.test#a")}, []string{"it has a fragment"}},
		"password":           {[]string{argument("issuer_url", "https://u:"+secret+"@oidc.example.test")}, []string{"In issuer_url", "a user name or a password"}},
		"path for PEM":       {[]string{issuer, argument("ca_certificate", "ca.pem")}, []string{"In ca_certificate", "it holds no PEM certificate"}},
		"empty PEM":          {[]string{issuer, argument("ca_certificate", "")}, []string{"it holds no PEM certificate"}},
		"private key":        {[]string{issuer, argument("ca_certificate", "-----BEGIN EC PRIVATE KEY-----\n"+secret+"\n-----END EC PRIVATE KEY-----\n")}, []string{"it holds a private key"}},
		"broken certificate": {[]string{issuer, argument("ca_certificate", "-----BEGIN CERTIFICATE-----\n"+secret+"\n-----END CERTIFICATE-----\n")}, []string{"the certificate number 1 in it cannot be read"}},
		"empty key set":      {[]string{issuer, argument("expected_jwks", "")}, []string{"In expected_jwks", "the text is empty"}},
		"no keys":            {[]string{issuer, argument("expected_jwks", `{"keys":[]}`)}, []string{`"keys" is empty`}},
		"private keys":       {[]string{issuer, argument("expected_jwks", `{"keys":[{"kty":"oct","k":"`+secret+`"}]}`)}, []string{"Private key in a key set", "In expected_jwks"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := acctest.NewWorkspace(t, config(c.lines...)).Expect(1, "validate", "-no-color")
			acctest.Says(t, out, c.says...)
			acctest.Silent(t, out, secret)
		})
	}
}

// Whatever is not known while planning puts the read off.
func TestUnknownArguments(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	issuer := server.Issue("", acctest.KeySet("a"))
	values := map[string]string{"issuer_url": issuer, "ca_certificate": server.CA(), "expected_jwks": acctest.KeySet("a")}
	for unknown := range values {
		t.Run(unknown, func(t *testing.T) {
			var lines []string
			for name, value := range values {
				if name == unknown {
					lines = append(lines, fmt.Sprintf("  %s = terraform_data.later.output", name))
				} else {
					lines = append(lines, argument(name, value))
				}
			}
			w := acctest.NewWorkspace(t, config(lines...)+"resource \"terraform_data\" \"later\" {\n"+argument("input", values[unknown])+"\n}\n")
			acctest.Says(t, w.Plan(2), "will be read during apply")
			acctest.Says(t, w.Apply(), `"a"`)
			acctest.Silent(t, w.Plan(0), "Warning")
		})
	}
}

// What is refused is refused at apply too, when it is known then only, and not shown there either.
func TestRefusedAtApply(t *testing.T) {
	const secret = "c2VjcmV0LW1hdGVyaWFs"
	w := acctest.NewWorkspace(t, config(argument("issuer_url", "https://oidc.example.test"), "  expected_jwks = terraform_data.later.output")+
		"resource \"terraform_data\" \"later\" {\n"+argument("input", `{"keys":[{"kty":"oct","k":"`+secret+`"}]}`)+"\n}\n")
	w.Plan(2)
	out := w.Expect(1, "apply", "-no-color", "-auto-approve")
	_, errors, _ := strings.Cut(out, "Error:")
	acctest.Says(t, errors, "Private key in a key set", "In expected_jwks")
	acctest.Silent(t, errors, secret)
}

// The keys of a real API server, published by a static server, and one rotation later.
func TestStaleByOneRotation(t *testing.T) {
	first, firstID := newKey(t)
	second, secondID := newKey(t)
	server := publisher.Start(t, publisher.Options{})
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Issuer: server.URL(), Keys: controlplane.Keys{Sign: first}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	})
	provider := fmt.Sprintf("provider \"aktrust\" {\n  kubernetes = {\n%s\n%s\n%s\n  }\n}\ndata \"aktrust_cluster_jwks\" \"test\" {}\n",
		argument("host", plane.URL()), argument("token", plane.Token(controlplane.Admin)), argument("cluster_ca_certificate", plane.CA()))
	w := acctest.NewWorkspace(t, provider+config(arguments(server, server.URL(), "  expected_jwks = data.aktrust_cluster_jwks.test.jwks")...)+
		"output \"jwks\" { value = data.aktrust_cluster_jwks.test.jwks }\n")
	publish := func() { server.Issue("", w.Expect(0, "output", "-no-color", "-raw", "jwks")) }

	acctest.Says(t, w.Apply(), "answered 404 Not Found")
	publish()
	acctest.Silent(t, w.Plan(2), "Warning")
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")

	if err := plane.RotateSigningKey(t.Context(), controlplane.Keys{Sign: second, Verify: []*controlplane.Key{first}}); err != nil {
		t.Fatal(err)
	}
	stale := []string{"The key set at " + server.URL(), "lacks the key " + secondID, "The published keys are stale", "Publish the key set again"}
	out := w.Plan(2)
	acctest.Says(t, out, append(stale, "missing_key_ids", fmt.Sprintf("+ %q", secondID))...)
	w.Apply()
	acctest.Says(t, w.Plan(0), stale...)
	publish()
	acctest.Silent(t, w.Plan(2), "Warning")
	w.Apply()

	// The old key goes from the cluster first, and stays published for a while.
	if err := plane.RotateSigningKey(t.Context(), controlplane.Keys{Sign: second}); err != nil {
		t.Fatal(err)
	}
	out = w.Plan(2)
	acctest.Silent(t, out, "Warning")
	acctest.Says(t, out, "extra_key_ids", fmt.Sprintf("+ %q", firstID))
}

func newKey(t *testing.T) (key *controlplane.Key, id string) {
	t.Helper()
	key, err := controlplane.NewRSAKey()
	if err == nil {
		id, err = key.ID()
	}
	if err != nil {
		t.Fatal(err)
	}
	return key, id
}
