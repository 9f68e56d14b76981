package jwks_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

func TestParseAccepts(t *testing.T) {
	tests := map[string]struct {
		text string
		kids []string
	}{
		"RSA":                           {set(t, rsaKey(2048, 1).kid("a")), []string{"a"}},
		"RSA of 1024 bits":              {set(t, rsaKey(1024, 1).kid("a")), []string{"a"}},
		"RSA of 8192 bits":              {set(t, rsaKey(8192, 1).kid("a")), []string{"a"}},
		"P-256":                         {set(t, ecKey(t, elliptic.P256()).kid("a")), []string{"a"}},
		"P-384":                         {set(t, ecKey(t, elliptic.P384()).kid("a")), []string{"a"}},
		"P-521":                         {set(t, ecKey(t, elliptic.P521()).kid("a")), []string{"a"}},
		"two of a rotation":             {set(t, rsaKey(2048, 2).kid("b"), rsaKey(2048, 1).kid("a")), []string{"a", "b"}},
		"one key without kid":           {set(t, rsaKey(2048, 1)), []string{}},
		"kid null counts as none":       {strings.Replace(set(t, rsaKey(2048, 1).kid("x")), `"x"`, "null", 1), []string{}},
		"no kid beside an empty one":    {set(t, rsaKey(2048, 1), rsaKey(2048, 2).kid("")), []string{""}},
		"unknown members":               {set(t, rsaKey(2048, 1).with(jwk{"kid": "a", "x5t": "not checked", "v": 1.5})), []string{"a"}},
		"members beside keys":           {`{"issuer":"x",` + set(t, rsaKey(2048, 1).kid("a"))[1:], []string{"a"}},
		"kids that differ by case":      {set(t, rsaKey(2048, 1).kid("a"), rsaKey(2048, 2).kid("A")), []string{"A", "a"}},
		"the same key under two kids":   {set(t, rsaKey(2048, 1).kid("a"), rsaKey(2048, 1).kid("b")), []string{"a", "b"}},
		"white space around":            {"\n\t" + set(t, rsaKey(2048, 1).kid("a")) + "\r\n", []string{"a"}},
		"certificate that does not fit": {set(t, rsaKey(2048, 1).with(jwk{"kid": "a", "x5c": []string{"AAAA"}})), []string{"a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.kids, parse(t, test.text).KeyIDs()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good := rsaKey(2048, 1).kid("good")
	point := ecKey(t, elliptic.P256()).kid("bad")
	tests := map[string]struct{ text, want string }{
		"nothing":              {"", "the text is empty"},
		"white space":          {" \n ", "the text is empty"},
		"HTML":                 {"\n<!DOCTYPE html><html>", "a page of HTML or XML"},
		"PEM":                  {"-----BEGIN PUBLIC KEY-----\nAAAA", "it is PEM"},
		"not JSON":             {"keys: []", "not valid JSON at line 1"},
		"cut off":              {set(t, good)[:100], "not valid JSON"},
		"trailing data":        {set(t, good) + "{}", "after top-level value"},
		"duplicate keys":       {`{"keys":[],"keys":[]}`, `duplicate member "keys"`},
		"duplicate member":     {`{"keys":[{"kty":"RSA","kty":"EC"}]}`, `duplicate member "kty" in keys[0]`},
		"array":                {"[]", "this is an array"},
		"null":                 {"null", "this is null"},
		"encoded twice":        {`"{\"keys\":[]}"`, "encoded twice?"},
		"no keys":              {"{}", `has no "keys"`},
		"a single key":         {`{"kty":"RSA"}`, "single key"},
		"discovery document":   {`{"jwks_uri":"https://x/"}`, "discovery document"},
		"keys of other case":   {`{"Keys":[]}`, `has no "keys"`},
		"keys is an object":    {`{"keys":{}}`, `"keys" is an object`},
		"keys is null":         {`{"keys":null}`, `"keys" is null`},
		"keys is empty":        {`{"keys":[]}`, `"keys" is empty`},
		"key is a string":      {`{"keys":["x"]}`, "keys[0]: a key is a JSON object, this is a string"},
		"key is null":          {`{"keys":[null]}`, "this is null"},
		"second key is bad":    {set(t, good, jwk{"kid": "bad"}), `keys[1] (kid "bad"): it has no "kty"`},
		"kid is a number":      {set(t, good.with(jwk{"kid": 7})), `keys[0]: "kid" has to be a string (RFC 7517 section 4), it is a number`},
		"alg is an array":      {set(t, good.with(jwk{"alg": []string{"RS256"}})), `"alg" has to be a string`},
		"unknown kty":          {set(t, good.with(jwk{"kty": "OKP"})), `kty "OKP" is not supported`},
		"kty in lower case":    {set(t, good.with(jwk{"kty": "rsa"})), `kty "rsa" is not supported`},
		"n missing":            {set(t, good.with(jwk{"n": nil})), `"n" as a non-empty string, it is missing`},
		"n empty":              {set(t, good.with(jwk{"n": ""})), "it is empty"},
		"e is a number":        {set(t, good.with(jwk{"e": 65537})), `needs "e" as a non-empty string, it is a number`},
		"n is zero":            {set(t, good.with(jwk{"n": "AAAA"})), "modulus is zero"},
		"e is one":             {set(t, good.with(jwk{"e": "AQ"})), "bad e value"},
		"n too long":           {set(t, rsaKey(8200, 1)), "longer than 8192 bits"},
		"n padded":             {set(t, good.with(jwk{"n": "AQAB=="})), "without padding"},
		"n with line break":    {set(t, good.with(jwk{"n": "AQ\nAB"})), "illegal base64 data at input byte 2"},
		"n on a second line":   {set(t, good.with(jwk{"n": "\nAQAB"})), "illegal base64 data at input byte 0"},
		"n in base64":          {set(t, good.with(jwk{"n": "a+/b"})), "not base64url"},
		"curve missing":        {set(t, point.with(jwk{"crv": nil})), `needs "crv"`},
		"unknown curve":        {set(t, point.with(jwk{"crv": "secp256k1"})), `curve "secp256k1" is not supported`},
		"y missing":            {set(t, point.with(jwk{"y": nil})), `needs "y"`},
		"point off curve":      {set(t, point.with(jwk{"y": point["x"]})), "not on declared curve"},
		"coordinate too short": {set(t, point.with(jwk{"x": "AQAB"})), "wrong length for x"},
		"same kid":             {set(t, good, rsaKey(2048, 2).kid("good")), `keys[0] and keys[1] share the kid "good"`},
		"the same key twice":   {set(t, good, good), "share the kid"},
		"two without kid":      {set(t, good, rsaKey(2048, 2), rsaKey(2048, 3)), "keys[1] and keys[2] both have no kid"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := jwks.Parse(test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
			if errors.Is(err, jwks.ErrPrivateKey) {
				t.Errorf("%v claims to be about a private key", err)
			}
		})
	}
}

func TestParseNeverRepeatsPrivateMaterial(t *testing.T) {
	const secret = "c2VjcmV0LW1hdGVyaWFs"
	texts := map[string]string{
		"PEM":                    "-----BEGIN RSA PRIVATE KEY-----\n" + secret,
		"private key on its own": `{"kty":"EC","d":"` + secret + `"}`,
		"symmetric key":          `{"keys":[{"kty":"oct","kid":"bad","k":"` + secret + `"}]}`,
	}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
		texts[member] = set(t, rsaKey(2048, 1).kid("good"), rsaKey(2048, 2).with(jwk{"kid": "bad", member: secret}))
	}
	texts["oth"] = set(t, rsaKey(2048, 2).with(jwk{"kid": "bad", "oth": []jwk{{"r": secret}}}))
	texts["null is named too"] = `{"keys":[{"kty":"RSA","d":null,"n":"` + secret + `"}]}`
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			_, err := jwks.Parse(text)
			if !errors.Is(err, jwks.ErrPrivateKey) {
				t.Fatalf("got %v, want one that wraps ErrPrivateKey", err)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows the material: %v", err)
			}
			if strings.Contains(text, `"bad"`) && !strings.Contains(err.Error(), `kid "bad"`) {
				t.Errorf("the error does not name the key: %v", err)
			}
		})
	}
}

// Whatever is wrong with a text of several megabytes, the error stays one that fits a terminal.
func TestParseOfFiveMegabytes(t *testing.T) {
	const size = 5 << 20
	long := strings.Repeat("A", size)
	keys := make([]jwk, 0, 20_000)
	for i := range cap(keys) {
		keys = append(keys, rsaKey(1024, byte(i)).kid(fmt.Sprintf("key-%05d", i)))
	}
	if got := parse(t, set(t, keys...)).Len(); got != cap(keys) {
		t.Errorf("got %d keys, want %d", got, cap(keys))
	}
	for name, text := range map[string]string{
		"spaces":       strings.Repeat(" ", size),
		"text":         long,
		"long kid":     set(t, jwk{"kid": long}),
		"long kty":     set(t, jwk{"kty": long}),
		"long modulus": set(t, jwk{"kty": "RSA", "e": "AQAB", "n": long + "AB"}),
		"brackets":     strings.Repeat("[", size),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jwks.Parse(text)
			if err == nil {
				t.Fatal("accepted")
			}
			if len(err.Error()) > 500 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// The example of RFC 7638 section 3.1.
func TestThumbprintOfTheRFC(t *testing.T) {
	text := `{"keys":[{"kty":"RSA","alg":"RS256","kid":"2011-04-29","use":"sig","e":"AQAB","n":"` +
		`0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3o` +
		`knjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZH` +
		`zu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEg` +
		`U8awapJzKnqDKgw"}]}`
	keys := parse(t, text).Keys()
	want := jwks.Key{
		KeyID: "2011-04-29", KeyType: "RSA", Algorithm: "RS256", Use: "sig",
		Thumbprint: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", PublicKeyPEM: keys[0].PublicKeyPEM,
	}
	if diff := cmp.Diff(want, keys[0], cmpopts.IgnoreUnexported(jwks.Key{})); diff != "" {
		t.Error(diff)
	}
}

func TestPublicKeyPEM(t *testing.T) {
	key := ecKey(t, elliptic.P256())
	block, rest := pem.Decode([]byte(parse(t, set(t, key)).Keys()[0].PublicKeyPEM))
	if block == nil || block.Type != "PUBLIC KEY" || len(rest) != 0 {
		t.Fatalf("got block %v and the rest %q", block, rest)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	point, err := public.(*ecdsa.PublicKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	x, err := base64.RawURLEncoding.DecodeString(key["x"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(point[1:33], x) {
		t.Errorf("got x %x, want %x", point[1:33], x)
	}
}

// FuzzParse: what is accepted has a canonical form that is read back as the same set, and never holds private members.
func FuzzParse(f *testing.F) {
	key := rsaKey(1024, 1)
	for _, seed := range []string{
		set(f, key), set(f, key.kid("a"), ecKey(f, elliptic.P256()).kid("b")), set(f, key.with(jwk{"d": "AQ"})),
		`{"keys":[{"kty":"EC","crv":"P-256"}]}`, `{"keys":[]}`, "<html>", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := jwks.Parse(text)
		if err != nil {
			return
		}
		again, err := jwks.Parse(parsed.Canonical())
		if err != nil {
			t.Fatalf("the canonical text is refused: %v", err)
		}
		if parsed.Len() == 0 || len(parsed.KeyIDs()) > parsed.Len() || len(parsed.Missing(again)) > 0 || !parsed.Diff(again).Empty() ||
			!slices.Equal(parsed.Algorithms(), again.Algorithms()) || !slices.Equal(parsed.Warnings(), again.Warnings()) {
			t.Fatalf("%q is not the same set", parsed.Canonical())
		}
		if again.Canonical() != parsed.Canonical() || !again.Equal(parsed) {
			t.Fatalf("canonical text %q became %q", parsed.Canonical(), again.Canonical())
		}
		var document struct{ Keys []map[string]any }
		if err := json.Unmarshal([]byte(parsed.Canonical()), &document); err != nil {
			t.Fatal(err)
		}
		for _, key := range document.Keys {
			for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
				if _, found := key[member]; found {
					t.Fatalf("accepted private member %q", member)
				}
			}
		}
	})
}
