package emulator_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const loginPath = "/api/v1/auth/login"

func (x *target) login(t *testing.T, username, password string) reply {
	t.Helper()
	return x.ask(t, question{
		method: "POST", path: loginPath, contentType: "application/json",
		body: encode(t, object{"username": username, "password": password}),
	})
}

func TestLogin(t *testing.T) {
	t.Parallel()
	now := startClock()
	x := startTarget(t, emulator.Options{Now: now.Now, Username: "root", Password: "pass:word"})
	out := x.login(t, "root", "pass:word").want(t, http.StatusOK).object(t)
	if out["token_type"] != "Bearer" || out["expires_in"] != 900.0 || out["must_change_password"] != false || out["refresh_token"] == "" {
		t.Errorf("login answered %v", out)
	}
	if _, ok := out["totp_required"]; ok {
		t.Error("totp_required is there without a reason")
	}
	token := out["access_token"].(string)
	x.as(t, token, "GET", providersPath).want(t, http.StatusOK)
	x.ask(t, question{method: "GET", path: providersPath, authorization: basic("root", "pass:word")}).want(t, http.StatusOK)
	x.ask(t, question{method: "GET", path: providersPath, authorization: basic("anyone", token)}).want(t, http.StatusOK)
	x.ask(t, question{method: "GET", path: providersPath, authorization: "Basic !"}).want(t, http.StatusUnauthorized)

	x.login(t, "root", "wrong").wantError(t, http.StatusUnauthorized, "AUTH_ERROR")
	x.login(t, "nobody", "").wantError(t, http.StatusUnauthorized, "AUTH_ERROR")
	x.ask(t, question{method: "POST", path: loginPath, contentType: "application/json", body: `{"username": "root"}`}).
		wantPlain(t, http.StatusUnprocessableEntity)

	now.Advance(15*time.Minute - time.Second)
	x.as(t, token, "GET", providersPath).want(t, http.StatusOK)
	now.Advance(time.Second)
	x.as(t, token, "GET", providersPath).wantPlain(t, http.StatusUnauthorized)
	x.admin(t, "GET", providersPath).want(t, http.StatusOK) // this token does not expire
}

func TestLoginThatIsNoSession(t *testing.T) {
	t.Parallel()
	due := startTarget(t, emulator.Options{MustChangePassword: true})
	username, password := due.emulator.Credentials()
	out := due.login(t, username, password).want(t, http.StatusOK).object(t)
	if out["must_change_password"] != true {
		t.Errorf("must_change_password %v, want true", out["must_change_password"])
	}
	due.as(t, out["access_token"].(string), "GET", providersPath).wantPlain(t, http.StatusPreconditionRequired)
	due.admin(t, "GET", providersPath).want(t, http.StatusOK)

	second := startTarget(t, emulator.Options{TOTPRequired: true})
	out = second.login(t, "admin", func() string { _, p := second.emulator.Credentials(); return p }()).want(t, http.StatusOK).object(t)
	if out["totp_required"] != true || out["access_token"] != "" || out["totp_token"] == "" {
		t.Errorf("login answered %v, want a ticket instead of a session", out)
	}
}

func TestLoginLimit(t *testing.T) {
	t.Parallel()
	now := startClock()
	x := startTarget(t, emulator.Options{Now: now.Now})
	username, password := x.emulator.Credentials()
	for range 9 {
		x.login(t, username, "wrong").want(t, http.StatusUnauthorized)
	}
	now.Advance(10 * time.Minute)
	x.login(t, username, password).want(t, http.StatusOK)
	out := x.login(t, username, password)
	out.wantPlain(t, http.StatusTooManyRequests)
	if seconds, err := strconv.Atoi(out.header.Get("Retry-After")); err != nil || seconds < 300 || seconds > 301 {
		t.Errorf("Retry-After %q, want what is left of 15 minutes", out.header.Get("Retry-After"))
	}
	now.Advance(5*time.Minute + time.Second)
	x.login(t, username, password).want(t, http.StatusOK)
}

func TestTokensOfOthers(t *testing.T) {
	t.Parallel()
	now := startClock()
	x := startTarget(t, emulator.Options{Now: now.Now})
	user := x.emulator.AddAccount(emulator.Account{Username: "dev"}, "secret")
	token, err := x.emulator.NewToken(user.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	group := x.emulator.AddGroup("mine", "")
	x.emulator.AddGroup("other", "")
	if err := x.emulator.AddMember(group.ID, user.ID); err != nil {
		t.Fatal(err)
	}
	x.as(t, token, "GET", providersPath).wantPlain(t, http.StatusForbidden)
	x.as(t, token, "GET", "/api/v1/permissions").wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "POST", "/api/v1/groups", object{"name": "n"}).wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "DELETE", "/api/v1/groups/"+group.ID).wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "POST", "/api/v1/groups/"+group.ID+"/members", object{"user_ids": []any{}}).wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "POST", "/api/v1/repositories", object{"key": "k", "name": "n", "format": "docker", "repo_type": "local"}).
		wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "GET", "/api/v1/users").wantPlain(t, http.StatusForbidden)
	x.as(t, token, "GET", "/api/v1/users/"+noSuchID).wantError(t, http.StatusForbidden, "FORBIDDEN")
	x.as(t, token, "GET", "/api/v1/users/"+user.ID).want(t, http.StatusOK)
	x.as(t, token, "GET", "/api/v1/service-accounts/"+user.ID).wantError(t, http.StatusForbidden, "FORBIDDEN")
	if items := x.as(t, token, "GET", "/api/v1/groups").want(t, http.StatusOK).items(t); len(items) != 1 || items[0]["name"] != "mine" {
		t.Errorf("groups %v, want the account's own", items)
	}
	x.login(t, "dev", "secret").want(t, http.StatusOK)
	now.Advance(time.Minute)
	x.as(t, token, "GET", "/api/v1/groups").want(t, http.StatusUnauthorized)
	if _, err := x.emulator.NewToken(noSuchID, 0); err == nil {
		t.Error("a token was made for nobody")
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{Token: "first"})
	login := x.login(t, "admin", func() string { _, p := x.emulator.Credentials(); return p }()).object(t)["access_token"].(string)
	fresh := x.emulator.RotateToken()
	if fresh == "first" || fresh != x.emulator.Token() {
		t.Errorf("rotated to %q, Token says %q", fresh, x.emulator.Token())
	}
	x.as(t, "first", "GET", providersPath).want(t, http.StatusUnauthorized)
	x.as(t, fresh, "GET", providersPath).want(t, http.StatusOK)
	x.as(t, login, "GET", providersPath).want(t, http.StatusOK)
	x.emulator.EndSessions()
	x.as(t, login, "GET", providersPath).want(t, http.StatusUnauthorized)
	x.as(t, fresh, "GET", providersPath).want(t, http.StatusOK)
}

// TestExchangedLifetime shows that a token never outlives what bought it.
func TestExchangedLifetime(t *testing.T) {
	t.Parallel()
	now := startClock()
	x := startTarget(t, emulator.Options{Now: now.Now, CITokenTTL: 5 * time.Minute})
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	for exp, want := range map[time.Duration]float64{time.Hour: 300, 2 * time.Minute: 120, -30 * time.Second: 0} {
		claims := with(c.claims(), object{"exp": now.Now().Add(exp).Unix()})
		out := x.exchange(t, sign(t, jose.ES256, "kid", c.key, claims)).want(t, http.StatusOK).object(t)
		// exp has whole seconds, the clock does not.
		if got := out["expires_in"].(float64); got > want || got < want-1 {
			t.Errorf("expires_in %v for a token of %v, want %v", got, exp, want)
		}
		status := http.StatusOK
		if want == 0 {
			status = http.StatusUnauthorized
		}
		x.as(t, out["access_token"].(string), "GET", "/v2/").want(t, status)
	}
	bought := x.exchange(t, sign(t, jose.ES256, "kid", c.key, with(c.claims(), object{"exp": now.Now().Add(time.Hour).Unix()}))).object(t)
	now.Advance(5 * time.Minute)
	x.as(t, bought["access_token"].(string), "GET", "/v2/").wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
}

// TestTokenNotYetValid shows nbf, and that the leeway is a minute.
func TestTokenNotYetValid(t *testing.T) {
	t.Parallel()
	now := startClock()
	x := startTarget(t, emulator.Options{Now: now.Now})
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	nbf := now.Now().Add(2 * time.Minute).Truncate(time.Second)
	token := sign(t, jose.ES256, "kid", c.key, with(c.claims(), object{"nbf": nbf.Unix(), "exp": nbf.Add(time.Minute).Unix()}))
	x.exchange(t, token).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "ImmatureSignature")
	now.Advance(time.Minute + time.Second)
	x.exchange(t, token).want(t, http.StatusOK)
	now.Advance(3*time.Minute + time.Second)
	x.exchange(t, token).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "ExpiredSignature")
}

// TestLogHoldsNoSecret presents credentials in every way there is and looks
// for them in the log.
func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{Token: `to"ken<1>&`, Password: `pass "word" ü`})
	x.emulator.Inject(emulator.Fault{Kind: emulator.Echo, Path: "/health"})
	x.login(t, "admin", `pass "word" ü`).want(t, http.StatusOK)
	x.ask(t, question{method: "GET", path: "/v2/token", authorization: basic("admin", `pass "word" ü`)})
	x.ask(t, question{
		method: "POST", path: "/v2/token", contentType: "application/x-www-form-urlencoded", body: "username=admin&password=pass+%22word%22+%C3%BC",
	})
	x.admin(t, "GET", "/health?token=to%22ken%3C1%3E%26&page=1")
	x.admin(t, "GET", "/health?access_token=plain-secret")
	x.admin(t, "POST", providersPath, object{"name": x.token, "issuer_url": "https://i.example.test", "refresh_token": "refresh-secret"})
	x.ask(t, question{method: "GET", path: "/health", authorization: "Bearer " + x.token, header: http.Header{
		"Cookie": {"session=" + x.token}, "X-Copy": {x.token}, "Proxy-Authorization": {basic("p", "proxy-secret")}, "X-Plain": {"kept"},
	}})
	log := x.emulator.Requests()
	text := fmt.Sprintf("%+v", log)
	for _, secret := range []string{
		`to"ken`, `to\"ken`, "to%22ken", "plain-secret", "refresh-secret", `pass "word"`, `pass \"word`, "pass+%22word", "proxy-secret",
		strings.TrimPrefix(basic("admin", `pass "word" ü`), "Basic "),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %s:\n%s", secret, text)
		}
	}
	last := log[len(log)-1]
	if last.Header.Get("X-Plain") != "kept" || last.Header.Get("X-Copy") != "[redacted]" || last.Scheme != "Bearer" || last.Method != http.MethodGet {
		t.Errorf("last entry %+v", last)
	}
	if body := log[len(log)-2].Body; !strings.Contains(body, "https://i.example.test") {
		t.Errorf("body %s, want what is no secret", body)
	}
	x.emulator.ResetRequests()
	if left := x.emulator.Requests(); len(left) != 0 {
		t.Errorf("entries after a reset: %v", left)
	}
}

// TestSecrets lists what was given and what was got, and nothing that is public.
func TestSecrets(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	presented := sign(t, jose.ES256, "kid", c.key, c.claims())
	got := x.exchange(t, presented).want(t, http.StatusOK).object(t)
	authorization := basic(got["username"].(string), got["access_token"].(string))
	pull := x.ask(t, question{method: "GET", path: "/v2/token", authorization: authorization}).want(t, http.StatusOK).object(t)
	x.login(t, "admin", "wrong").want(t, http.StatusUnauthorized)
	x.guest(t, "GET", "/v2/token").want(t, http.StatusOK)
	x.emulator.ResetRequests()
	want := []string{
		x.token, presented, got["access_token"].(string), strings.TrimPrefix(authorization, "Basic "), pull["token"].(string), "wrong",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, x.emulator.Secrets()); diff != "" {
		t.Error(diff)
	}
}
