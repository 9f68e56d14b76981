package issuer_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// host answers a consumer with the documents, by the path that the consumer asks for as it is sent.
type host map[string]issuer.Document

func (h host) RoundTrip(r *http.Request) (*http.Response, error) {
	document, found := h[r.URL.RequestURI()]
	if !found || r.URL.Scheme != "https" {
		return nil, errors.New("there is nothing at " + r.URL.String())
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Request: r, Header: http.Header{"Content-Type": {document.ContentType}},
		Body: io.NopCloser(strings.NewReader(document.Content)),
	}, nil
}

// Whatever issuer is accepted, go-oidc finds the document from it, takes it as that of the issuer, and finds the keys from it;
// and every path is one that a file or an object can have.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{
		"https://oidc.example.org", "https://oidc.example.org:8443/clusters/prod", "https://OIDC.example.org/a!$&'()*+,;=:@b/~c",
		"https://[2001:db8::1]:443/x", "https://oidc.example.org/", "https://a//b", "https://a/../b", "https://a/%2e", "https://a?b#c",
		"https://me:pass@a", "https://ü/ü", "http://a", "https://a\\b", "https://a:0", "https://a/b?", "",
	} {
		f.Add(seed, `{"keys":[`+first+`]}`)
	}
	f.Add("https://a", `{"keys":[`+second+`,`+first+`]}`)
	f.Fuzz(func(t *testing.T, url, text string) {
		keys, err := jwks.Parse(text)
		if err != nil {
			keys = parsed(t, first, second)
		}
		refused := issuer.Check(url)
		discovery, keySet, err := issuer.Documents(url, keys)
		if (err == nil) != (refused == nil && len(keys.Algorithms()) > 0) {
			t.Fatalf("%q: Check says %v, Documents says %v", url, refused, err)
		}
		if err != nil {
			return
		}
		for _, document := range []issuer.Document{discovery, keySet} {
			if !fs.ValidPath(document.Path) {
				t.Fatalf("%q: %q is no path of a file", url, document.Path)
			}
		}
		consume(t, url, keys, host{"/" + discovery.Path: discovery, "/" + keySet.Path: keySet})
	})
}

// consume has go-oidc read the documents.
func consume(t *testing.T, url string, keys *jwks.Set, server host) {
	client := &http.Client{Transport: server}
	provider, err := oidc.NewProvider(oidc.ClientContext(t.Context(), client), url)
	if err != nil {
		t.Fatalf("%q: %v", url, err)
	}
	var said struct {
		Issuer  string
		JWKSURI string `json:"jwks_uri"`
	}
	if err := provider.Claims(&said); err != nil {
		t.Fatal(err)
	}
	if said.Issuer != url || !strings.HasPrefix(said.JWKSURI, url+"/") {
		t.Fatalf("the document of %q is of %q, with keys at %q", url, said.Issuer, said.JWKSURI)
	}
	response, err := client.Get(said.JWKSURI)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	served, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := jwks.Parse(string(served)); err != nil || !again.Equal(keys) {
		t.Fatalf("%q: the keys became %s (%v)", url, served, err)
	}
}
