package ephemeral_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// echoed checks a value that the echo provider kept.
func echoed(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("echo.test", tfjsonpath.New("data").AtMapKey(name), want)
}

// satisfies is a check of a text.
type satisfies func(text string) error

func (check satisfies) CheckValue(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%v is no text", value)
	}
	return check(text)
}

func (satisfies) String() string { return "a text that satisfies the test" }

func run(t *testing.T, config string, checks ...statecheck.StateCheck) {
	t.Helper()
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: providers,
		Steps:                    []resource.TestStep{{Config: config, ConfigStateChecks: checks}},
	})
}

// payload gives the claims of a JWT.
func payload(token string) (map[string]any, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("a token of %d parts", len(parts))
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	var claims map[string]any
	err = json.Unmarshal(text, &claims)
	return claims, err
}

// The token is the API server's, of the account, for the audience and for as long as asked.
func TestToken(t *testing.T) {
	w := newWorld(t)
	for argument, seconds := range map[string]float64{"600": 600, "7200": 7200, "": 3600, "null": 3600} {
		var expires time.Time
		run(t, w.configuration()+w.token(map[string]string{"expiration_seconds": argument})+echo("service_account_token"),
			echoed("expiration_timestamp", satisfies(func(text string) (err error) {
				expires, err = time.Parse(time.RFC3339, text)
				return err
			})),
			echoed("token", satisfies(func(text string) error {
				claims, err := payload(text)
				if err != nil {
					return err
				}
				got := map[string]any{"iss": claims["iss"], "sub": claims["sub"], "aud": claims["aud"],
					"lifetime": claims["exp"].(float64) - claims["iat"].(float64), "exp": claims["exp"]}
				want := map[string]any{"iss": w.cluster.Issuer(), "sub": "system:serviceaccount:" + w.namespace + ":app",
					"aud": []any{audience}, "lifetime": seconds, "exp": float64(expires.Unix())}
				if diff := cmp.Diff(want, got); diff != "" {
					return fmt.Errorf("expiration_seconds = %s: %s", argument, diff)
				}
				return nil
			})),
		)
	}
}

// The credential is that of the mapping's account, and the registry takes it for a pull.
func TestCredentials(t *testing.T) {
	w := newWorld(t)
	const around = `" \n${ephemeral.aktrust_service_account_token.test.token}\n"`
	for _, arguments := range []map[string]string{
		nil, {"provider_id": "null"}, {"provider_id": acctest.HCL(strings.ToUpper(w.provider))}, {"oidc_token": around},
	} {
		run(t, w.configuration()+w.token(nil)+credentials(arguments)+echo("registry_credentials"),
			echoed("username", knownvalue.StringExact(w.username)),
			echoed("expires_in", knownvalue.NotNull()),
			echoed("password", satisfies(func(password string) error { return w.pulls(password) })),
		)
	}
}

// pulls asks the registry for a pull token with a credential.
func (w *world) pulls(password string) error {
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.URL()+"/v2/token?service=artifact-keeper", nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(w.username, password)
	response, err := w.client().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the registry answers %s to the credential", response.Status)
	}
	return nil
}

// The exchange takes no administrator, so that a provider without a credential does.
func TestCredentialsWithoutAdministrator(t *testing.T) {
	w := newWorld(t)
	config := strings.Replace(w.configuration(), fmt.Sprintf("  token          = %q\n", w.Token()), "", 1)
	if config == w.configuration() {
		t.Fatal("the configuration has no token to take out")
	}
	run(t, config+w.token(nil)+credentials(nil)+echo("registry_credentials"), echoed("username", knownvalue.StringExact(w.username)))
}

// Two providers of an issuer need one of them named; which filter fails is not the question.
func TestSeveralProviders(t *testing.T) {
	w := newWorld(t)
	second := w.State().Providers[0]
	second.Name = "second"
	_, err := w.AddProvider(second)
	w.must(err)
	out := acctest.NewWorkspace(t, w.configuration()+w.token(nil)+credentials(nil)).Plan(1)
	acctest.Says(t, out, "supply provider_id", "Give provider_id, the id of the aktrust_ci_oidc_provider that is meant")
	acctest.Silent(t, out, "evaluate_mappings")
}

// A refusal says what was asked of whom, the answer in its own words, and what to do; and nothing of a token.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	stranger := w.namespace + "-x"
	w.must(w.cluster.As(controlplane.Admin).EnsureNamespace(t.Context(), stranger),
		w.cluster.As(controlplane.Admin).EnsureServiceAccount(t.Context(), stranger, "app", nil))
	nobody := acctest.ProviderBlock(w.Server, w.kubernetes(controlplane.Nobody))
	for _, c := range []struct {
		name, config string
		fault        *emulator.Fault
		says         []string
	}{
		{"no ServiceAccount", w.configuration() + w.token(map[string]string{"name": `"nobody"`}), nil,
			[]string{"Cannot request a token of the ServiceAccount " + w.namespace + "/nobody", "404", "take name or namespace from that resource"}},
		{"no permission", nobody + w.token(nil), nil, []string{"403", "create on serviceaccounts/token"}},
		{"no mapping", w.configuration() + w.token(map[string]string{"namespace": acctest.HCL(stranger)}) + credentials(nil), nil,
			[]string{"Cannot exchange the OIDC token", "CI JWT did not match any identity mapping", "evaluate_mappings"}},
		{"another audience", w.configuration() + w.token(map[string]string{"audience": `"other"`}) + credentials(nil), nil,
			[]string{"CI JWT validation failed", "aktrust_pull_check"}},
		{"no such provider", w.configuration() + w.token(nil) + credentials(map[string]string{"provider_id": `"3f2504e0-4f89-41d3-9a0c-0305e82c3301"`}),
			nil, []string{"404", "evaluate_mappings"}},
		{"no JWT", w.configuration() + w.token(nil) + credentials(map[string]string{"oidc_token": `"opaque"`}), nil,
			[]string{"iss claim", "is no JWT", "aktrust_service_account_token"}},
		{"a missing route", w.configuration() + w.token(nil) + credentials(nil), &emulator.Fault{Kind: emulator.NotFoundEmpty},
			[]string{"Cannot exchange", "registry's base address"}},
		{"in trouble", w.configuration() + w.token(nil) + credentials(nil), &emulator.Fault{Kind: emulator.InternalError}, []string{"500", "in trouble"}},
		{"echoed", w.configuration() + w.token(nil) + credentials(nil), &emulator.Fault{Kind: emulator.Echo}, []string{"400", "(redacted)"}},
		{"no cluster", acctest.ProviderBlock(w.Server) + w.token(nil), nil, []string{"Cannot request a token", "kubernetes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.fault != nil {
				defer w.Inject(*c.fault).Remove()
			}
			out := acctest.NewWorkspace(t, c.config).Plan(1)
			acctest.Says(t, out, c.says...)
			if found := secret.FindString(out); found != "" {
				t.Errorf("the output has the secret %s:\n%s", found, out)
			}
		})
	}
}
