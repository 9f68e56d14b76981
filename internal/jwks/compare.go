package jwks

import (
	"fmt"
	"slices"
)

// Equal tells whether both are the same set of keys. White space, the order of keys and of members, and members
// outside of "keys" do not count; every member of a key does, so that a changed "alg" is a difference.
func (s *Set) Equal(o *Set) bool { return s.Canonical() == o.Canonical() }

// EqualTexts tells whether two texts hold the same set of keys. Texts of which one is not a key set are compared as
// they stand.
func EqualTexts(a, b string) bool {
	if a == b {
		return true
	}
	left, err := Parse(a)
	if err != nil {
		return false
	}
	right, err := Parse(b)
	return err == nil && left.Equal(right)
}

// Diff is what has to happen to one set to make it another one, in kids. A key without kid is shown as "(no kid)".
type Diff struct {
	// Added are in the new set only.
	Added []string
	// Removed are in the old set only.
	Removed []string
	// Changed are in both, with other material or other members. Changed material under a kept kid is no rotation: no
	// consumer can tell the two keys apart.
	Changed []string
}

// Empty tells whether nothing differs.
func (d Diff) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// String is the difference in the signs of a plan: "+new -old ~changed", or "" when there is none.
func (d Diff) String() string {
	text := ""
	for _, part := range []struct {
		sign string
		kids []string
	}{{"+", d.Added}, {"-", d.Removed}, {"~", d.Changed}} {
		for _, kid := range part.kids {
			if text != "" {
				text += " "
			}
			text += part.sign + kid
		}
	}
	return text
}

// Diff returns what changes from s to next; each list is sorted.
func (s *Set) Diff(next *Set) Diff {
	var d Diff
	for _, key := range s.Keys() {
		switch other, found := next.find(key.id()); {
		case !found:
			d.Removed = append(d.Removed, key.display())
		case other.canonical != key.canonical:
			d.Changed = append(d.Changed, key.display())
		}
	}
	for _, key := range next.Keys() {
		if _, found := s.find(key.id()); !found {
			d.Added = append(d.Added, key.display())
		}
	}
	return d
}

// Missing returns the kids of the keys of o that s does not have, sorted. A key under the same kid with other material
// is missing too: a token signed with the one is not verified by the other.
func (s *Set) Missing(o *Set) []string {
	missing := []string{}
	for _, key := range o.Keys() {
		if !s.verifies(key) {
			missing = append(missing, key.display())
		}
	}
	return missing
}

// Disjoint tells whether no token that verifies against one set verifies against the other: no key of the same kid and
// the same material is in both. Replacing a set by a disjoint one cuts off every token in use.
func (s *Set) Disjoint(o *Set) bool {
	return !slices.ContainsFunc(o.Keys(), s.verifies)
}

// verifies tells whether s has the key: what counts is how a verifier selects it and what it is made of.
func (s *Set) verifies(key Key) bool {
	own, found := s.find(key.id())
	return found && own.Thumbprint == key.Thumbprint
}

// Has tells whether the set has a key of that kid.
func (s *Set) Has(kid string) bool {
	_, found := s.find(id{present: true, text: kid})
	return found
}

func (s *Set) find(wanted id) (Key, bool) {
	if s == nil {
		return Key{}, false
	}
	at, found := slices.BinarySearchFunc(s.keys, wanted, func(k Key, to id) int { return compareIDs(k.id(), to) })
	if !found {
		return Key{}, false
	}
	return s.keys[at], true
}

func (k Key) display() string {
	if !k.hasID {
		return "(no kid)"
	}
	return k.KeyID
}

// What the registry does with a key set beyond accepting it.
const (
	// Newer versions refuse more keys, and a longer text, than this.
	registryMaxKeys  = 16
	registryMaxBytes = 64 * 1024
	// RFC 7518 section 3.3: RSA keys of at least 2048 bits.
	minRSABits = 2048
)

// Warnings lists, in words, what is accepted and will hardly do what it is meant to do: keys that no token can be
// verified with, and sizes that newer versions of the registry refuse. It is empty for a sound set.
func (s *Set) Warnings() []string {
	var out []string
	if n := s.Len(); n > registryMaxKeys {
		out = append(out, fmt.Sprintf("The set has %d keys; newer versions of the registry take at most %d.", n,
			registryMaxKeys))
	}
	if n := len(s.Canonical()); n > registryMaxBytes {
		out = append(out, fmt.Sprintf("The set is %d bytes long; newer versions of the registry take at most %d.", n,
			registryMaxBytes))
	}
	for _, problem := range s.Unusable() {
		out = append(out, "Key "+problem+".")
	}
	return out
}

// Unusable lists, in canonical order, the keys that no token can be verified with, as "KID: why not". It is empty for a
// sound set.
func (s *Set) Unusable() []string {
	var out []string
	for _, key := range s.Keys() {
		if problem := key.unusable(s.Len() == 1); problem != "" {
			out = append(out, shorten(key.display())+": "+problem)
		}
	}
	return out
}

// unusable says why no token can be verified with the key, or "".
func (k Key) unusable(alone bool) string {
	switch {
	case k.Use != "" && k.Use != "sig":
		return fmt.Sprintf("its use is %s, so it does not sign tokens", quote(k.Use))
	case !k.hasID && !alone:
		return "it has no kid, and the registry uses such a key only when it is the only one of the set"
	case k.KeyType == "RSA" && k.bits < minRSABits:
		return fmt.Sprintf("an RSA key of %d bits is too short (RFC 7518 section 3.3 asks for %d), verifiers refuse it",
			k.bits, minRSABits)
	case k.KeyType == "EC" && slices.Contains(signatures["EC"], k.Algorithm) && k.Algorithm != k.suggested():
		return fmt.Sprintf("its alg is %s, and a key on the curve %s signs with %s alone (RFC 7518 section 3.4)", k.Algorithm, k.curve,
			k.suggested())
	case !slices.Contains(verified[k.KeyType], k.signsWith()):
		return fmt.Sprintf("the registry does not verify %s tokens of an %s key", quote(k.signsWith()), k.KeyType)
	}
	return ""
}

// verified are the algorithms by which the registry accepts a token, per type of key.
var verified = map[string][]string{
	"RSA": {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"},
	"EC":  {"ES256", "ES384"},
}
