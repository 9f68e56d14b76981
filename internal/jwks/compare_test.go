package jwks_test

import (
	"bytes"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

func TestEqual(t *testing.T) {
	a, b := rsaKey(2048, 1).kid("a"), rsaKey(2048, 2).kid("b")
	n, err := base64.RawURLEncoding.DecodeString(a["n"].(string))
	if err != nil {
		t.Fatal(err)
	}
	zeros := base64.RawURLEncoding.EncodeToString(append([]byte{0}, n...))
	tests := map[string]struct {
		left, right string
		want        bool
	}{
		"key order":                {set(t, a, b), set(t, b, a), true},
		"member order":             {`{"keys":[{"kid":"a","kty":"RSA","n":"zw","e":"AQAB"}]}`, `{"keys":[{"n":"zw","e":"AQAB","kty":"RSA","kid":"a"}]}`, true},
		"white space":              {set(t, a), strings.ReplaceAll(set(t, a), ",", " ,\n\t"), true},
		"members beside keys":      {set(t, a), `{"x":1,` + set(t, a)[1:], true},
		"escapes":                  {set(t, a), strings.Replace(set(t, a), `"a"`, `"\u0061"`, 1), true},
		"leading zeros":            {set(t, a), set(t, a.with(jwk{"n": zeros})), true},
		"other key":                {set(t, a), set(t, b), false},
		"one key more":             {set(t, a), set(t, a, b), false},
		"other material, same kid": {set(t, a), set(t, b.kid("a")), false},
		"same material, other kid": {set(t, a), set(t, a.kid("b")), false},
		"without kid":              {set(t, a), set(t, a.with(jwk{"kid": nil})), false},
		"kid empty or absent":      {set(t, a.kid("")), set(t, a.with(jwk{"kid": nil})), false},
		"other alg":                {set(t, a), set(t, a.with(jwk{"alg": "RS256"})), false},
		"other exponent":           {set(t, a), set(t, a.with(jwk{"e": "Aw"})), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			left, right := parse(t, test.left), parse(t, test.right)
			if got := left.Equal(right); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if left.Equal(right) != right.Equal(left) {
				t.Error("not symmetric")
			}
			if got := jwks.EqualTexts(test.left, test.right); got != test.want {
				t.Errorf("as texts: got %v, want %v", got, test.want)
			}
			if !left.Diff(right).Empty() == test.want {
				t.Errorf("the difference %v contradicts", left.Diff(right))
			}
		})
	}
}

func TestEqualTextsOfOtherTexts(t *testing.T) {
	good := set(t, rsaKey(2048, 1))
	for _, test := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"x", "x", true}, {"x", "y", false}, {good, "x", false}, {"x", good, false}, {"{}", "{ }", false}} {
		if got := jwks.EqualTexts(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %v", test.a, test.b, got)
		}
	}
}

func TestCanonical(t *testing.T) {
	text := ` { "keys": [ {"use":"sig","n":"zw","kid":"b&<","kty":"RSA","e":"AQAB","z":[1.50,{"y":1,"x":2}]},
		{"kty":"RSA","n":"zw","e":"AQAB"}, {"kid":"a","e":"AQAB","n":"zw","kty":"RSA"} ], "other": 1 }`
	want := `{"keys":[{"e":"AQAB","kty":"RSA","n":"zw"},{"e":"AQAB","kid":"a","kty":"RSA","n":"zw"},` +
		`{"e":"AQAB","kid":"b&<","kty":"RSA","n":"zw","use":"sig","z":[1.50,{"x":2,"y":1}]}]}`
	if got := parse(t, text).Canonical(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDiff(t *testing.T) {
	a, b, c := rsaKey(2048, 1).kid("a"), rsaKey(2048, 2).kid("b"), rsaKey(2048, 3).kid("c")
	none := rsaKey(2048, 4)
	tests := map[string]struct {
		old, next string
		want      jwks.Diff
		text      string
		disjoint  bool
		missing   []string // of the old keys, in the new set
	}{
		"nothing":               {set(t, a, b), set(t, b, a), jwks.Diff{}, "", false, []string{}},
		"overlap begins":        {set(t, a), set(t, a, b), jwks.Diff{Added: []string{"b"}}, "+b", false, []string{}},
		"overlap ends":          {set(t, a, b), set(t, b), jwks.Diff{Removed: []string{"a"}}, "-a", false, []string{"a"}},
		"replaced":              {set(t, a), set(t, b, c), jwks.Diff{Added: []string{"b", "c"}, Removed: []string{"a"}}, "+b +c -a", true, []string{"a"}},
		"material under a kid":  {set(t, a), set(t, b.kid("a")), jwks.Diff{Changed: []string{"a"}}, "~a", true, []string{"a"}},
		"kid of a kept key":     {set(t, a), set(t, a.kid("z")), jwks.Diff{Added: []string{"z"}, Removed: []string{"a"}}, "+z -a", true, []string{"a"}},
		"alg alone":             {set(t, a), set(t, a.with(jwk{"alg": "RS256"})), jwks.Diff{Changed: []string{"a"}}, "~a", false, []string{}},
		"a key without kid":     {set(t, none), set(t, a), jwks.Diff{Added: []string{"a"}, Removed: []string{"(no kid)"}}, "+a -(no kid)", true, []string{"(no kid)"}},
		"none and empty differ": {set(t, none), set(t, none.kid("")), jwks.Diff{Added: []string{""}, Removed: []string{"(no kid)"}}, "+ -(no kid)", true, []string{"(no kid)"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old, next := parse(t, test.old), parse(t, test.next)
			got := old.Diff(next)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if got.String() != test.text {
				t.Errorf("got text %q, want %q", got.String(), test.text)
			}
			if next.Disjoint(old) != test.disjoint || old.Disjoint(next) != test.disjoint {
				t.Errorf("disjoint: got %v, want %v", next.Disjoint(old), test.disjoint)
			}
			if diff := cmp.Diff(test.missing, next.Missing(old)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmptySets(t *testing.T) {
	full := parse(t, set(t, rsaKey(2048, 1).kid("a")))
	for name, empty := range map[string]*jwks.Set{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			if empty.Len() != 0 || len(empty.Keys()) != 0 || len(empty.KeyIDs()) != 0 || len(empty.Algorithms()) != 0 {
				t.Error("not empty")
			}
			if got := empty.Canonical(); got != `{"keys":[]}` {
				t.Errorf("canonical: %s", got)
			}
			if empty.Equal(full) || full.Equal(empty) || !empty.Disjoint(full) || empty.Has("a") {
				t.Error("taken for a set with a key")
			}
			if got := empty.Diff(full).String() + full.Diff(empty).String(); got != "+a-a" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAlgorithms(t *testing.T) {
	text := set(t,
		rsaKey(2048, 1).kid("a"), rsaKey(2048, 2).with(jwk{"kid": "b", "alg": "PS512"}),
		rsaKey(2048, 3).with(jwk{"kid": "c", "alg": "RS256"}),
		ecKey(t, elliptic.P256()).kid("d"), ecKey(t, elliptic.P384()).kid("e"), ecKey(t, elliptic.P521()).kid("f"),
		rsaKey(2048, 4).with(jwk{"kid": "g", "use": "enc", "alg": "RS384"}), rsaKey(2048, 5).with(jwk{"kid": "h", "alg": "RSA-OAEP"}),
		ecKey(t, elliptic.P384()).with(jwk{"kid": "i", "use": "sig", "alg": "PS256"}))
	want := []string{"ES256", "ES384", "ES512", "PS512", "RS256"}
	if diff := cmp.Diff(want, parse(t, text).Algorithms()); diff != "" {
		t.Error(diff)
	}
}

func TestHas(t *testing.T) {
	parsed := parse(t, set(t, rsaKey(2048, 1), rsaKey(2048, 2).kid("a")))
	if !parsed.Has("a") || parsed.Has("A") || parsed.Has("") {
		t.Error("wrong kids")
	}
}

func TestWarnings(t *testing.T) {
	many := make([]jwk, 17)
	for i := range many {
		many[i] = rsaKey(2048, byte(i)).kid(string(rune('a' + i)))
	}
	large := rsaKey(2048, 1).with(jwk{"kid": "a", "x5c": strings.Repeat("A", 64*1024)})
	tests := map[string]struct {
		text string
		want []string
	}{
		"sound":            {set(t, rsaKey(2048, 1).kid("a"), ecKey(t, elliptic.P384()).with(jwk{"kid": "b", "use": "sig"})), nil},
		"alone, no kid":    {set(t, rsaKey(2048, 1)), nil},
		"no kid":           {set(t, rsaKey(2048, 1), rsaKey(2048, 2).kid("a")), []string{"Key (no kid): it has no kid"}},
		"short RSA":        {set(t, rsaKey(1024, 1).kid("a")), []string{"Key a: an RSA key of 1024 bits is too short"}},
		"P-521":            {set(t, ecKey(t, elliptic.P521()).kid("a")), []string{`does not verify "ES512" tokens`}},
		"alg of a curve":   {set(t, ecKey(t, elliptic.P384()).with(jwk{"kid": "a", "alg": "ES256"})), []string{"its alg is ES256, and a key on the curve P-384"}},
		"alg of no curve":  {set(t, ecKey(t, elliptic.P256()).with(jwk{"kid": "a", "alg": "ES256K"})), []string{`does not verify "ES256K" tokens`}},
		"alg of elsewhere": {set(t, rsaKey(2048, 1).with(jwk{"kid": "a", "alg": "ES256"})), []string{`"ES256" tokens of an RSA key`}},
		"for encryption":   {set(t, rsaKey(2048, 1).with(jwk{"kid": "a", "use": "enc"})), []string{`its use is "enc"`}},
		"many keys":        {set(t, many[:16]...), nil},
		"too many keys":    {set(t, many...), []string{"17 keys"}},
		"too long":         {set(t, large), []string{"bytes long"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := parse(t, test.text).Warnings()
			if len(got) != len(test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			for i := range got {
				if !strings.Contains(got[i], test.want[i]) {
					t.Errorf("got %q, want one with %q", got[i], test.want[i])
				}
			}
		})
	}
}

// However a set is written down, it is the same set with the same canonical text.
func TestCanonicalIgnoresSpelling(t *testing.T) {
	property := func(seed int64, count uint8) bool {
		random := rand.New(rand.NewSource(seed))
		keys := make([]jwk, 1+count%5)
		for i := range keys {
			keys[i] = rsaKey(1024, byte(random.Intn(256))).with(jwk{
				"kid": string(rune('a' + i)), "alg": "RS256", "note": random.Float64(),
			})
		}
		plain := parse(t, set(t, keys...))
		respelled := parse(t, respell(t, random, keys))
		return plain.Equal(respelled) && plain.Canonical() == respelled.Canonical() && plain.Diff(respelled).Empty()
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

// A change of any one key, and of nothing else, makes a different set.
func TestChangedKeyIsAnotherSet(t *testing.T) {
	property := func(at, bit uint8) bool {
		keys := []jwk{rsaKey(1024, 1).kid("a"), rsaKey(1024, 2).kid("b"), rsaKey(1024, 3).kid("c")}
		before := parse(t, set(t, keys...))
		i := int(at) % len(keys)
		n, err := base64.RawURLEncoding.DecodeString(keys[i]["n"].(string))
		if err != nil {
			t.Fatal(err)
		}
		n[1+int(bit)/8] ^= 1 << (bit % 8)
		keys[i] = keys[i].with(jwk{"n": base64.RawURLEncoding.EncodeToString(n)})
		after := parse(t, set(t, keys...))
		changed := before.Diff(after).Changed
		return !before.Equal(after) && len(changed) == 1 && changed[0] == keys[i]["kid"]
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

// respell shuffles keys and members and spreads white space over the text.
func respell(t *testing.T, random *rand.Rand, keys []jwk) string {
	t.Helper()
	space := func() string { return strings.Repeat(" \n\t", random.Intn(3)) }
	texts := make([]string, len(keys))
	for at, i := range random.Perm(len(keys)) {
		members := make([]string, 0, len(keys[i]))
		for name, value := range keys[i] {
			var b bytes.Buffer
			if err := json.NewEncoder(&b).Encode(value); err != nil {
				t.Fatal(err)
			}
			members = append(members, space()+`"`+name+`"`+space()+":"+b.String())
		}
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		texts[at] = space() + "{" + strings.Join(members, ",") + space() + "}"
	}
	return space() + `{"keys":` + space() + "[" + strings.Join(texts, ",") + "]}" + space()
}
