package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

var keyRows = []row{
	{
		name: "an old registry ignores key_source and static_jwks", profiles: before111,
		run: func(x *target) {
			t := x.t
			created := x.provider(t, object{"key_source": "static", "static_jwks": "not even a key set"})
			updated := x.admin(t, "PUT", path(created), object{"key_source": "nonsense", "static_jwks": 1}).want(t, http.StatusOK).object(t)
			for _, out := range []map[string]any{created, updated} {
				for _, member := range []string{"key_source", "static_jwks"} {
					if _, ok := out[member]; ok {
						t.Errorf("%s is returned", member)
					}
				}
			}
		},
	},
	{
		name: "a static key set is stored and returned", profiles: since111,
		run: func(x *target) {
			t := x.t
			set := keySet(publicJWK(t, "one", key(t, rsaKey)), publicJWK(t, "two", key(t, p256)))
			created := x.provider(t, object{"key_source": "static", "static_jwks": set})
			want := x.expect(settled(created))
			want["key_source"], want["static_jwks"] = "static", roundTrip(t, set)
			same(t, settled(created), want)
			same(t, settled(x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t)), want)

			// A set is replaced as a whole; what is left out or null stays.
			other := keySet(publicJWK(t, "three", key(t, p384)))
			for _, step := range []object{{"static_jwks": other}, {"name": want["name"]}, {"static_jwks": nil, "key_source": nil}} {
				want["static_jwks"] = roundTrip(t, other)
				same(t, settled(x.admin(t, "PUT", path(created), step).want(t, http.StatusOK).object(t)), want)
			}
		},
	},
	{
		name: "a provider goes static and back to discovery", profiles: since111,
		run: func(x *target) {
			t := x.t
			created := x.provider(t, nil)
			set := keySet(publicJWK(t, "one", key(t, p256)))
			x.admin(t, "PUT", path(created), object{"static_jwks": set}).
				wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "static_jwks", "static")
			x.admin(t, "PUT", path(created), object{"key_source": "static"}).
				wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "requires static_jwks")
			out := x.admin(t, "PUT", path(created), object{"key_source": "static", "static_jwks": set}).want(t, http.StatusOK).object(t)
			if out["key_source"] != "static" {
				t.Errorf("key_source %v, want static", out["key_source"])
			}
			x.admin(t, "PUT", path(created), object{"key_source": "discovery", "static_jwks": set}).
				wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "static_jwks")
			same(t, x.admin(t, "GET", path(created)).object(t), out)

			out = x.admin(t, "PUT", path(created), object{"key_source": "discovery"}).want(t, http.StatusOK).object(t)
			if out["key_source"] != "discovery" || out["static_jwks"] != nil {
				t.Errorf("key_source %v and static_jwks %v, want discovery and null", out["key_source"], out["static_jwks"])
			}
			// The set is gone: coming back needs a new one.
			x.admin(t, "PUT", path(created), object{"key_source": "static"}).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR")
		},
	},
	{
		name: "a key source is one of two", profiles: since111,
		run: func(x *target) {
			t := x.t
			created := x.provider(t, nil)
			for _, source := range []string{"jwks", "Static", ""} {
				x.admin(t, "PUT", path(created), object{"key_source": source}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "key_source")
			}
			x.admin(t, "POST", providersPath, object{
				"name": x.prefix, "issuer_url": "https://i.example.test", "static_jwks": keySet(publicJWK(t, "one", key(t, p256))),
			}).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "static_jwks")
		},
	},
	{name: "a key set that is no trust anchor is refused, and the key named", profiles: since111, run: refusedKeySets},
	{
		name: "what only looks odd is saved", profiles: since111,
		run: func(x *target) {
			t := x.t
			good := publicJWK(t, "one", key(t, p256))
			for name, set := range map[string]object{
				"a single key without a kid":   keySet(publicJWK(t, "", key(t, p256))),
				"members beside the keys":      with(keySet(good), object{"issuer": "x"}),
				"a curve that nobody verifies": keySet(with(good, object{"crv": "P-521"})),
				"an RSA key with alg and use":  keySet(with(publicJWK(t, "one", key(t, rsaKey)), object{"alg": "RS256", "use": "sig"})),
			} {
				t.Run(name, func(t *testing.T) {
					out := x.provider(t, object{"key_source": "static", "static_jwks": set})
					same(t, out["static_jwks"].(map[string]any), roundTrip(t, set))
				})
			}
		},
	},
}

func roundTrip(t *testing.T, in object) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(encode(t, in)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func refusedKeySets(x *target) {
	t := x.t
	ec, rsa := publicJWK(t, "good", key(t, p256)), publicJWK(t, "good", key(t, rsaKey))
	created := x.provider(t, object{"key_source": "static", "static_jwks": keySet(ec)})
	cases := map[string]struct {
		set  any
		says string
	}{
		"a text":                  {"{}", "keys"},
		"a list":                  {[]any{ec}, "keys"},
		"no keys member":          {object{}, "keys"},
		"no keys":                 {object{"keys": []any{}}, "keys"},
		"keys is an object":       {object{"keys": ec}, "keys"},
		"a key that is no object": {object{"keys": []any{ec, "text"}}, "key 1"},
		"an octet key":            {keySet(object{"kty": "oct", "kid": "sym"}), "'sym'"},
		"an Edwards key":          {keySet(object{"kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "ed"}), "'ed'"},
		"no kty":                  {keySet(with(ec, object{"kty": nil})), "'good'"},
		"RSA without n":           {keySet(with(rsa, object{"n": nil})), "'n'"},
		"RSA without e":           {keySet(with(rsa, object{"e": nil})), "'e'"},
		"EC without x":            {keySet(with(ec, object{"x": nil})), "'x'"},
		"EC without y":            {keySet(with(ec, object{"y": nil})), "'y'"},
		"n that is no base64url":  {keySet(with(rsa, object{"n": "+/="})), "'good'"},
		"n that is a number":      {keySet(with(rsa, object{"n": 1})), "'good'"},
		"two of one kid":          {keySet(ec, with(rsa, object{"x5t": "x"})), "'good'"},
		"two without a kid":       {keySet(with(ec, object{"kid": nil}), with(rsa, object{"kid": nil})), "kid"},
	}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		cases["private member "+member] = struct {
			set  any
			says string
		}{keySet(ec, with(rsa, object{"kid": "leaked", member: "AA"})), "'leaked' contains the private member '" + member + "'"}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			x.admin(t, "PUT", path(created), object{"static_jwks": c.set, "name": "changed"}).
				wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "static_jwks", c.says)
			x.admin(t, "POST", providersPath, object{
				"name": x.prefix + "p", "issuer_url": "https://i.example.test", "key_source": "static", "static_jwks": c.set,
			}).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "static_jwks", c.says)
		})
	}
	same(t, x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t), created)
}

// TestKeySetSize shows the bounds that only the development line has.
func TestKeySetSize(t *testing.T) {
	t.Parallel()
	many := object{"keys": []any{}}
	for n := range 17 {
		many["keys"] = append(many["keys"].([]any), publicJWK(t, fmt.Sprint(n), key(t, p256)))
	}
	wide := keySet(with(publicJWK(t, "wide", key(t, p256)), object{"x5c": strings.Repeat("A", 64<<10)}))
	for _, set := range []object{many, wide} {
		for profile, status := range map[emulator.Profile]int{
			emulator.Profile111: http.StatusOK, emulator.ProfileNext: http.StatusBadRequest,
		} {
			x := startTarget(t, emulator.Options{Profile: profile})
			x.admin(t, "POST", providersPath, object{
				"name": "p", "issuer_url": "https://i.example.test", "key_source": "static", "static_jwks": set,
			}).want(t, status)
		}
	}
}
