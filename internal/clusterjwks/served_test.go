package clusterjwks_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// serving is the configuration for an API server that answers with these documents: one of each for the first read, the next
// for the second and so on. As the real one does, it serves keys to those only who accept their type.
func serving(t *testing.T, discovery string, keySets ...string) string {
	t.Helper()
	var reads atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const keys = "application/jwk-set+json"
		switch {
		case r.URL.Path == "/.well-known/openid-configuration":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, discovery)
		case r.URL.Path != "/openid/v1/jwks":
			w.WriteHeader(http.StatusNotFound)
		case !strings.Contains(r.Header.Get("Accept"), keys):
			w.WriteHeader(http.StatusNotAcceptable)
		default:
			w.Header().Set("Content-Type", keys)
			fmt.Fprint(w, keySets[int(reads.Add(1)-1)%len(keySets)])
		}
	}))
	t.Cleanup(func() {
		server.Close()
		if n := reads.Load(); n < int64(len(keySets)) {
			t.Errorf("the keys were read %d times, for %d sets", n, len(keySets))
		}
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return reading(server.URL, "t", string(ca))
}

const (
	public = `{"issuer":"https://oidc.example.test","jwks_uri":"https://oidc.example.test/openid/v1/jwks"}`
	keyA   = `{"use":"sig","kty":"RSA","kid":"a","alg":"RS256","n":"%s","e":"AQAB"}`
	keyB   = `{"use":"sig","kty":"EC","kid":"b","crv":"P-256","alg":"ES256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",` +
		`"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`
)

// rsaKey has a modulus of that many bytes, a multiple of three. It verifies nothing here.
func rsaKey(bytes int) string { return fmt.Sprintf(keyA, strings.Repeat("zczN", bytes/3)) }

// Whatever order and spelling the API server has the keys and their members in, nothing changes.
func TestTheOrderOfTheServerDoesNotMatter(t *testing.T) {
	a, turned := rsaKey(258), ""
	var members map[string]any
	if err := json.Unmarshal([]byte(a), &members); err != nil {
		t.Fatal(err)
	}
	for name, member := range members {
		turned = fmt.Sprintf(" %q : %q,\n", name, member) + turned
	}
	turned = "{" + strings.TrimSuffix(turned, ",\n") + "}"
	w := acctest.NewWorkspace(t, serving(t, public,
		`{"keys":[`+a+`,`+keyB+`]}`, `{"keys":[`+keyB+`,`+a+`]}`, `{"x":1,"keys":[`+keyB+`,`+turned+`]}`, `{"keys": [ `+turned+`,`+keyB+`]}`))
	w.Apply()
	for range 4 {
		w.Plan(0)
	}
}

// A data source is read in every plan, so that what is odd comes as a value.
func TestWarningsAreAValue(t *testing.T) {
	const internal = `{"issuer":"http://oidc.example.test","jwks_uri":"https://10.0.0.1:6443/openid/v1/jwks"}`
	encryption := strings.Replace(keyB, `"sig"`, `"enc"`, 1)
	w := acctest.NewWorkspace(t, serving(t, internal,
		`{"keys":[`+rsaKey(129)+`,`+encryption+`]}`, `{"keys":[`+encryption+`,`+rsaKey(129)+`]}`))
	acctest.Silent(t, w.Apply(), "Warning")
	acctest.Silent(t, w.Plan(0), "Warning")
	var got []string
	if err := json.Unmarshal([]byte(w.Expect(0, "output", "-json", "warnings")), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Key a: an RSA key of 1032 bits is too short (RFC 7518 section 3.3 asks for 2048), verifiers refuse it.",
		`Key b: its use is "enc", so it does not sign tokens.`,
		`issuer "http://oidc.example.test": it is not an https URL, so that consumers refuse it.`,
		"jwks_uri: it is on another host than the issuer, so that consumers have to reach both.",
		"jwks_uri: its host is a private address, so that consumers elsewhere do not get the keys.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// As API servers are installed, jwks_uri is an address of their own.
func TestWarningsOfADefault(t *testing.T) {
	w := acctest.NewWorkspace(t, config(controlplane.Shared(t), controlplane.Admin))
	w.Apply()
	acctest.Says(t, w.Expect(0, "output", "-no-color", "warnings"), "is a private address, so that", "on another host than the issuer")
}

// A server that hands out a private key is an error, in which the key does not stand.
func TestPrivateKeysAreNotShown(t *testing.T) {
	for name, keys := range map[string]string{
		"among others": `{"keys":[` + keyB + `,` + strings.Replace(rsaKey(258), `"n"`, `"d":"c2VjcmV0LWNhbmFyeQ","n"`, 1) + `]}`,
		"symmetric":    `{"keys":[{"kty":"oct","kid":"a","k":"c2VjcmV0LWNhbmFyeQ"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := acctest.NewWorkspace(t, serving(t, public, keys))
			out := w.Plan(1)
			acctest.Says(t, out, "Cannot read the keys of the cluster", `(kid "a"): it has the private member`, "replace the key")
			acctest.Silent(t, out, "c2VjcmV0LWNhbmFyeQ")
		})
	}
}
