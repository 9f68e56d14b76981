package issuer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

const (
	first  = `{"alg":"RS256","e":"AQAB","kid":"a","kty":"RSA","n":"zw","use":"sig"}`
	second = `{"crv":"P-256","kid":"b","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`
)

// parsed is the set of these keys.
func parsed(t testing.TB, keys ...string) *jwks.Set {
	t.Helper()
	return parse(t, `{"keys": [`+strings.Join(keys, ", ")+`]}`)
}

func TestDocuments(t *testing.T) {
	for url, folder := range map[string]string{
		"https://oidc.example.org":                    "",
		"https://oidc.example.org:8443":               "",
		"https://oidc.example.org/prod":               "prod/",
		"https://oidc.example.org/clusters/prod":      "clusters/prod/",
		"https://[2001:db8::1]:8443/a&b/https://c<":   "refused",
		"https://oidc.example.org/https:/me@host/a&b": "https:/me@host/a&b/",
	} {
		discovery, keySet, err := issuer.Documents(url, parsed(t, second, first))
		if folder == "refused" {
			if err == nil {
				t.Errorf("%s is accepted", url)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		want := []issuer.Document{{
			Path: folder + ".well-known/openid-configuration", ContentType: "application/json",
			Content: `{"issuer":"` + url + `","jwks_uri":"` + url + `/openid/v1/jwks","response_types_supported":["id_token"],` +
				`"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256","RS256"]}`,
		}, {
			Path: folder + "openid/v1/jwks", ContentType: "application/jwk-set+json",
			Content: `{"keys":[` + first + `,` + second + `]}`,
		}}
		if diff := cmp.Diff(want, []issuer.Document{discovery, keySet}); diff != "" {
			t.Errorf("%s: -want +got:\n%s", url, diff)
		}
	}
}

// What is written is what a reader expects of an issuer.
func TestDocumentsAreReadWithoutAProblem(t *testing.T) {
	for _, path := range []string{"", "/clusters/prod"} {
		server := publisher.Start(t, publisher.Options{})
		keys := parse(t, set(t, key(t, "a"), rsa("b", 2048)))
		discovery, keySet, err := issuer.Documents(server.URL()+path, keys)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range []issuer.Document{discovery, keySet} {
			server.Put("/"+document.Path, document.Content, "Content-Type", document.ContentType)
		}
		if got := read(t, trusting(t, nil, server), server.URL()+path); !got.Keys.Equal(keys) || string(got.Answer) != keySet.Content {
			t.Errorf("the keys became %s", got.Answer)
		}
	}
}

// However the keys are written and ordered, the documents are the same.
func TestDocumentsAreTheSameForTheSameKeys(t *testing.T) {
	one, two := parsed(t, first, second), parsed(t, strings.ReplaceAll(second, ",", " ,\n"), strings.Replace(first, `"zw"`, `"AM8"`, 1))
	oneDiscovery, oneKeys, err := issuer.Documents("https://oidc.example.org", one)
	if err != nil {
		t.Fatal(err)
	}
	twoDiscovery, twoKeys, err := issuer.Documents("https://oidc.example.org", two)
	if err != nil {
		t.Fatal(err)
	}
	if oneDiscovery != twoDiscovery || oneKeys != twoKeys {
		t.Errorf("%v, %v became %v, %v", oneDiscovery, oneKeys, twoDiscovery, twoKeys)
	}
}

func TestNoDocuments(t *testing.T) {
	good := parsed(t, first)
	for name, c := range map[string]struct {
		issuer string
		keys   *jwks.Set
		want   string
	}{
		"a bad issuer":              {"https://oidc.example.org/", good, "it ends in a slash"},
		"no set":                    {"https://oidc.example.org", nil, "it has no key that signs"},
		"an empty set":              {"https://oidc.example.org", &jwks.Set{}, "it has no key that signs"},
		"keys for encryption alone": {"https://oidc.example.org", parsed(t, strings.Replace(first, "sig", "enc", 1)), "it has no key that signs"},
	} {
		discovery, keySet, err := issuer.Documents(c.issuer, c.keys)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want one with %q", name, err, c.want)
		}
		if discovery != (issuer.Document{}) || keySet != (issuer.Document{}) {
			t.Errorf("%s: documents beside the error: %v, %v", name, discovery, keySet)
		}
	}
}
