package artifactkeeper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

// credential gives the bearer token of the admin API.
type credential interface {
	// token gives the current token.
	token(ctx context.Context) (string, error)
	// renew is called after the registry answered 401 to stale. It reports whether token now gives another one.
	renew(ctx context.Context, stale string) (bool, error)
	// accepted is called after a call with this token succeeded.
	accepted(token string)
}

// unmoved is embedded by credentials that do not mind whether they are accepted.
type unmoved struct{}

func (unmoved) accepted(string) {}

func (c *Client) credentialOf(cfg Config) (credential, error) {
	c.scrub.Add(cfg.Token, cfg.Password)
	switch {
	case cfg.Token != "":
		if strings.ContainsAny(strings.TrimSpace(cfg.Token), " \t\r\n") {
			return nil, &ConfigError{Argument: "token", Problem: "it holds white space; give the bare token"}
		}
		return staticToken{text: strings.TrimSpace(cfg.Token)}, nil
	case cfg.TokenFile != "":
		return &tokenFile{path: cfg.TokenFile, scrub: &c.scrub}, nil
	case cfg.Username != "" && cfg.Password != "":
		return &login{client: c, username: cfg.Username, password: cfg.Password}, nil
	case cfg.Username != "" || cfg.Password != "":
		missing := "password"
		if cfg.Username == "" {
			missing = "username"
		}
		return nil, &ConfigError{Argument: missing, Problem: "username and password are needed together"}
	}
	return noCredential{}, nil
}

// noCredential serves clients that only use what needs no administrator.
type noCredential struct{ unmoved }

func (noCredential) token(context.Context) (string, error) {
	return "", &ConfigError{Argument: "token", Problem: "no credential of the registry is given; set token, token_file, or " +
		"username and password, or ARTIFACT_KEEPER_TOKEN, ARTIFACT_KEEPER_TOKEN_FILE, or ARTIFACT_KEEPER_USERNAME and " +
		"ARTIFACT_KEEPER_PASSWORD"}
}

func (noCredential) renew(context.Context, string) (bool, error) { return false, nil }

type staticToken struct {
	unmoved
	text string
}

func (s staticToken) token(context.Context) (string, error)       { return s.text, nil }
func (s staticToken) renew(context.Context, string) (bool, error) { return false, nil }

// tokenFile reads a token from a file that something else keeps fresh.
type tokenFile struct {
	unmoved
	path  string
	scrub *scrub.Scrubber

	mu      sync.Mutex
	current string
}

func (f *tokenFile) token(context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current != "" {
		return f.current, nil
	}
	return f.current, f.read()
}

func (f *tokenFile) renew(_ context.Context, stale string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.read(); err != nil {
		return false, err
	}
	return f.current != stale, nil
}

// read sets current; f.mu is held.
func (f *tokenFile) read() error {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return &ConfigError{Argument: "token_file", Problem: "the token could not be read: " + err.Error()}
	}
	text := strings.TrimSpace(string(content))
	if text == "" || strings.ContainsAny(text, " \t\r\n") {
		return &ConfigError{Argument: "token_file",
			Problem: fmt.Sprintf("%s holds no token: one line with the bare token is expected", f.path)}
	}
	f.scrub.Add(text)
	f.current = text
	return nil
}

// login exchanges a user's name and password for a token, once, and again after a 401.
type login struct {
	client             *Client
	username, password string

	mu      sync.Mutex
	current string
	works   bool  // Whether current was ever accepted.
	failed  error // A failed login is not tried again: the limiter allows about ten in a quarter of an hour.
}

// LoginError is a login that gave no usable session.
type LoginError struct {
	// Username is who tried.
	Username string
	// Problem and Do are what is wrong and what to do, in sentences.
	Problem, Do string
	// Err is the registry's answer, if it was an error.
	Err error
}

func (e *LoginError) Error() string {
	text := fmt.Sprintf("logging in as %q: %s", e.Username, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *LoginError) Unwrap() error { return e.Err }

// Advice says what to do about it.
func (e *LoginError) Advice() string { return e.Do }

func (l *login) token(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current == "" {
		if err := l.run(ctx); err != nil {
			return "", err
		}
	}
	return l.current, nil
}

func (l *login) renew(ctx context.Context, stale string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != stale {
		return l.current != "", l.failed // Another request of the same moment has renewed it already.
	}
	if !l.works {
		return false, nil // A fresh session that is refused is refused for what it is: the next one would be too.
	}
	l.current, l.works = "", false
	if err := l.run(ctx); err != nil {
		return false, err
	}
	return true, nil
}

func (l *login) accepted(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.works = l.works || token == l.current
}

// run logs in; l.mu is held.
func (l *login) run(ctx context.Context) error {
	if l.failed != nil {
		return l.failed
	}
	err := l.ask(ctx)
	if err != nil && ctx.Err() == nil {
		l.failed = err
	}
	return err
}

func (l *login) ask(ctx context.Context) error {
	var out struct {
		AccessToken        string `json:"access_token"`
		RefreshToken       string `json:"refresh_token"`
		MustChangePassword bool   `json:"must_change_password"`
		TOTPRequired       bool   `json:"totp_required"`
	}
	in := map[string]string{"username": l.username, "password": l.password}
	err := l.client.send(ctx, request{method: http.MethodPost, path: "/auth/login", in: in}, "", &out)
	l.client.scrub.Add(out.AccessToken, out.RefreshToken)
	var answer *Error
	switch {
	case errors.As(err, &answer) && answer.Status == http.StatusUnauthorized:
		return &LoginError{l.username, "the registry does not accept this user and password",
			"Check username and password. The registry allows about ten logins in fifteen minutes.", err}
	case errors.As(err, &answer) && answer.Status == http.StatusTooManyRequests:
		wait := answer.RetryAfter
		if wait == 0 {
			wait = 15 * time.Minute
		}
		return &LoginError{l.username, "the registry limits logins, about ten in fifteen minutes, and refuses this one",
			"Wait " + describeWait(wait) + " before the next run, or use a token, which needs no login.", err}
	case err != nil:
		return &LoginError{l.username, "the login did not succeed", adviceOf(err), err}
	case out.TOTPRequired:
		return &LoginError{l.username, "this account has a second factor, which nobody is here to give",
			"Use the token of a service account instead of username and password.", nil}
	case out.MustChangePassword:
		return &LoginError{l.username, "this account must change its password before it can do anything else",
			"Log in to the registry's web page once and change it, or use a token.", nil}
	case out.AccessToken == "":
		return &LoginError{l.username, "the registry answered without a token", "Check that endpoint is the registry.", nil}
	}
	l.current = out.AccessToken
	return nil
}

// adviceOf is what an error of this package says to do.
func adviceOf(err error) string {
	var e interface{ Advice() string }
	if errors.As(err, &e) {
		return e.Advice()
	}
	return ""
}
