// Package jwt reads what a token says of itself (RFC 7519). It verifies nothing: it is for tokens that come straight from the
// API server that signed them.
package jwt

import (
	"errors"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// Token is what a token says of itself.
type Token struct {
	// KeyID is the "kid" of its header, the key that signed it; empty when it names none.
	KeyID string
	// Issuer is the claim "iss", Audiences the claim "aud" (RFC 7519 section 4.1.3: one text or several).
	Issuer    string
	Audiences []string
	// Claims are all claims.
	Claims claims.Claims
}

// algorithms are all that a token can be signed with; which of them the registry takes is its own business.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Read reads a signed token in its compact form. Its errors quote nothing of it.
func Read(text string) (Token, error) {
	signed, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return Token{}, errors.New("not a signed JWT")
	}
	read, err := claims.ParseClaims(string(signed.UnsafePayloadWithoutVerification()))
	if err != nil {
		return Token{}, errors.New("a JWT whose claims cannot be read")
	}
	out := Token{KeyID: signed.Signatures[0].Header.KeyID, Claims: read}
	issuer, _ := read.Lookup("iss")
	out.Issuer, _ = issuer.(string)
	audience, _ := read.Lookup("aud")
	switch audience := audience.(type) {
	case string:
		out.Audiences = []string{audience}
	case []any:
		for _, element := range audience {
			if text, ok := element.(string); ok {
				out.Audiences = append(out.Audiences, text)
			}
		}
	}
	return out, nil
}
