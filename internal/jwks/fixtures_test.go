package jwks_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// jwk is one key as its members.
type jwk map[string]any

// rsaKey has a modulus of that many bits, the same one for the same seed. Nothing here signs, so it need not be a
// product of primes.
func rsaKey(bits int, seed byte) jwk {
	n := make([]byte, bits/8)
	for i := range n {
		n[i] = byte(i)*31 + seed
	}
	n[0] |= 0x80
	n[len(n)-1] |= 1
	return jwk{"kty": "RSA", "n": base64.RawURLEncoding.EncodeToString(n), "e": "AQAB"}
}

func ecKey(t testing.TB, curve elliptic.Curve) jwk {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	size := (len(point) - 1) / 2
	return jwk{
		"kty": "EC", "crv": curve.Params().Name,
		"x": base64.RawURLEncoding.EncodeToString(point[1 : 1+size]),
		"y": base64.RawURLEncoding.EncodeToString(point[1+size:]),
	}
}

// with returns a copy of the key with more members; nil as a value takes a member out.
func (k jwk) with(members jwk) jwk {
	out := maps.Clone(k)
	for name, value := range members {
		if value == nil {
			delete(out, name)
			continue
		}
		out[name] = value
	}
	return out
}

func (k jwk) kid(kid string) jwk { return k.with(jwk{"kid": kid}) }

// set writes a key set, keys in the order given.
func set(t testing.TB, keys ...jwk) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) *jwks.Set {
	t.Helper()
	parsed, err := jwks.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", strings.TrimSpace(text[:min(len(text), 300)]), err)
	}
	return parsed
}
