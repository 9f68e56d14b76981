// Package jwks reads JSON Web Key Sets (RFC 7517) the way the registry reads the static key set of a CI OIDC provider,
// compares them as sets of keys, and writes them in one canonical form.
package jwks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// ErrPrivateKey is wrapped by the errors of Parse about private or symmetric key material. A caller may want to say
// that such a key has left its home and should be replaced.
var ErrPrivateKey = errors.New("private key material is never part of a published key set")

// Set is a set of public keys, as Parse returns it. The zero Set, and a nil one, is empty.
type Set struct {
	keys []Key // sorted by key id; a key without one comes first
}

// Parse reads a key set and holds it against the rules by which the registry accepts one:
//   - a JSON object with a non-empty "keys" array; other members of the object mean nothing (RFC 7517 section 5) and
//     are dropped;
//   - every key an object of "kty" RSA ("n", "e") or EC ("crv" P-256, P-384 or P-521, "x", "y"), whose members decode
//     to a usable key; an EC point has to be on its curve, an RSA modulus at most 8192 bits long;
//   - no member that carries private material: d, p, q, dp, dq, qi, oth, k, whatever its value;
//   - no two keys of the same "kid", where two keys without one clash too;
//   - and, beyond the registry, no member named twice and nothing after the object: a second reader could see
//     another key.
//
// Errors name the key by its place and kid, and never repeat the value of another member. Those about private
// material wrap ErrPrivateKey.
func Parse(text string) (*Set, error) {
	set, faults, err := ParseUsable(text)
	if err == nil && len(faults) > 0 {
		err = faults[0]
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

// ParseUsable reads a key set as a consumer does that uses what it can: a key that Parse refuses is left out, and so is one
// under the kid of another that came before it. faults says why, in the order of the text, in the words of Parse. The error
// is about a text that is no key set at all; the set may be empty without one.
func ParseUsable(text string) (set *Set, faults []error, err error) {
	if err := notAKeySet(text); err != nil {
		return nil, nil, err
	}
	document, err := strictjson.Decode(text)
	if err != nil {
		return nil, nil, fmt.Errorf("not a JSON Web Key Set: %w", err)
	}
	members, err := keysOf(document)
	if err != nil {
		return nil, nil, err
	}
	set = &Set{keys: make([]Key, 0, len(members))}
	seen := make(map[id]int, len(members))
	for i, member := range members {
		key, err := parseKey(member)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", label(i, member), err))
			continue
		}
		if first, clash := seen[key.id()]; clash {
			faults = append(faults, fmt.Errorf("keys[%d] and keys[%d] %s; a token names its key by kid, so each key needs its own",
				first, i, sharedID(key)))
			continue
		}
		seen[key.id()] = i
		set.keys = append(set.keys, key)
	}
	slices.SortFunc(set.keys, func(a, b Key) int { return compareIDs(a.id(), b.id()) })
	return set, faults, nil
}

// notAKeySet recognises what people paste instead of a key set, where "invalid character" would leave them guessing.
func notAKeySet(text string) error {
	switch start := strings.TrimSpace(text); {
	case start == "":
		return errors.New("not a JSON Web Key Set: the text is empty")
	case start[0] == '<':
		return errors.New("not a JSON Web Key Set: it is a page of HTML or XML, as a login page or a proxy answers")
	case strings.HasPrefix(start, "-----BEGIN") && strings.Contains(start, "PRIVATE KEY"):
		return fmt.Errorf("not a JSON Web Key Set: it is a PEM block with a private key: %w", ErrPrivateKey)
	case strings.HasPrefix(start, "-----BEGIN"):
		return errors.New("not a JSON Web Key Set: it is PEM; a key set is a JSON object with a \"keys\" array")
	}
	return nil
}

const shape = `a JSON Web Key Set is a JSON object with a non-empty "keys" array`

// keysOf returns the elements of the "keys" array.
func keysOf(document any) ([]any, error) {
	object, ok := document.(map[string]any)
	if !ok {
		hint := ""
		if _, text := document.(string); text {
			hint = " (was it encoded twice?)"
		}
		return nil, fmt.Errorf("%s; this is %s%s", shape, strictjson.TypeName(document), hint)
	}
	value, ok := object["keys"]
	if !ok {
		return nil, withoutKeys(object)
	}
	keys, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf(`%s; here "keys" is %s`, shape, strictjson.TypeName(value))
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf(`%s; here "keys" is empty`, shape)
	}
	return keys, nil
}

// withoutKeys says what an object without "keys" may be.
func withoutKeys(object map[string]any) error {
	_, key := object["kty"]
	_, discovery := object["jwks_uri"]
	switch {
	case key && privateMember(object) != "":
		return fmt.Errorf("%s; this object is a single private key: %w", shape, ErrPrivateKey)
	case key:
		return fmt.Errorf(`%s; this object is a single key, which belongs into {"keys": [...]}`, shape)
	case discovery:
		return fmt.Errorf(`%s; this object is a discovery document, the keys are at its "jwks_uri"`, shape)
	}
	return fmt.Errorf("%s; this object has no \"keys\"", shape)
}

// label names a key in an error, by place and kid.
func label(index int, member any) string {
	if object, ok := member.(map[string]any); ok {
		if kid, ok := object["kid"].(string); ok {
			return fmt.Sprintf("keys[%d] (kid %s)", index, quote(kid))
		}
	}
	return fmt.Sprintf("keys[%d]", index)
}

func sharedID(k Key) string {
	if !k.hasID {
		return "both have no kid"
	}
	return "share the kid " + quote(k.KeyID)
}

// quote keeps an error readable whatever the text is.
func quote(s string) string { return fmt.Sprintf("%q", shorten(s)) }

func shorten(s string) string {
	const most = 100
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// id is what a token's kid is held against: no kid at all is a value of its own, apart from an empty one.
type id struct {
	present bool
	text    string
}

func compareIDs(a, b id) int {
	if a.present != b.present {
		if b.present {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.text, b.text)
}

// Canonical is the set as one line of JSON: keys sorted by kid (byte order; a key without one first), members sorted
// by name, no white space, key material in its shortest encoding. Equal sets have the same bytes, and Parse reads
// them back as an equal set. It holds every member of every key, also those that this package does not know.
func (s *Set) Canonical() string {
	if s == nil || len(s.keys) == 0 {
		return `{"keys":[]}`
	}
	texts := make([]string, len(s.keys))
	for i, key := range s.keys {
		texts[i] = key.canonical
	}
	return `{"keys":[` + strings.Join(texts, ",") + `]}`
}

// Keys returns the keys in canonical order.
func (s *Set) Keys() []Key {
	if s == nil {
		return nil
	}
	return slices.Clone(s.keys)
}

// Len is the number of keys.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.keys)
}

// KeyIDs returns the kids, sorted in byte order. A key without kid has none to show and is left out.
func (s *Set) KeyIDs() []string {
	ids := make([]string, 0, s.Len())
	for _, key := range s.Keys() {
		if key.hasID {
			ids = append(ids, key.KeyID)
		}
	}
	return ids
}

// Algorithms returns what the keys sign with ("RS256"), sorted and without repetition: the "alg" of a key, or, for a
// key that states none, the one of its curve (RFC 7518 section 3.4) and RS256 for RSA, which every OpenID provider has
// to support (OpenID Connect Core section 15.1). A key for encryption, by its "use" or its "alg", signs nothing.
func (s *Set) Algorithms() []string {
	names := make([]string, 0, s.Len())
	for _, key := range s.Keys() {
		if key.signs() {
			names = append(names, key.signsWith())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
