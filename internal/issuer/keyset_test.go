package issuer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
)

// A key that cannot be used is named, and the others are there all the same.
func TestBrokenKeys(t *testing.T) {
	good := key(t, "good")
	const secret = "c2VjcmV0LW1hdGVyaWFs"
	many := make([]jwk, 30)
	for i := range many {
		many[i] = jwk{"kty": "oct", "kid": fmt.Sprint(i)}
	}
	short := make([]jwk, 30)
	for i := range short {
		short[i] = rsa(fmt.Sprintf("%02d", i), 1024)
	}
	cases := map[string]struct {
		text  string
		found []string
		kids  []string
	}{
		"empty":              {"", []string{"answered with an empty body"}, nil},
		"HTML":               {"<html>", []string{"a page of HTML or XML"}, nil},
		"too large":          {`{"keys":["` + strings.Repeat("x", 5<<20) + `"]}`, []string{"more than 1024 KiB"}, nil},
		"not JSON":           {"keys", []string{"cannot be read: not a JSON Web Key Set: not valid JSON"}, nil},
		"PEM":                {"-----BEGIN PUBLIC KEY-----\n", []string{"it is PEM"}, nil},
		"private PEM":        {"-----BEGIN PRIVATE KEY-----\n" + secret, []string{"a PEM block with a private key"}, nil},
		"array":              {"[]", []string{"this is an array"}, nil},
		"no keys member":     {"{}", []string{`has no "keys"`}, nil},
		"no keys":            {`{"keys":[]}`, []string{`"keys" is empty`}, nil},
		"keys is an object":  {`{"keys":{}}`, []string{`"keys" is an object`}, nil},
		"a single key":       {asJSON(t, good), []string{"a single key"}, nil},
		"discovery document": {`{"issuer":"x","jwks_uri":"y"}`, []string{"a discovery document"}, nil},
		"not a key":          {`{"keys":[1,"x",null]}`, []string{"keys[0]", "keys[1]", "keys[2]"}, nil},
		"short RSA key":      {set(t, good, rsa("short", 1024)), []string{"short: an RSA key of 1024 bits is too short"}, []string{"good", "short"}},
		"unknown kty":        {set(t, good, jwk{"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": "AA"}), []string{`keys[1] (kid "ed"): kty "OKP" is not supported`}, []string{"good"}},
		"point off curve":    {set(t, key(t, "off", jwk{"y": good["x"]}), good), []string{`keys[0] (kid "off"): it is not a usable key`}, []string{"good"}},
		"for encryption":     {set(t, good, key(t, "enc", jwk{"use": "enc"})), []string{`enc: its use is "enc"`}, []string{"enc", "good"}},
		"no kid of two":      {set(t, good, key(t, "", jwk{"kid": nil})), []string{"(no kid): it has no kid"}, []string{"good"}},
		"the same kid":       {set(t, good, key(t, "x", jwk{"kid": "good"})), []string{`keys[0] and keys[1] share the kid "good"`}, []string{"good"}},
		"private member":     {set(t, good, key(t, "leak", jwk{"d": secret})), []string{`keys[1] (kid "leak"): it has the private member "d"`}, []string{"good"}},
		"symmetric":          {set(t, jwk{"kty": "oct", "k": secret}), []string{`the private member "k"`}, nil},
		"several":            {set(t, jwk{"kty": "RSA"}, good, jwk{"kty": "EC"}, rsa("short", 1024)), []string{"keys[0]", "keys[2]", "short: an RSA key"}, []string{"good", "short"}},
		"many":               {set(t, append([]jwk{good}, many...)...), append(starts(1, 5), "has 25 more keys that cannot be used"), []string{"good"}},
		"a private one of many": {
			set(t, append(append([]jwk{good}, many...), key(t, "leak", jwk{"d": secret}))...),
			append(append([]string{`keys[31] (kid "leak"): it has the private member "d"`}, starts(1, 4)...), "has 26 more keys that cannot be used"),
			[]string{"good"},
		},
		"many short": {set(t, short...), append(blanks(5), "has 25 more keys that verify no token"), nil},
		"long kid":   {set(t, rsa(strings.Repeat("k", 100_000), 1024)), []string{"too short"}, []string{strings.Repeat("k", 100_000)}},
	}
	server := publisher.Start(t, publisher.Options{})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			location := server.Issue("", c.text)
			published := read(t, trusting(t, nil, server), location, c.found...)
			if name != "many short" && (published.Keys == nil) != (c.kids == nil) {
				t.Fatalf("the keys are %v", published.Keys.KeyIDs())
			}
			if c.kids != nil {
				if diff := cmp.Diff(c.kids, published.Keys.KeyIDs()); diff != "" {
					t.Error(diff)
				}
			}
			for _, problem := range published.Problems {
				if strings.Contains(problem.String(), secret) {
					t.Errorf("private material is shown: %s", problem)
				}
				if strings.Contains(problem.Found, "private") && !strings.Contains(problem.Remedy, "known to everybody") {
					t.Errorf("nothing says that the key is burnt: %s", problem)
				}
			}
			if strings.Contains(published.Keys.Canonical(), secret) {
				t.Error("private material is among the keys")
			}
		})
	}
}

func starts(first, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("keys[%d]", first+i)
	}
	return out
}

func blanks(n int) []string { return make([]string, n) }

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What outlasts a rotation is a problem, and the same one however old the copy is that was read.
func TestCaches(t *testing.T) {
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	cases := map[string]struct {
		headers []string
		found   string
	}{
		"none":              {nil, ""},
		"an hour":           {[]string{"Cache-Control", "public, max-age=3600"}, ""},
		"more":              {[]string{"Cache-Control", "public, max-age=3601"}, "max-age=3601"},
		"a day":             {[]string{"Cache-Control", "max-age=86400, immutable"}, "max-age=86400"},
		"upper case":        {[]string{"Cache-Control", "Max-Age=86400"}, "max-age=86400"},
		"quoted":            {[]string{"Cache-Control", `max-age="86400"`}, "max-age=86400"},
		"longer than time":  {[]string{"Cache-Control", "max-age=99999999999999999999"}, "max-age=2147483648"},
		"shared caches":     {[]string{"Cache-Control", "max-age=60, s-maxage=86400"}, "s-maxage=86400"},
		"not shared caches": {[]string{"Cache-Control", "max-age=86400, s-maxage=60"}, "max-age=86400"},
		"second header":     {[]string{"Cache-Control", "public", "Cache-Control", "max-age=86400"}, "max-age=86400"},
		"never":             {[]string{"Cache-Control", "no-store, max-age=86400"}, ""},
		"asks each time":    {[]string{"Cache-Control", "no-cache, max-age=86400"}, ""},
		"nonsense":          {[]string{"Cache-Control", "max-age=-5, s-maxage=x, =, ,"}, ""},
		"age counts up":     {[]string{"Cache-Control", "max-age=3600", "Age", "86400"}, ""},
		"expires soon":      {[]string{"Expires", at(10 * time.Minute)}, ""},
		"expires late":      {[]string{"Expires", at(48 * time.Hour)}, "an Expires header"},
		"expired":           {[]string{"Expires", "0"}, ""},
		"expires unused":    {[]string{"Expires", at(48 * time.Hour), "Cache-Control", "max-age=60"}, ""},
	}
	server := publisher.Start(t, publisher.Options{})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			location := server.Issue("", set(t, key(t, "a")))
			server.Put(publisher.KeySetPath, set(t, key(t, "a")), append(c.headers, "Content-Type", jsonType)...)
			if c.found == "" {
				read(t, trusting(t, nil, server), location)
				return
			}
			read(t, trusting(t, nil, server), location, "is served with "+c.found+", which")
		})
	}
}
