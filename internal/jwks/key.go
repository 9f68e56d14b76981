package jwks

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// maxRSABits is the longest RSA modulus that common verifiers accept ("RSA_PKCS1_2048_8192" of ring).
const maxRSABits = 8192

// go-jose stops at 4096 bits unless it is told otherwise before the first key is read, and API servers with 8192-bit
// keys exist.
func init() { jose.MaxRSAModulusBits = maxRSABits }

// Key is one public key.
type Key struct {
	// KeyID is the "kid", by which a token names the key that signed it; empty when the key has none.
	KeyID string
	// KeyType is the "kty": RSA or EC.
	KeyType string
	// Algorithm is the "alg", for example RS256; empty when the key does not say.
	Algorithm string
	// Use is the "use", for example sig; empty when the key does not say.
	Use string
	// PublicKeyPEM is the key as a PEM block "PUBLIC KEY" (PKIX), with a final newline.
	PublicKeyPEM string
	// Thumbprint is the RFC 7638 thumbprint: SHA-256, base64url without padding. It depends on the key material alone.
	Thumbprint string

	hasID     bool
	bits      int
	curve     string
	canonical string
}

// privateMembers carry private or symmetric material: RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1.
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// material lists the members that make up a public key, per kty.
var material = map[string][]string{
	"RSA": {"n", "e"},
	"EC":  {"crv", "x", "y"},
}

func privateMember(object map[string]any) string {
	for _, name := range privateMembers {
		if _, found := object[name]; found {
			return name
		}
	}
	return ""
}

// parseKey reads one element of "keys". Its errors do not repeat values, apart from names of types and curves.
func parseKey(element any) (Key, error) {
	object, ok := element.(map[string]any)
	if !ok {
		return Key{}, fmt.Errorf("a key is a JSON object, this is %s", strictjson.TypeName(element))
	}
	if name := privateMember(object); name != "" {
		return Key{}, fmt.Errorf("it has the private member %q; supply the public key only, and replace the key if it is"+
			" in use: %w", name, ErrPrivateKey)
	}
	key, err := described(object)
	if err != nil {
		return Key{}, err
	}
	public, err := publicKey(key.KeyType, object)
	if err != nil {
		return Key{}, err
	}
	switch public := public.(type) {
	case *rsa.PublicKey:
		key.bits = public.N.BitLen()
	case *ecdsa.PublicKey:
		key.curve = public.Params().Name
	}
	if err := key.encode(object, public); err != nil {
		return Key{}, err
	}
	return key, nil
}

// described reads the members about a key. A null counts as absent, as it does for the registry.
func described(object map[string]any) (Key, error) {
	var key Key
	for _, member := range []struct {
		name string
		to   *string
	}{{"kid", &key.KeyID}, {"kty", &key.KeyType}, {"alg", &key.Algorithm}, {"use", &key.Use}} {
		switch value := object[member.name].(type) {
		case nil:
		case string:
			*member.to = value
			key.hasID = key.hasID || member.name == "kid"
		default:
			return Key{}, fmt.Errorf("%q has to be a string (RFC 7517 section 4), it is %s", member.name,
				strictjson.TypeName(value))
		}
	}
	if key.KeyType == "" {
		return Key{}, errors.New(`it has no "kty"; RSA and EC keys are supported`)
	}
	if material[key.KeyType] == nil {
		return Key{}, fmt.Errorf("kty %s is not supported; RSA and EC keys are", quote(key.KeyType))
	}
	return key, nil
}

// publicKey has go-jose read the key material alone. The other members stay out of it: certificate members that do
// not fit the key ("x5c", "x5t") are the business of whoever uses them, and the registry does not.
func publicKey(kty string, object map[string]any) (crypto.PublicKey, error) {
	raw := map[string]any{"kty": kty}
	for _, name := range material[kty] {
		text, ok := object[name].(string)
		if !ok || text == "" {
			return nil, fmt.Errorf("kty %s needs %q as a non-empty string, it is %s", kty, name, found(object, name))
		}
		if name != "crv" {
			if err := base64url(text); err != nil {
				return nil, fmt.Errorf("%q is not base64url without padding (RFC 7515 section 2): %w", name, err)
			}
		}
		raw[name] = text
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var parsed jose.JSONWebKey
	err = parsed.UnmarshalJSON(text)
	switch {
	case errors.Is(err, jose.ErrUnsupportedKeyType) && kty == "EC":
		return nil, fmt.Errorf("curve %s is not supported; P-256, P-384 and P-521 are", quote(object["crv"].(string)))
	case errors.Is(err, jose.ErrUnsupportedKeyType):
		return nil, fmt.Errorf("its RSA modulus is longer than %d bits", maxRSABits)
	case err != nil:
		return nil, fmt.Errorf("it is not a usable key: %w", err)
	}
	if public, ok := parsed.Key.(*rsa.PublicKey); ok && public.N.Sign() == 0 {
		return nil, errors.New("its RSA modulus is zero")
	}
	return parsed.Key, nil
}

// base64url is stricter than Go's decoder, which skips line breaks, because the registry's is.
func base64url(text string) error {
	if at := strings.IndexAny(text, "\r\n"); at >= 0 {
		return base64.CorruptInputError(at)
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err
}

func found(object map[string]any, name string) string {
	switch value, present := object[name]; {
	case !present:
		return "missing"
	case value == "":
		return "empty"
	default:
		return strictjson.TypeName(value)
	}
}

// encode works out everything that is written down about a key later.
func (k *Key) encode(object map[string]any, public crypto.PublicKey) error {
	jwk := jose.JSONWebKey{Key: public}
	thumbprint, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return fmt.Errorf("working out the thumbprint: %w", err)
	}
	k.Thumbprint = base64.RawURLEncoding.EncodeToString(thumbprint)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return fmt.Errorf("encoding the key as PEM: %w", err)
	}
	k.PublicKeyPEM = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))

	// The same key can be written in more than one way (leading zeros in n and e, which some verifiers refuse).
	// Only go-jose's spelling goes into the canonical text.
	encoded, err := jwk.MarshalJSON()
	if err != nil {
		return fmt.Errorf("encoding the key: %w", err)
	}
	var spelled map[string]any
	if err := json.Unmarshal(encoded, &spelled); err != nil {
		return fmt.Errorf("encoding the key: %w", err)
	}
	members := make(map[string]any, len(object))
	for name, value := range object {
		if canonical, ok := spelled[name]; ok {
			value = canonical
		}
		members[name] = value
	}
	k.canonical, err = strictjson.Encode(members)
	return err
}

func (k Key) id() id { return id{present: k.hasID, text: k.KeyID} }

// signatures are the algorithms of signatures, per kty (RFC 7518 section 3.1).
var signatures = map[string][]string{
	"RSA": {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"},
	"EC":  {"ES256", "ES384", "ES512"},
}

// signs tells whether the key is there for signatures.
func (k Key) signs() bool {
	return (k.Use == "" || k.Use == "sig") && slices.Contains(signatures[k.KeyType], k.signsWith())
}

// signsWith is the algorithm of the key, or the one that its type suggests.
func (k Key) signsWith() string { return cmp.Or(k.Algorithm, k.suggested()) }

// suggested is the algorithm for the type of the key. For a curve there is no other (RFC 7518 section 3.4).
func (k Key) suggested() string {
	switch {
	case k.KeyType == "RSA":
		return string(jose.RS256)
	case k.curve == elliptic.P256().Params().Name:
		return string(jose.ES256)
	case k.curve == elliptic.P384().Params().Name:
		return string(jose.ES384)
	}
	return string(jose.ES512)
}
