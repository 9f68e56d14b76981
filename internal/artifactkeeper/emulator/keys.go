package emulator

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// privateMembers are the members of a JWK that hold private key material (RFC
// 7518 sections 6.2.2, 6.3.2 and 6.4.1).
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// The upper size of a static key set, on releases that have one.
const (
	maxStaticKeys  = 16
	maxStaticBytes = 64 << 10
)

// checkKeySet refuses a static key set that cannot be a trust anchor, and
// names the key that spoils it.
func checkKeySet(text json.RawMessage, bounded bool) error {
	if bounded && len(text) > maxStaticBytes {
		return invalidKeySet("%d bytes exceeds the limit of %d", len(text), maxStaticBytes)
	}
	set, _ := decodeNumbers(text).(map[string]any)
	keys, _ := set["keys"].([]any)
	if len(keys) == 0 {
		return invalidKeySet("expected a JSON object with a non-empty \"keys\" array")
	}
	if bounded && len(keys) > maxStaticKeys {
		return invalidKeySet("%d keys exceeds the limit of %d", len(keys), maxStaticKeys)
	}
	seen := map[string]bool{}
	for i, element := range keys {
		key, isObject := element.(map[string]any)
		kid, named := key["kid"].(string)
		label, name := fmt.Sprintf("key %d", i), "(none)"
		if named {
			label, name = "key '"+kid+"'", "'"+kid+"'"
		}
		if !isObject {
			return invalidKeySet("%s is not a JSON object", label)
		}
		if err := checkPublicKey(key); err != nil {
			return invalidKeySet("%s %v", label, err)
		}
		// (none) has no quotes, so it cannot be mistaken for a kid.
		if seen[name] {
			return invalidKeySet("two keys share the kid %s", name)
		}
		seen[name] = true
	}
	return nil
}

func invalidKeySet(format string, args ...any) error {
	return validation("Invalid static_jwks: %s", fmt.Sprintf(format, args...))
}

// checkPublicKey refuses what is not a public RSA or EC key. Like the
// registry it looks at the encoding of the members and not at the curve: a
// point that is on no curve is saved, and verifies nothing.
func checkPublicKey(key map[string]any) error {
	for _, member := range privateMembers {
		if _, ok := key[member]; ok {
			return fmt.Errorf(
				"contains the private member '%s'; private key material is not accepted, supply the public key only", member)
		}
	}
	var members []string
	kind, _ := key["kty"].(string)
	switch kind {
	case "RSA":
		members = []string{"n", "e"}
	case "EC":
		members = []string{"x", "y"}
	default:
		return fmt.Errorf("is not a supported public key: Unsupported JWK kty: %s", kind)
	}
	for _, member := range members {
		text, ok := key[member].(string)
		if !ok {
			return fmt.Errorf("is not a supported public key: JWK %s missing '%s'", kind, member)
		}
		if _, err := base64.RawURLEncoding.DecodeString(text); err != nil {
			return fmt.Errorf("is not a supported public key: Invalid %s JWK: Base64 error", kind)
		}
	}
	return nil
}

// verificationKey is one key of a set that a signature is checked with.
type verificationKey struct {
	kid string
	jwk json.RawMessage
}

// verificationKeys splits a key set. The kid of a key without one is empty.
func verificationKeys(set json.RawMessage) ([]verificationKey, error) {
	var parsed struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(set, &parsed); err != nil || parsed.Keys == nil {
		return nil, errors.New("no keys array")
	}
	keys := make([]verificationKey, 0, len(parsed.Keys))
	for _, raw := range parsed.Keys {
		var named struct {
			KID string `json:"kid"`
		}
		_ = json.Unmarshal(raw, &named) // a key without a readable kid has none
		keys = append(keys, verificationKey{kid: named.KID, jwk: raw})
	}
	return keys, nil
}

// selectStatic picks the key of a static set, strictly: an unknown kid is
// refused by name, so that a missed rotation shows; no kid is good enough
// only when there is one key.
func selectStatic(keys []verificationKey, kid string) (verificationKey, error) {
	if kid == "" {
		if len(keys) != 1 {
			return verificationKey{}, unauthorized("CI JWT has no key id and this provider's static JWKS holds several keys")
		}
		return keys[0], nil
	}
	for _, key := range keys {
		if key.kid == kid {
			return key, nil
		}
	}
	return verificationKey{}, unauthorized("CI JWT key id '%s' is not in this provider's static JWKS", kid)
}

// selectDiscovered picks the key of a discovered set, leniently: an unknown
// kid falls back to the first key, whose check then fails.
func selectDiscovered(keys []verificationKey, kid string) (verificationKey, error) {
	for _, key := range keys {
		if kid != "" && key.kid == kid {
			return key, nil
		}
	}
	if len(keys) == 0 {
		return verificationKey{}, internalError()
	}
	return keys[0], nil
}

// parse makes the key usable. A key that was saved or published but is no key
// is the registry's own failure.
func (k verificationKey) parse() (*jose.JSONWebKey, error) {
	parsed := &jose.JSONWebKey{}
	if err := json.Unmarshal(k.jwk, parsed); err != nil || !parsed.Valid() {
		return nil, internalError()
	}
	return parsed, nil
}
