package emulator

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// leeway is how far the clocks of issuer and registry may be apart.
const leeway = time.Minute

// algorithms are the signatures that the registry checks.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384,
}

// readable are the signatures whose header the registry can read, if only to
// say that it does not check them.
var readable = append([]jose.SignatureAlgorithm{jose.HS256, jose.HS384, jose.HS512, jose.EdDSA}, algorithms...)

// assertion is a presented token, not verified yet.
type assertion struct {
	token    string
	issuer   string
	audience []string
	readable bool // whether iss could be read
}

// peek reads iss and aud without any check. They only choose the provider
// that the token is then checked against.
func peek(token string) assertion {
	out := assertion{token: token}
	claims := payload(token)
	if claims == nil {
		return out
	}
	out.issuer, out.readable = claims["iss"].(string)
	out.audience = audiences(claims)
	return out
}

// payload decodes the claims of a JWT without any check, nil when it is none.
func payload(token string) map[string]any {
	parsed, err := jose.ParseSignedCompact(token, readable)
	if err != nil {
		return nil
	}
	text := parsed.UnsafePayloadWithoutVerification()
	if !json.Valid(text) {
		return nil
	}
	claims, _ := decodeNumbers(text).(map[string]any)
	return claims
}

// audiences is aud in either of its shapes (RFC 7519 section 4.1.3).
func audiences(claims map[string]any) []string {
	switch aud := claims["aud"].(type) {
	case string:
		return []string{aud}
	case []any:
		var list []string
		for _, element := range aud {
			if text, ok := element.(string); ok {
				list = append(list, text)
			}
		}
		return list
	}
	return nil
}

// verify checks a token against a provider and a key and returns its claims.
// The order is the registry's, so that of two faults the same one is told.
func (s *Server) verify(token string, p *Provider, choose func(kid string) (verificationKey, error)) (map[string]any, error) {
	signed, err := jose.ParseSignedCompact(token, readable)
	if err != nil {
		return nil, unauthorized("Invalid CI JWT header: InvalidToken")
	}
	header := signed.Signatures[0].Header
	key, err := choose(header.KeyID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(algorithms, jose.SignatureAlgorithm(header.Algorithm)) {
		return nil, unauthorized("Unsupported CI JWT algorithm: %s", header.Algorithm)
	}
	jwk, err := key.parse()
	if err != nil {
		return nil, err
	}
	text, err := signed.Verify(jwk.Key)
	if err != nil {
		return nil, validationFailed("InvalidSignature")
	}
	var claims map[string]any
	if json.Valid(text) {
		claims, _ = decodeNumbers(text).(map[string]any)
	}
	if claims == nil {
		return nil, validationFailed("InvalidToken")
	}
	return claims, s.checkClaims(claims, p)
}

func validationFailed(why string) error { return unauthorized("CI JWT validation failed: %s", why) }

// checkClaims checks exp, nbf, iss and aud. iss is compared exactly: the
// trailing slash that choosing the provider ignores counts here.
func (s *Server) checkClaims(claims map[string]any, p *Provider) error {
	now := s.options.Now()
	expires, ok := numericDate(claims, "exp")
	if !ok {
		return validationFailed("Missing required claim: exp")
	}
	if now.After(expires.Add(leeway)) {
		return validationFailed("ExpiredSignature")
	}
	if from, ok := numericDate(claims, "nbf"); ok && !s.options.AsBuilt && now.Before(from.Add(-leeway)) {
		return validationFailed("ImmatureSignature")
	}
	if claims["iss"] != p.IssuerURL {
		return validationFailed("InvalidIssuer")
	}
	if !slices.Contains(audiences(claims), p.Audience) {
		return validationFailed("InvalidAudience")
	}
	return nil
}

// numericDate is a claim in seconds since 1970 (RFC 7519 section 2).
func numericDate(claims map[string]any, name string) (time.Time, bool) {
	number, ok := claims[name].(json.Number)
	if !ok {
		return time.Time{}, false
	}
	seconds, err := number.Float64()
	if err != nil {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0), true
}
