package acctest

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// KeySet is the JSON text of a public key set with one key for each kid, the same on every call.
func KeySet(kids ...string) string {
	set := jose.JSONWebKeySet{}
	for _, kid := range kids {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: publicKey(kid), KeyID: kid, Use: "sig", Algorithm: "ES256"})
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err) // A fault of this file.
	}
	return string(text)
}

// publicKey derives a key from its kid. It guards nothing, so that it need not be secret.
func publicKey(kid string) *ecdsa.PublicKey {
	scalar := sha256.Sum256([]byte(kid))
	private, err := ecdh.P256().NewPrivateKey(scalar[:])
	if err != nil {
		panic(err) // One in 2^32 names; choose another.
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), private.PublicKey().Bytes())
	if err != nil {
		panic(err) // A fault of the library.
	}
	return public
}

// HCL quotes a text as an HCL string, in which ${ and %{ begin a template unless the sign is doubled.
func HCL(text string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(text))
}

// SameJSON reports whether two JSON texts hold the same value; an empty text is null.
func SameJSON(a, b string) bool {
	decode := func(text string) any {
		var out any
		if text == "" {
			return nil
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			panic(fmt.Sprintf("not JSON: %s", text))
		}
		return out
	}
	return reflect.DeepEqual(decode(a), decode(b))
}
