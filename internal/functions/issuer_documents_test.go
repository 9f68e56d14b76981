package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

const issuerURL = "https://oidc.example.com/clusters/prod"

func TestIssuerDocuments(t *testing.T) {
	keys, err := jwks.Parse(acctest.KeySet("b", "a"))
	if err != nil {
		t.Fatal(err)
	}
	got, failure := call(t, functions.NewIssuerDocuments, text(issuerURL), text(acctest.KeySet("b", "a")))
	if failure != nil {
		t.Fatal(failure)
	}
	want := object(map[string]attr.Value{
		"discovery": object(map[string]attr.Value{
			"path": text("clusters/prod/.well-known/openid-configuration"), "content_type": text("application/json"),
			"content": text(`{"issuer":"` + issuerURL + `","jwks_uri":"` + issuerURL + `/openid/v1/jwks","response_types_supported":["id_token"],` +
				`"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}`),
		}),
		"jwks": object(map[string]attr.Value{
			"path": text("clusters/prod/openid/v1/jwks"), "content_type": text("application/jwk-set+json"), "content": text(keys.Canonical()),
		}),
	})
	if diff := cmp.Diff(want.String(), got.String()); diff != "" || !got.Equal(want) {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// private is a key set whose first key is broken and whose second one is private.
const private = `{"keys":[{"kty":"RSA"},{"kty":"EC","crv":"P-256","d":"c2VjcmV0LWNhbmFyeQ","x":"AA","y":"AA"}]}`

func TestRefusedIssuerDocuments(t *testing.T) {
	for name, c := range map[string]struct{ issuer, keys, says string }{
		"issuer":         {issuerURL + "/", acctest.KeySet("a"), "it ends in a slash"},
		"empty issuer":   {"", acctest.KeySet("a"), "it is not an https URL"},
		"both":           {"http://oidc.example.com", "", "it is not an https URL"},
		"empty keys":     {issuerURL, "", "it is jwks that is refused, not the issuer: not a JSON Web Key Set: the text is empty"},
		"no keys":        {issuerURL, `{"keys":[]}`, `here "keys" is empty`},
		"broken":         {issuerURL, private, `keys[0]: kty RSA needs "n"`},
		"private":        {issuerURL, strings.Replace(private, `{"kty":"RSA"},`, "", 1), `keys[0]: it has the private member "d"`},
		"private PEM":    {issuerURL, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LWNhbmFyeQ\n", "a PEM block with a private key"},
		"for encryption": {issuerURL, strings.Replace(acctest.KeySet("a"), `"sig"`, `"enc"`, 1), "it has no key that signs"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, functions.NewIssuerDocuments, text(c.issuer), text(c.keys))
			refusedAt(t, err, 0, c.says)
			acctest.Silent(t, err.Text, "c2VjcmV0LWNhbmFyeQ")
		})
	}
}

// The CLI prints the values in an argument that an error is about. A set of keys that is refused is never among them, wherever
// the private key in it stands.
func TestRefusedKeysAreNotPrinted(t *testing.T) {
	for _, keys := range []string{private, strings.Replace(private, `{"kty":"RSA"},`, "", 1), "{" + private} {
		w := workspace(t, fmt.Sprintf(`
variable "keys" { default = %s }
locals { keys = file("${path.module}/jwks.json") }
output "variable" { value = provider::aktrust::issuer_documents(%[2]q, var.keys) }
output "local" { value = provider::aktrust::issuer_documents(%[2]q, local.keys) }
output "file" { value = provider::aktrust::issuer_documents(%[2]q, file("${path.module}/jwks.json")) }
`, acctest.HCL(keys), issuerURL), map[string]string{"jwks.json": keys})
		out := w.Plan(1)
		acctest.Says(t, out, `Invalid value for "issuer" parameter: it is jwks that is refused, not the issuer: `)
		acctest.Silent(t, out, "c2VjcmV0LWNhbmFyeQ")
	}
}

// While an argument is unknown, so are the documents; at apply they are made, or refused.
func TestUnknownIssuerDocuments(t *testing.T) {
	const config = `
variable "issuer" { type = string }
variable "keys" { type = string }
resource "terraform_data" "later" { input = { issuer = var.issuer, keys = var.keys } }
output "issuer" { value = provider::aktrust::issuer_documents(terraform_data.later.output.issuer, var.keys).discovery.path }
output "keys" { value = provider::aktrust::issuer_documents(var.issuer, terraform_data.later.output.keys).jwks.content }
`
	w := workspace(t, config, nil)
	arguments := func(issuer, keys string) []string { return []string{"-var=issuer=" + issuer, "-var=keys=" + keys} }
	good := arguments(issuerURL, acctest.KeySet("a"))
	acctest.Says(t, w.Plan(2, good...), "issuer = (known after apply)", "keys = (known after apply)")
	w.Apply(good...)
	w.Plan(0, good...)
	same(t, "path", "clusters/prod/.well-known/openid-configuration", output[string](t, w, "issuer"))

	out := w.Expect(1, append([]string{"apply", "-no-color", "-auto-approve"}, arguments(issuerURL, private)...)...)
	acctest.Says(t, out, `Invalid value for "issuer" parameter`, "it is jwks that is refused, not the issuer: keys[0]")
	for _, argument := range []string{`null, "{}"`, `"` + issuerURL + `", null`} {
		w.Config("output \"o\" { value = provider::aktrust::issuer_documents(" + argument + ") }\n")
		acctest.Says(t, w.Plan(1), "argument must not be null")
	}
}
