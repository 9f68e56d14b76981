package jwt

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// sign makes a token with a payload; an empty kid is none.
func sign(t *testing.T, kid, payload string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if kid != "" {
		options.WithHeader("kid", kid)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		kid, payload string
		want         Token
	}{
		"all of it": {"k", `{"iss":"https://a","aud":["x","y"],"sub":"s"}`, Token{KeyID: "k", Issuer: "https://a", Audiences: []string{"x", "y"}}},
		"one text":  {"k", `{"iss":"https://a","aud":"x"}`, Token{KeyID: "k", Issuer: "https://a", Audiences: []string{"x"}}},
		"nothing":   {"", `{}`, Token{}},
		"null":      {"k", `{"iss":null,"aud":null}`, Token{KeyID: "k"}},
		"no texts":  {"k", `{"iss":1,"aud":[1,"x",null]}`, Token{KeyID: "k", Audiences: []string{"x"}}},
		"empty":     {"k", `{"iss":"","aud":[]}`, Token{KeyID: "k"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(sign(t, c.kid, c.payload))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreTypes(claims.Claims{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	got, err := Read(sign(t, "k", `{"sub":"s"}`))
	if sub, _ := got.Claims.Lookup("sub"); err != nil || sub != "s" {
		t.Errorf("the claims have sub %v (%v)", sub, err)
	}
}

// What cannot be read is an error that quotes nothing of it.
func TestReadRefuses(t *testing.T) {
	const canary = "canary"
	good := sign(t, "k", `{"sub":"canary"}`)
	header, rest, _ := strings.Cut(good, ".")
	for name, text := range map[string]string{
		"nothing":     "",
		"a word":      canary,
		"a half":      header,
		"unsigned":    "eyJhbGciOiJub25lIn0." + rest,
		"symmetric":   "eyJhbGciOiJIUzI1NiJ9." + rest,
		"not claims":  sign(t, "k", `["canary"]`),
		"not JSON":    sign(t, "k", canary),
		"said twice":  sign(t, "k", `{"sub":"canary","sub":"canary"}`),
		"several":     good + "." + canary,
		"white space": " " + canary + " . . ",
	} {
		if got, err := Read(text); err == nil || strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "eyJ") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
