package ephemeral_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func (w *world) client() *http.Client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(w.CACertificate()))
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
}

// Bad input is refused in words that name the argument, and a token is not quoted.
func TestRefusedInput(t *testing.T) {
	w := newWorld(t)
	space := acctest.NewWorkspace(t, "")
	w.ResetRequests()
	for _, c := range []struct {
		name, block string
		says        []string
	}{
		{"null namespace", w.token(map[string]string{"namespace": "null"}), []string{"namespace", "required"}},
		{"empty namespace", w.token(map[string]string{"namespace": `""`}), []string{"namespace", "must not be empty"}},
		{"no name", w.token(map[string]string{"name": ""}), []string{"name", "required"}},
		{"empty name", w.token(map[string]string{"name": `""`}), []string{"name", "must not be empty"}},
		{"null audience", w.token(map[string]string{"audience": "null"}), []string{"audience", "required"}},
		{"empty audience", w.token(map[string]string{"audience": `""`}), []string{"audience", "must not be empty"}},
		{"too short", w.token(map[string]string{"expiration_seconds": "599"}), []string{"expiration_seconds", "600"}},
		{"a fraction", w.token(map[string]string{"expiration_seconds": "600.5"}), []string{"expiration_seconds has to be a whole number", "600.5"}},
		{"too long", w.token(map[string]string{"expiration_seconds": "4294967297"}), []string{"expiration_seconds", "4294967296"}},
		{"null token", credentials(map[string]string{"oidc_token": "null"}), []string{"oidc_token", "required"}},
		{"empty token", credentials(map[string]string{"oidc_token": `""`}), []string{"oidc_token is empty"}},
		{"blank token", credentials(map[string]string{"oidc_token": `" \n"`}), []string{"oidc_token is empty"}},
		{"two tokens", credentials(map[string]string{"oidc_token": `"canary-1 canary-2"`}), []string{"oidc_token holds white space"}},
		{"control character", credentials(map[string]string{"oidc_token": `"canary\u0007"`}), []string{"oidc_token holds white space or other"}},
		{"empty provider", credentials(map[string]string{"oidc_token": `"x"`, "provider_id": `""`}), []string{"provider_id", "UUID"}},
		{"provider by name", credentials(map[string]string{"oidc_token": `"x"`, "provider_id": `"prod"`}), []string{"provider_id", "UUID"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			space.Config(w.configuration() + c.block)
			out := space.Plan(1)
			acctest.Says(t, out, c.says...)
			acctest.Silent(t, out, "canary")
		})
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests to the registry", n)
	}
}

const later = `
variable "value" { default = null }
resource "terraform_data" "later" { input = { value = var.value } }
`

// What is unknown while planning is waited for, and then held against the same rules. use makes an apply need the secret.
func TestUnknown(t *testing.T) {
	w := newWorld(t)
	const from = "terraform_data.later.output.value"
	minted, err := w.cluster.As(controlplane.Admin).CreateToken(t.Context(), w.namespace, "app", audience, nil)
	w.must(err)
	for _, c := range []struct{ name, block, value, says string }{
		{"namespace", w.token(map[string]string{"namespace": from}), w.namespace, ""},
		{"namespace turns out empty", w.token(map[string]string{"namespace": "trimspace(" + from + ")"}), " ", "must not be empty"},
		{"name", w.token(map[string]string{"name": from}), "app", ""},
		{"audience", w.token(map[string]string{"audience": from}), audience, ""},
		{"audience turns out null", w.token(map[string]string{"audience": from}), "", "required"},
		{"expiration", w.token(map[string]string{"expiration_seconds": from}), "600", ""},
		{"expiration turns out null", w.token(map[string]string{"expiration_seconds": from}), "", ""},
		{"expiration turns out too short", w.token(map[string]string{"expiration_seconds": from}), "1", "600"},
		{"token", credentials(map[string]string{"oidc_token": from}), minted, ""},
		{"token turns out blank", credentials(map[string]string{"oidc_token": from}), " ", "oidc_token is empty"},
		{"provider", w.token(nil) + credentials(map[string]string{"provider_id": from}), w.provider, ""},
		{"provider turns out null", w.token(nil) + credentials(map[string]string{"provider_id": from}), "", ""},
		{"provider turns out no id", w.token(nil) + credentials(map[string]string{"provider_id": from}), "prod", "UUID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			attribute := "service_account_token.test.token"
			if strings.Contains(c.block, "registry_credentials") {
				attribute = "registry_credentials.test.password"
			}
			space := acctest.NewWorkspace(t, w.configuration()+later+c.block+use("ephemeral.aktrust_"+attribute))
			var vars []string
			if c.value != "" {
				vars = []string{"-var=value=" + c.value}
			}
			space.Plan(2, vars...)
			if c.says != "" {
				acctest.Says(t, space.Expect(1, slices.Concat([]string{"apply", "-no-color", "-auto-approve"}, vars)...), c.says)
				return
			}
			space.Apply(vars...)
			space.Plan(0, vars...)
		})
	}
}

// While the provider's own configuration is unknown, the error names the argument; an argument from the same resource waits.
func TestUnknownConfiguration(t *testing.T) {
	w := newWorld(t)
	late := fmt.Sprintf("%sprovider \"aktrust\" {\n  kubernetes = {\n    host = terraform_data.later.output.value\n    token = %q\n"+
		"    cluster_ca_certificate = %s\n  }\n}\n", later, w.cluster.Token(controlplane.Admin), acctest.HCL(w.cluster.CA()))
	value := "-var=value=" + w.cluster.URL()
	space := acctest.NewWorkspace(t, late+w.token(nil)+use("ephemeral.aktrust_service_account_token.test.token"))
	acctest.Says(t, space.Plan(1, value), "Cannot request a token", "kubernetes.host", "ephemeral resource")
	space.Config(late + w.token(map[string]string{"name": `terraform_data.later.id == "" ? "" : "app"`}) +
		use("ephemeral.aktrust_service_account_token.test.token"))
	space.Plan(2, value)
	space.Apply(value)
	space.Plan(0, value)
}

// use makes an apply need an ephemeral value. The CLI keeps it out of what it prints.
func use(value string) string {
	return "resource \"terraform_data\" \"use\" {\n  provisioner \"local-exec\" {\n" +
		"    command = \"printf %s \\\"$SECRET\\\" > secret.$$\"\n    environment = { SECRET = " + value + " }\n  }\n}\n"
}
