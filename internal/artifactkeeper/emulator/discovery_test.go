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
			options := issuer.options()
			options.Profile = profile
			x := startTarget(t, options)
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
	options := issuer.options()
	options.Now = now.Now
	x := startTarget(t, options)
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
// asked, 400, and one that does not answer, 500.
func TestDiscoveryThatFails(t *testing.T) {
	t.Parallel()
	issuer := startIssuer(t, keySet(publicJWK(t, "kid", key(t, p256))))
	for name, c := range map[string]struct {
		issuer   string // empty for the one that answers
		private  bool   // the operator allows private addresses
		distrust bool
		keys     object
		document object
		status   int
	}{
		"plain HTTP":                 {issuer: "http://issuer.example.com", status: http.StatusBadRequest},
		"private address":            {issuer: "https://10.1.2.3", status: http.StatusBadRequest},
		"private name":               {issuer: "https://private.example.com", status: http.StatusBadRequest},
		"shared address":             {issuer: "https://shared.example.com", status: http.StatusBadRequest},
		"loopback":                   {issuer: "https://127.0.0.1", private: true, status: http.StatusBadRequest},
		"loopback in IPv6":           {issuer: "https://[::1]", private: true, status: http.StatusBadRequest},
		"mapped loopback":            {issuer: "https://[::ffff:127.0.0.1]", private: true, status: http.StatusBadRequest},
		"name of loopback":           {issuer: "https://loopback.example.com", private: true, status: http.StatusBadRequest},
		"metadata":                   {issuer: "https://metadata.example.com", private: true, status: http.StatusBadRequest},
		"unknown name":               {issuer: "https://issuer.invalid", status: http.StatusInternalServerError},
		"nobody there":               {issuer: "https://issuer.example.com:1", status: http.StatusInternalServerError},
		"nobody at the shared":       {issuer: "https://shared.example.com", private: true, status: http.StatusInternalServerError},
		"distrusted":                 {distrust: true, status: http.StatusInternalServerError},
		"no document":                {issuer: "https://issuer.example.com/path", status: http.StatusInternalServerError},
		"no jwks_uri":                {document: object{"issuer": "x"}, status: http.StatusInternalServerError},
		"keys nowhere":               {document: object{"jwks_uri": issuer.URL + "/nowhere"}, status: http.StatusInternalServerError},
		"keys at a private address":  {document: object{"jwks_uri": "https://private.example.com/keys"}, status: http.StatusInternalServerError},
		"a jwks_uri that is none":    {document: object{"jwks_uri": "::"}, status: http.StatusInternalServerError},
		"no keys":                    {keys: object{"keys": []any{}}, status: http.StatusInternalServerError},
		"no set":                     {keys: object{"x": 1}, status: http.StatusInternalServerError},
		"no key":                     {keys: keySet(object{"kty": "EC"}), status: http.StatusInternalServerError},
		"keys at an allowed address": {private: true, document: object{"jwks_uri": "https://private.example.com/keys"}, status: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			if c.keys == nil {
				c.keys = keySet(publicJWK(t, "kid", key(t, p256)))
			}
			if c.issuer == "" {
				c.issuer = issuer.URL
			}
			issuer.publish(c.keys, c.document)
			options := issuer.options()
			options.AllowPrivateIssuers = c.private
			if c.distrust {
				options.IssuerCAs = nil
			}
			x := startTarget(t, options)
			p := x.provider(t, object{"issuer_url": c.issuer, "audience": "aud"})
			x.mapping(t, p, object{"claim_filters": object{}})
			got := x.exchange(t, sign(t, jose.ES256, "kid", key(t, p256), podClaims(c.issuer, "aud", time.Now())))
			code := map[int]string{http.StatusBadRequest: "VALIDATION_ERROR", http.StatusInternalServerError: "INTERNAL_ERROR"}[c.status]
			if code == "" {
				got.want(t, c.status)
				return
			}
			got.wantError(t, c.status, code)
		})
	}
}

// TestDiscoveryOfTheMachineItself asks in the process's own network.
func TestDiscoveryOfTheMachineItself(t *testing.T) {
	t.Parallel()
	const issuer = "https://localhost"
	x := startTarget(t, emulator.Options{AllowPrivateIssuers: true})
	p := x.provider(t, object{"issuer_url": issuer, "audience": "aud"})
	x.mapping(t, p, object{"claim_filters": object{}})
	x.exchange(t, sign(t, jose.ES256, "kid", key(t, p256), podClaims(issuer, "aud", time.Now()))).
		wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "is not allowed")
}
