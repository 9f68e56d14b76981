package emulator_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// TestDiscovery exchanges on every profile with keys from the issuer.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	for _, profile := range emulator.Profiles() {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			issuer := startIssuer(t, keySet(publicJWK(t, "kid", key(t, p256))))
			x := startTarget(t, emulator.Options{Profile: profile, AllowPrivateIssuers: true, IssuerCAs: issuer.pool})
			p := x.provider(t, object{"issuer_url": issuer.URL, "audience": "aud"})
			m := x.mapping(t, p, object{"claim_filters": object{}})
			claims := podClaims(issuer.URL, "aud", time.Now())
			exchange := func(token string) reply { return x.exchange(t, token, p["id"]) }

			out := exchange(sign(t, jose.ES256, "kid", key(t, p256), claims)).want(t, http.StatusOK).object(t)
			username := "ci-" + m["id"].(string)[:8]
			if x.has111() {
				username = m["service_account_username"].(string)
			}
			if out["username"] != username {
				t.Errorf("username %v, want %s", out["username"], username)
			}
			// An unknown kid, or none, falls back to the first key.
			exchange(sign(t, jose.ES256, "other", key(t, p256), claims)).want(t, http.StatusOK)
			exchange(sign(t, jose.ES256, "", key(t, p256), claims)).want(t, http.StatusOK)
			exchange(sign(t, jose.RS256, "kid", key(t, rsaKey), claims)).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "CI JWT validation failed")
			if got := issuer.fetches.Load(); got != 1 {
				t.Errorf("the key set was fetched %d times, want once", got)
			}
		})
	}
}

// TestDiscoveryCache shows how long a rotation goes unseen.
func TestDiscoveryCache(t *testing.T) {
	t.Parallel()
	now := startClock()
	issuer := startIssuer(t, keySet(publicJWK(t, "old", key(t, p256))))
	x := startTarget(t, emulator.Options{Now: now.Now, AllowPrivateIssuers: true, IssuerCAs: issuer.pool})
	p := x.provider(t, object{"issuer_url": issuer.URL, "audience": "aud"})
	x.mapping(t, p, object{"claim_filters": object{}})
	exchange := func(kid string, k any) reply {
		return x.exchange(t, sign(t, jose.ES256, kid, k, podClaims(issuer.URL, "aud", now.Now())))
	}
	other, err := p256Other()
	if err != nil {
		t.Fatal(err)
	}
	exchange("old", key(t, p256)).want(t, http.StatusOK)
	issuer.publish(keySet(publicJWK(t, "new", other)), nil)
	exchange("new", other).want(t, http.StatusUnauthorized)
	now.Advance(5*time.Minute - time.Second)
	exchange("new", other).want(t, http.StatusUnauthorized)
	now.Advance(time.Second)
	exchange("new", other).want(t, http.StatusOK)
	exchange("old", key(t, p256)).want(t, http.StatusUnauthorized)
}

// TestDiscoveryThatFails shows the two kinds of answers: an issuer that is not
// asked, and one that does not answer.
func TestDiscoveryThatFails(t *testing.T) {
	t.Parallel()
	issuer := startIssuer(t, keySet(publicJWK(t, "kid", key(t, p256))))
	allowed := emulator.Options{AllowPrivateIssuers: true, IssuerCAs: issuer.pool}
	for name, c := range map[string]struct {
		options  emulator.Options
		issuer   string
		keys     object
		document object
		status   int
		code     string
	}{
		"plain HTTP":      {options: allowed, issuer: "http://127.0.0.1", status: http.StatusBadRequest, code: "VALIDATION_ERROR"},
		"private address": {options: emulator.Options{IssuerCAs: issuer.pool}, issuer: issuer.URL, status: http.StatusBadRequest, code: "VALIDATION_ERROR"},
		"private name":    {issuer: "https://localhost", status: http.StatusBadRequest, code: "VALIDATION_ERROR"},
		"unknown name":    {options: allowed, issuer: "https://issuer.invalid", status: http.StatusInternalServerError, code: "INTERNAL_ERROR"},
		"nobody there":    {options: allowed, issuer: "https://127.0.0.1:1", status: http.StatusInternalServerError, code: "INTERNAL_ERROR"},
		"distrusted": {
			options: emulator.Options{AllowPrivateIssuers: true}, issuer: issuer.URL,
			status: http.StatusInternalServerError, code: "INTERNAL_ERROR",
		},
		"no document": {options: allowed, issuer: issuer.URL + "/path", status: http.StatusInternalServerError, code: "INTERNAL_ERROR"},
		"no jwks_uri": {
			options: allowed, issuer: issuer.URL, document: object{"issuer": "x"},
			status: http.StatusInternalServerError, code: "INTERNAL_ERROR",
		},
		"keys nowhere": {
			options: allowed, issuer: issuer.URL, document: object{"jwks_uri": issuer.URL + "/nowhere"},
			status: http.StatusInternalServerError, code: "INTERNAL_ERROR",
		},
		"a jwks_uri that is none": {
			options: allowed, issuer: issuer.URL, document: object{"jwks_uri": "::"},
			status: http.StatusInternalServerError, code: "INTERNAL_ERROR",
		},
		"no keys": {options: allowed, issuer: issuer.URL, keys: object{"keys": []any{}}, status: http.StatusInternalServerError, code: "INTERNAL_ERROR"},
		"no set":  {options: allowed, issuer: issuer.URL, keys: object{"x": 1}, status: http.StatusInternalServerError, code: "INTERNAL_ERROR"},
		"no key": {
			options: allowed, issuer: issuer.URL, keys: keySet(object{"kty": "EC"}),
			status: http.StatusInternalServerError, code: "INTERNAL_ERROR",
		},
	} {
		t.Run(name, func(t *testing.T) {
			keys := c.keys
			if keys == nil {
				keys = keySet(publicJWK(t, "kid", key(t, p256)))
			}
			issuer.publish(keys, c.document)
			x := startTarget(t, c.options)
			p := x.provider(t, object{"issuer_url": c.issuer, "audience": "aud"})
			x.mapping(t, p, object{"claim_filters": object{}})
			x.exchange(t, sign(t, jose.ES256, "kid", key(t, p256), podClaims(c.issuer, "aud", time.Now()))).
				wantError(t, c.status, c.code)
		})
	}
}
