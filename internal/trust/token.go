package trust

import (
	"errors"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// presented is what a token says of itself. Nothing here verifies it: it comes from the API server that signed it.
type presented struct {
	keyID     string
	issuer    string
	audiences []string
	claims    claims.Claims
}

// algorithms are all that a token can be signed with; which of them the registry takes is its own business.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// readToken reads a JWT (RFC 7519). Its errors quote nothing of it.
func readToken(text string) (presented, error) {
	signed, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return presented{}, errors.New("the API server issued something that is not a signed JWT")
	}
	read, err := claims.ParseClaims(string(signed.UnsafePayloadWithoutVerification()))
	if err != nil {
		return presented{}, errors.New("the API server issued a JWT whose claims cannot be read")
	}
	out := presented{keyID: signed.Signatures[0].Header.KeyID, claims: read}
	issuer, _ := read.Lookup("iss")
	out.issuer, _ = issuer.(string)
	audience, _ := read.Lookup("aud")
	switch audience := audience.(type) { // RFC 7519 section 4.1.3
	case string:
		out.audiences = []string{audience}
	case []any:
		for _, element := range audience {
			if text, ok := element.(string); ok {
				out.audiences = append(out.audiences, text)
			}
		}
	}
	return out, nil
}
