//go:build linux

package examples_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// consume does what a consumer does that trusts an issuer and knows nothing else: somebody else's code fetches both documents
// and checks a token of the ServiceAccount team/app for the audience "somebody".
func consume(t *testing.T, client *http.Client, issuer, token string) error {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), client)
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return err
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: "somebody"}).Verify(ctx, token)
	if err == nil && verified.Subject != "system:serviceaccount:team:app" {
		t.Errorf("the token is of %s", verified.Subject)
	}
	return err
}

// pages are what there is to fetch, by URL, for hosts that do not exist.
type pages map[string]document

// RoundTrip answers with the page, or that there is none.
func (p pages) RoundTrip(r *http.Request) (*http.Response, error) {
	page, ok := p[r.URL.String()]
	response := &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {page.ContentType}}, Request: r,
		Body: io.NopCloser(strings.NewReader(page.Content)),
	}
	if !ok {
		response.StatusCode = http.StatusNotFound
	}
	return response, nil
}

// verifiedWith is the subject of a token that a key of a set verifies.
func verifiedWith(t *testing.T, token, keySet string) (subject string) {
	t.Helper()
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(keySet), &keys); err != nil {
		t.Fatal(err)
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	var claims jwt.Claims
	if err := parsed.Claims(keys, &claims); err != nil {
		t.Error(err)
	}
	return claims.Subject
}
