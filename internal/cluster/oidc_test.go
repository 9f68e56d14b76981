package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func keyIDs(t *testing.T, jwks string) []string {
	t.Helper()
	var set struct{ Keys []struct{ Kid string } }
	if err := json.Unmarshal([]byte(jwks), &set); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, key := range set.Keys {
		ids = append(ids, key.Kid)
	}
	slices.Sort(ids)
	return ids
}

func TestOIDCDocuments(t *testing.T) {
	documents, err := as(t, controlplane.Admin).OIDCDocuments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if documents.Issuer != controlplane.DefaultIssuer || !slices.Equal(documents.SigningAlgorithms, []string{"RS256"}) ||
		!strings.HasSuffix(documents.JWKSURI, "/openid/v1/jwks") || !strings.Contains(documents.Discovery, documents.Issuer) {
		t.Errorf("documents %+v", documents)
	}
	if ids := keyIDs(t, documents.JWKS); len(ids) != 1 || ids[0] == "" {
		t.Errorf("key ids %v in %s", ids, documents.JWKS)
	}

	_, err = as(t, controlplane.Nobody).OIDCDocuments(t.Context())
	contains(t, err, "get /.well-known/openid-configuration: ", "403", "--clusterrole=system:service-account-issuer-discovery")
}

func TestOIDCDocumentsThroughARotationAndWithoutAnIssuer(t *testing.T) {
	old, err := controlplane.NewRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	young, err := controlplane.NewECKey()
	if err != nil {
		t.Fatal(err)
	}
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Keys: controlplane.Keys{Sign: old, Verify: []*controlplane.Key{young}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	}()
	client := connect(t, Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin)})
	documents, err := client.OIDCDocuments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ids := keyIDs(t, documents.JWKS); len(ids) != 2 || !slices.Equal(documents.SigningAlgorithms, []string{"ES256", "RS256"}) {
		t.Errorf("in the overlap: %v, %v", ids, documents.SigningAlgorithms)
	}

	if err := plane.Restart(t.Context(), func(o *controlplane.Options) { o.Issuer = "http://not.https" }); err != nil {
		t.Fatal(err)
	}
	_, err = client.OIDCDocuments(t.Context())
	contains(t, err, "404", "the first --service-account-issuer is not an https URL")
}

// A trust anchor is not made of what merely looks like a document.
func TestDocumentsThatAreNone(t *testing.T) {
	const discovery, keys = `{"issuer":"https://oidc.test"}`, `{"keys":[{"kty":"RSA"}]}`
	for name, test := range map[string]struct{ discovery, keys, document, says string }{
		"a page":                {"<html>", keys, discoveryPath, "invalid character '<'"},
		"too long":              {`{"issuer":"` + strings.Repeat("x", maxDocument) + `"}`, keys, discoveryPath, "longer than 1024 KiB"},
		"no issuer":             {`{"a":1}`, keys, discoveryPath, "it names no issuer"},
		"an empty issuer":       {`{"issuer":""}`, keys, discoveryPath, "it names no issuer"},
		"null":                  {`null`, keys, discoveryPath, "it names no issuer"},
		"null for the issuer":   {`{"issuer":null}`, keys, discoveryPath, "it names no issuer"},
		"a list for the issuer": {`{"issuer":["https://oidc.test"]}`, keys, discoveryPath, "json: cannot unmarshal array"},
		"nothing":               {"", keys, discoveryPath, "unexpected end of JSON input"},
		"a page for keys":       {discovery, "<html>", keySetPath, "invalid character '<'"},
		"no keys":               {discovery, `{"keys":[]}`, keySetPath, "it holds no keys"},
		"null for keys":         {discovery, `null`, keySetPath, "it holds no keys"},
		"no member keys":        {discovery, `{"items":[{}]}`, keySetPath, "it holds no keys"},
	} {
		t.Run(name, func(t *testing.T) {
			client := answering(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == keySetPath {
					fmt.Fprint(w, test.keys)
				} else {
					fmt.Fprint(w, test.discovery)
				}
			})
			documents, err := client.OIDCDocuments(t.Context())
			contains(t, err, "get "+test.document+": the API server https://", "answered 200 OK: "+test.says, "something in between")
			if documents != nil {
				t.Errorf("documents %+v", documents)
			}
		})
	}
}

// Under whatever type a private key is served by mistake, it is not repeated.
func TestPrivateKeysAreNotRepeated(t *testing.T) {
	const secret = "c2VjcmV0LWNhbmFyeQ"
	for name, text := range map[string]string{
		"PEM":      "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n",
		"cut off":  ` {"keys":[{"kty":"oct","k":"` + secret + `"}`,
		"an array": `[{"kty":"oct","k":"` + secret + `"}]`,
		"a text":   `"{\"k\":\"` + secret + `\"}"`,
	} {
		t.Run(name, func(t *testing.T) {
			client := answering(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				if r.URL.Path == keySetPath {
					fmt.Fprint(w, text)
				} else {
					fmt.Fprint(w, `{"issuer":"https://oidc.test"}`)
				}
			})
			_, err := client.OIDCDocuments(t.Context())
			contains(t, err, "get "+keySetPath, fmt.Sprintf("text/plain of %d bytes", len(text)))
			if strings.Contains(err.Error(), secret) {
				t.Error(err)
			}
		})
	}
}

func TestWarningsOfDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		documents OIDCDocuments
		want      []string
	}{
		"public":                     {OIDCDocuments{Issuer: "https://oidc.example.com/prod", JWKSURI: "https://oidc.example.com/prod/openid/v1/jwks"}, nil},
		"another port, another case": {OIDCDocuments{Issuer: "https://oidc.example.com", JWKSURI: "https://OIDC.example.com:6443/openid/v1/jwks"}, nil},
		"a private address": {OIDCDocuments{Issuer: "https://oidc.example.com", JWKSURI: "https://10.0.0.1:6443/openid/v1/jwks"}, []string{
			`jwks_uri: its host is a private address, so that consumers elsewhere do not get the keys.`,
			`jwks_uri: it is on another host than the issuer, so that consumers have to reach both.`,
		}},
		"the cluster's own name": {OIDCDocuments{Issuer: "https://kubernetes.default.svc", JWKSURI: "https://kubernetes.default.svc/openid/v1/jwks"}, []string{
			`jwks_uri: its host is a name inside the cluster, so that consumers elsewhere do not get the keys.`,
		}},
		"one label": {OIDCDocuments{Issuer: "https://master", JWKSURI: "https://master/keys"}, []string{
			`jwks_uri: its host is not a public name, so that consumers elsewhere do not get the keys.`,
		}},
		"another host": {OIDCDocuments{Issuer: "https://oidc.example.com", JWKSURI: "https://keys.example.com/jwks"}, []string{
			`jwks_uri: it is on another host than the issuer, so that consumers have to reach both.`,
		}},
		"http": {OIDCDocuments{Issuer: "http://oidc.example.com", JWKSURI: "http://oidc.example.com/jwks"}, []string{
			`issuer "http://oidc.example.com": it is not an https URL, so that consumers refuse it.`,
			`jwks_uri: it is not an https URL, so that consumers refuse it.`,
		}},
		"no URLs": {OIDCDocuments{Issuer: "kubernetes/serviceaccount", JWKSURI: "https://a b"}, []string{
			`issuer "kubernetes/serviceaccount": it is not an https URL, so that consumers refuse it.`,
			`jwks_uri: it is not an https URL, so that consumers refuse it.`,
		}},
		"no jwks_uri": {OIDCDocuments{Issuer: "https://oidc.example.com"}, []string{
			"jwks_uri: the discovery document has none, so that nobody finds the keys by it.",
		}},
	} {
		if got := test.documents.Warnings(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
