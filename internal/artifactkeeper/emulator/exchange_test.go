package emulator_test

import (
	"crypto"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const exchangePath = "/api/v1/auth/ci/token"

// exchange presents a token; a provider id is sent when it is not empty.
func (x *target) exchange(t *testing.T, token string, providerID ...any) reply {
	t.Helper()
	if len(providerID) == 0 {
		return x.as(t, token, "POST", exchangePath)
	}
	return x.as(t, token, "POST", exchangePath, object{"provider_id": providerID[0]})
}

// cluster is a kubernetes provider with a static key set, and the means to
// make tokens for it.
type cluster struct {
	issuer, audience string
	provider         map[string]any
	key              crypto.Signer
}

func (x *target) cluster(t *testing.T, with object) *cluster {
	t.Helper()
	c := &cluster{
		issuer: "https://" + x.prefix + "cluster.example.test", audience: "https://" + x.prefix + "aud", key: key(t, p256),
	}
	in := object{
		"provider_type": "kubernetes", "issuer_url": c.issuer, "audience": c.audience,
		"key_source": "static", "static_jwks": keySet(publicJWK(t, "kid", c.key)),
	}
	maps.Copy(in, with)
	c.provider = x.provider(t, in)
	return c
}

func (c *cluster) claims() object { return podClaims(c.issuer, c.audience, time.Now()) }

func (c *cluster) token(t *testing.T) string {
	t.Helper()
	return sign(t, jose.ES256, "kid", c.key, c.claims())
}

var exchangeRows = []row{
	{name: "an exchange without a bearer token is 401", run: func(x *target) {
		t := x.t
		body := object{"provider_id": x.provider(t, nil)["id"]}
		for _, authorization := range []string{"", "Basic " + x.token, "Bearer ", "Token x"} {
			x.ask(t, question{
				method: "POST", path: exchangePath, authorization: authorization, contentType: "application/json", body: encode(t, body),
			}).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "Authorization")
		}
	}},
	{
		name: "an old exchange needs provider_id", profiles: []emulator.Profile{emulator.Profile18},
		run: func(x *target) {
			t := x.t
			x.exchange(t, "token").want(t, http.StatusUnsupportedMediaType)
			x.as(t, "token", "POST", exchangePath, object{}).wantPlain(t, http.StatusUnprocessableEntity)
			x.exchange(t, "token", noSuchID).wantError(t, http.StatusNotFound, "NOT_FOUND")
		},
	},
	{
		name: "a body that was sent must be right", profiles: []emulator.Profile{emulator.Profile110, emulator.Profile111, emulator.ProfileNext},
		run: func(x *target) {
			t := x.t
			for _, body := range []string{"not json", `{"provider_id": "x"}`, `{"provider_id": 7}`} {
				x.as(t, "token", "POST", exchangePath, body).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "Invalid request body")
			}
			x.as(t, "token", "POST", exchangePath, object{"provider_id": nil}).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "iss")
		},
	},
	{name: "a token buys a token", profiles: since111, run: func(x *target) {
		t := x.t
		c := x.cluster(t, nil)
		m := x.mapping(t, c.provider, object{"claim_filters": object{"/kubernetes.io/namespace": "payments"}})
		out := x.exchange(t, c.token(t)).want(t, http.StatusOK).object(t)
		if out["token_type"] != "Bearer" || out["username"] != m["service_account_username"] {
			t.Errorf("token_type %v and username %v, want Bearer and %v", out["token_type"], out["username"], m["service_account_username"])
		}
		if lifetime, _ := out["expires_in"].(float64); lifetime <= 0 || lifetime > 600 {
			t.Errorf("expires_in %v, want at most the token's 600 s", out["expires_in"])
		}
		if len(out) != 4 || out["access_token"] == "" {
			t.Errorf("members %v", out)
		}
		x.as(t, out["access_token"].(string), "GET", providersPath).want(t, http.StatusForbidden)
	}},
	{name: "every step of an exchange has its answer", profiles: since111, run: exchangeSteps},
	{name: "a signature is checked with the key that the token names", profiles: since111, run: exchangeAlgorithms},
	{name: "claims are checked", profiles: since111, run: exchangeClaims},
	{name: "the provider is the one of the issuer", profiles: since111, run: exchangeResolution},
	{name: "the first mapping that matches wins", profiles: since111, run: func(x *target) {
		t := x.t
		c := x.cluster(t, nil)
		filters := object{"sub": "system:serviceaccount:payments:api"}
		last := x.mapping(t, c.provider, object{"priority": 50, "claim_filters": filters})
		first := x.mapping(t, c.provider, object{"priority": 7, "claim_filters": filters})
		x.mapping(t, c.provider, object{"priority": 7, "claim_filters": object{}})
		x.mapping(t, c.provider, object{"priority": 1, "claim_filters": object{"sub": "other"}})
		x.mapping(t, c.provider, object{"priority": 1, "claim_filters": "no object"})
		winner := func() any { return x.exchange(t, c.token(t)).want(t, http.StatusOK).object(t)["username"] }
		if got := winner(); got != first["service_account_username"] {
			t.Errorf("username %v, want %v", got, first["service_account_username"])
		}
		x.admin(t, "PUT", mappingPath(last), object{"priority": -3}).want(t, http.StatusOK)
		if got := winner(); got != last["service_account_username"] {
			t.Errorf("username %v, want %v", got, last["service_account_username"])
		}
	}},
	{name: "a deactivated account is not replaced", profiles: since111, run: func(x *target) {
		t := x.t
		c := x.cluster(t, nil)
		m := x.mapping(t, c.provider, object{"claim_filters": object{}})
		account := "/api/v1/users/" + m["service_account_id"].(string)
		bought := x.exchange(t, c.token(t)).want(t, http.StatusOK).object(t)["access_token"].(string)
		x.admin(t, "PATCH", account, object{"is_active": false}).want(t, http.StatusOK)
		x.exchange(t, c.token(t)).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "deactivated")
		x.as(t, bought, "GET", "/api/v1/groups").want(t, http.StatusUnauthorized)
		x.admin(t, "PATCH", account, object{"is_active": true}).want(t, http.StatusOK)
		x.exchange(t, c.token(t)).want(t, http.StatusOK)
	}},
	{name: "an exchange restores the memberships that are declared", profiles: since111, run: func(x *target) {
		t := x.t
		c := x.cluster(t, nil)
		mine, other := x.group(t, "mine"), x.group(t, "other")
		m := x.mapping(t, c.provider, object{"claim_filters": object{}, "group_binding_ids": []any{mine["id"]}})
		members := func(g map[string]any) string { return "/api/v1/groups/" + g["id"].(string) + "/members" }
		users := object{"user_ids": []any{m["service_account_id"]}}
		x.admin(t, "POST", members(other), users).want(t, http.StatusOK)
		x.admin(t, "DELETE", members(mine), users).want(t, http.StatusOK)
		x.exchange(t, c.token(t)).want(t, http.StatusOK)
		for g, want := range map[string]float64{mine["id"].(string): 1, other["id"].(string): 0} {
			if out := x.admin(t, "GET", "/api/v1/groups/"+g).object(t); out["member_count"] != want {
				t.Errorf("group %s has %v members, want %v", out["name"], out["member_count"], want)
			}
		}
	}},
}

// exchangeSteps breaks an exchange one step at a time, in the order in which
// the registry checks, so that each answer is the first that can be given.
func exchangeSteps(x *target) {
	t := x.t
	c := x.cluster(t, object{"is_enabled": false})
	fails := func(step string, status int, code string, parts ...string) {
		t.Run(step, func(t *testing.T) { x.exchange(t, c.token(t)).wantError(t, status, code, parts...) })
	}
	for name, token := range map[string]string{
		"no JWT": "x", "two parts": "a.b", "no iss": sign(t, jose.ES256, "kid", c.key, with(c.claims(), object{"iss": nil})),
		"iss is no text": sign(t, jose.ES256, "kid", c.key, with(c.claims(), object{"iss": 1})),
		"unsigned":       unsigned(t, c.claims()),
	} {
		t.Run("the token cannot be read: "+name, func(t *testing.T) {
			x.exchange(t, token).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "read the iss claim")
		})
	}
	fails("no enabled provider", http.StatusNotFound, "NOT_FOUND", "No enabled CI OIDC provider is configured for issuer "+c.issuer)
	x.exchange(t, c.token(t), c.provider["id"]).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "disabled")
	x.admin(t, "PATCH", path(c.provider)+"/toggle", object{"enabled": true}).want(t, http.StatusOK)

	other := publicJWK(t, "other", c.key)
	x.admin(t, "PUT", path(c.provider), object{"static_jwks": keySet(other)}).want(t, http.StatusOK)
	fails("unknown kid", http.StatusUnauthorized, "AUTH_ERROR", "CI JWT key id 'kid' is not in this provider's static JWKS")
	x.admin(t, "PUT", path(c.provider), object{"static_jwks": keySet(publicJWK(t, "kid", key(t, p384)))}).want(t, http.StatusOK)
	fails("foreign key", http.StatusUnauthorized, "AUTH_ERROR", "CI JWT validation failed")
	x.admin(t, "PUT", path(c.provider), object{"static_jwks": keySet(other, publicJWK(t, "kid", c.key))}).want(t, http.StatusOK)

	fails("no mappings", http.StatusUnauthorized, "AUTH_ERROR", "No CI OIDC identity mappings configured for this provider")
	m := x.mapping(t, c.provider, object{"claim_filters": object{}, "is_enabled": false})
	fails("no enabled mapping", http.StatusUnauthorized, "AUTH_ERROR", "No CI OIDC identity mappings configured for this provider")
	x.admin(t, "PUT", mappingPath(m), object{"is_enabled": true, "claim_filters": object{"secret-filter": "secret-value"}}).want(t, http.StatusOK)
	fails("no match", http.StatusUnauthorized, "AUTH_ERROR", "CI JWT did not match any identity mapping")
	if out := x.exchange(t, c.token(t)); strings.Contains(out.body, "secret-") {
		t.Errorf("the answer tells the filter: %s", out.body)
	}
	x.admin(t, "PUT", mappingPath(m), object{"claim_filters": object{}}).want(t, http.StatusOK)
	x.exchange(t, c.token(t)).want(t, http.StatusOK)
}

func exchangeAlgorithms(x *target) {
	t := x.t
	small, big, rsa := key(t, p256), key(t, p384), key(t, rsaKey)
	c := x.cluster(t, object{"static_jwks": keySet(publicJWK(t, "p256", small), publicJWK(t, "p384", big), publicJWK(t, "rsa", rsa))})
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	for _, good := range []struct {
		algorithm jose.SignatureAlgorithm
		kid       string
		key       any
	}{
		{jose.RS256, "rsa", rsa}, {jose.RS384, "rsa", rsa}, {jose.RS512, "rsa", rsa}, {jose.PS256, "rsa", rsa},
		{jose.PS384, "rsa", rsa}, {jose.PS512, "rsa", rsa}, {jose.ES256, "p256", small}, {jose.ES384, "p384", big},
	} {
		t.Run(string(good.algorithm), func(t *testing.T) {
			x.exchange(t, sign(t, good.algorithm, good.kid, good.key, c.claims())).want(t, http.StatusOK)
		})
	}
	for name, token := range map[string]string{
		"another key's kid": sign(t, jose.ES256, "p384", small, c.claims()),
		"no kid of several": sign(t, jose.ES256, "", small, c.claims()),
		"a shared secret":   sign(t, jose.HS256, "rsa", []byte(strings.Repeat("s", 32)), c.claims()),
		"changed claims":    tamper(sign(t, jose.ES256, "p256", small, c.claims()), sign(t, jose.ES256, "p256", small, with(c.claims(), object{"sub": "x"}))),
	} {
		t.Run(name, func(t *testing.T) { x.exchange(t, token).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "CI JWT") })
	}
	single := x.cluster(t, object{"issuer_url": c.issuer + "/single", "static_jwks": keySet(publicJWK(t, "only", small))})
	x.mapping(t, single.provider, object{"claim_filters": object{}})
	x.exchange(t, sign(t, jose.ES256, "", small, with(single.claims(), object{"iss": c.issuer + "/single"}))).want(t, http.StatusOK)
}

// tamper is a token with the signature of another.
func tamper(token, other string) string {
	return token[:strings.LastIndex(token, ".")] + other[strings.LastIndex(other, "."):]
}

func exchangeClaims(x *target) {
	t := x.t
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	now := time.Now()
	for name, changes := range map[string]object{
		"expired within the leeway": {"exp": now.Add(-20 * time.Second).Unix()},
		"from soon on":              {"nbf": now.Add(20 * time.Second).Unix()},
		"issued later":              {"iat": now.Add(time.Hour).Unix()},
		"without nbf and iat":       {"nbf": nil, "iat": nil},
		"the audience as text":      {"aud": c.audience},
		"one of several audiences":  {"aud": []any{"other", c.audience}},
	} {
		t.Run(name, func(t *testing.T) {
			out := x.exchange(t, sign(t, jose.ES256, "kid", c.key, with(c.claims(), changes))).want(t, http.StatusOK).object(t)
			if lifetime := out["expires_in"].(float64); lifetime < 0 {
				t.Errorf("expires_in %v", lifetime)
			}
		})
	}
	for name, changes := range map[string]object{
		"expired":                {"exp": now.Add(-5 * time.Minute).Unix()},
		"never expires":          {"exp": nil},
		"expires in words":       {"exp": "tomorrow"},
		"another audience":       {"aud": []any{c.audience + "/"}},
		"an issuer with a slash": {"iss": c.issuer + "/"},
	} {
		t.Run(name, func(t *testing.T) {
			x.exchange(t, sign(t, jose.ES256, "kid", c.key, with(c.claims(), changes))).
				wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "CI JWT validation failed: ")
		})
	}
}

func exchangeResolution(x *target) {
	t := x.t
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	same := x.cluster(t, object{"issuer_url": c.issuer + "/"}) // the slash does not tell providers apart
	m := x.mapping(t, same.provider, object{"claim_filters": object{}})

	x.exchange(t, c.token(t)).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR",
		"2 enabled CI OIDC providers are configured for issuer "+c.issuer, "provider_id")
	x.exchange(t, c.token(t), c.provider["id"]).want(t, http.StatusOK)
	// The other one is chosen, but its issuer is not the token's, exactly.
	x.exchange(t, c.token(t), same.provider["id"]).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "CI JWT validation failed")

	x.admin(t, "PUT", path(same.provider), object{"audience": "elsewhere", "issuer_url": c.issuer}).want(t, http.StatusOK)
	x.exchange(t, c.token(t)).want(t, http.StatusOK)
	both := sign(t, jose.ES256, "kid", c.key, with(c.claims(), object{"aud": []any{c.audience, "elsewhere"}}))
	x.exchange(t, both).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "provider_id")
	out := x.exchange(t, both, same.provider["id"]).want(t, http.StatusOK).object(t)
	if out["username"] != m["service_account_username"] {
		t.Errorf("username %v, want that of the named provider", out["username"])
	}

	elsewhere := x.provider(t, object{"issuer_url": "https://elsewhere.example.test"})
	x.exchange(t, c.token(t), elsewhere["id"]).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "elsewhere.example.test", c.issuer)
	x.exchange(t, c.token(t), noSuchID).wantError(t, http.StatusNotFound, "NOT_FOUND")
	x.exchange(t, "unreadable", c.provider["id"]).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "CI JWT")
}

// unsigned is a token with the algorithm "none".
func unsigned(t *testing.T, claims object) string {
	t.Helper()
	return encodePart(t, object{"alg": "none", "typ": "JWT"}) + "." + encodePart(t, claims) + "."
}
