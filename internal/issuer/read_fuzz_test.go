package issuer_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// serves is a network on which one server answers for every host.
type serves struct {
	discovery, keySet string
	status            int
	header            http.Header
}

func (s serves) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" || r.URL.User != nil {
		return nil, errors.New("nobody asks for " + r.URL.String())
	}
	text := s.keySet
	if strings.HasSuffix(r.URL.Path, publisher.DiscoveryPath) {
		text = s.discovery
	}
	return &http.Response{StatusCode: s.status, Header: s.header.Clone(), Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// Whatever is published is read, and read the same way twice. Where nothing is wrong with it, go-oidc takes it.
func FuzzRead(f *testing.F) {
	const location = "https://oidc.example.org/prod"
	const sound = `{"issuer":"` + location + `","jwks_uri":"` + location + `/keys"}`
	keys := `{"keys":[` + first + `,` + second + `]}`
	const media, caches = "application/json", "max-age=3600"
	f.Add(sound, keys, 200, media, caches, "")
	f.Add(sound, keys, 302, "text/html; charset=utf-8", `s-maxage="86400", public`, "https://login.example.org/?a=b#c")
	f.Add(sound, `<Error><Code>AccessDenied</Code></Error>`, 403, "application/xml", "no-store", "")
	f.Add(`{"issuer":"https://oidc.example.org/Prod/","jwks_uri":"https://u:p@10.0.0.1:6443/openid/v1/jwks?sig=x"}`, keys, 200, media, "max-age=9999999999999", "")
	f.Add(`{"issuer":1,"jwks_uri":["https://kubernetes.default.svc"]}`, `{"keys":[{"kty":"oct","k":"AA"},{"kty":"RSA","kid":1}]}`, 200, "", "=,max-age=,", "")
	f.Add("\ufeff[", "-----BEGIN PRIVATE KEY-----", 200, "application/jwk-set+json", "", "")
	f.Fuzz(func(t *testing.T, discovery, keySet string, status int, media, caches, redirect string) {
		network := serves{discovery, keySet, status, http.Header{
			"Content-Type": {media}, "Cache-Control": {caches}, "Location": {redirect},
		}}
		reader := issuer.NewReader(network)
		published, err := reader.Read(t.Context(), location)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reader.Read(t.Context(), location)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(published, again, cmpopts.IgnoreFields(issuer.Published{}, "Keys")); diff != "" {
			t.Fatalf("the second read is another:\n%s", diff)
		}
		for _, problem := range published.Problems {
			text := problem.String()
			if problem.Found == "" || problem.Means == "" || problem.Remedy == "" || len(text) > 2000 ||
				strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q", problem)
			}
		}
		expected := parsed(t, first)
		missing, _, _ := published.Compare(expected)
		if published.Keys == nil {
			if len(published.Problems) == 0 || len(missing) != 1 {
				t.Fatal("there are no keys, and nothing says so")
			}
			return
		}
		if set, err := jwks.Parse(published.Keys.Canonical()); err != nil || !set.Equal(published.Keys) {
			t.Fatalf("the keys do not read back: %v", err)
		}
		if len(published.Problems) > 0 {
			return
		}
		if _, err := oidc.NewProvider(oidc.ClientContext(t.Context(), &http.Client{Transport: network}), location); err != nil {
			t.Fatalf("nothing is wrong, and a consumer refuses it: %v", err)
		}
		if set, err := jwks.Parse(string(published.Answer)); err != nil || !set.Equal(published.Keys) {
			t.Fatalf("nothing is wrong, and a registry refuses the keys: %v", err)
		}
	})
}
