package artifactkeeper

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// stub is a server that answers each request with the next of its answers, and the last one for ever after.
type stub struct {
	*httptest.Server
	requests atomic.Int64
}

func newStub(t *testing.T, answers ...http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(s.requests.Add(1)) - 1
		answers[min(n, len(answers)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) client(t *testing.T, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{Endpoint: s.URL, AllowHTTP: true, Token: canary, MaxRetries: 2, retryWait: time.Millisecond}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const canary = "canary-8d1f4c-token"

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func failure(status int, code string) http.HandlerFunc {
	return answer(status, "application/json", fmt.Sprintf(`{"code":%q,"message":"because"}`, code))
}

// hangUp closes the connection after the request was read.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cut promises more than it sends.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"id":`)
}

func limited(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", after)
		failure(http.StatusTooManyRequests, "RATE_LIMITED")(w, r)
	}
}

// Of the requests, only those that may be repeated are: see mayRepeat.
func TestRepeats(t *testing.T) {
	get := func(c *Client) error { _, err := c.RepositoryByKey(t.Context(), "k"); return err }
	put := func(c *Client) error { _, err := c.putMapping(t.Context(), "p", "m", MappingInput{}); return err }
	remove := func(c *Client) error { return c.DeleteMapping(t.Context(), "p", "m") }
	post := func(c *Client) error { _, err := c.Exchange(t.Context(), "oidc", ""); return err }
	kinds := []struct {
		name    string
		first   http.HandlerFunc
		repeats bool // for GET, PUT and DELETE
		post    bool
	}{
		{"connection lost", hangUp, true, false},
		{"429", failure(http.StatusTooManyRequests, "RATE_LIMITED"), true, true},
		{"429 that asks for a quarter of an hour", limited("900"), false, false},
		{"500", failure(http.StatusInternalServerError, "INTERNAL_ERROR"), false, false},
		{"lost in the middle", cut, true, false},
		{"502", answer(http.StatusBadGateway, "text/html", "<html>"), true, false},
		{"503", failure(http.StatusServiceUnavailable, "POOL_EXHAUSTED"), true, false},
		{"504", answer(http.StatusGatewayTimeout, "text/plain", "late"), true, false},
		{"400", failure(http.StatusBadRequest, "VALIDATION_ERROR"), false, false},
		{"403", failure(http.StatusForbidden, "FORBIDDEN"), false, false},
		{"302", answer(http.StatusFound, "text/plain", ""), false, false},
	}
	good := answer(http.StatusOK, "application/json", `{"id":"i","access_token":"a-token","username":"u"}`)
	calls := []struct {
		name string
		call func(*Client) error
		post bool
	}{{"GET", get, false}, {"PUT", put, false}, {"DELETE", remove, false}, {"POST", post, true}}
	for _, kind := range kinds {
		for _, call := range calls {
			t.Run(kind.name+"/"+call.name, func(t *testing.T) {
				s := newStub(t, kind.first, good)
				err := call.call(s.client(t))
				want := kind.repeats
				if call.post {
					want = kind.post
				}
				if got := s.requests.Load() == 2; got != want {
					t.Errorf("repeated: %v, want %v (%d requests)", got, want, s.requests.Load())
				}
				if (err == nil) != want {
					t.Errorf("error is %v", err)
				}
			})
		}
	}
}

func TestRepeatsEnd(t *testing.T) {
	s := newStub(t, failure(http.StatusServiceUnavailable, "POOL_EXHAUSTED"))
	_, err := s.client(t).RepositoryByKey(t.Context(), "k")
	var e *Error
	if !errors.As(err, &e) || e.Code != "POOL_EXHAUSTED" || e.Message != "because" {
		t.Errorf("the registry's own words are lost: %v", err)
	}
	if got := s.requests.Load(); got != 3 {
		t.Errorf("%d requests, want 1 and 2 repetitions", got)
	}
}

// What is not the registry's own answer never means that an object is gone.
func TestNotFound(t *testing.T) {
	cases := []struct {
		name string
		body http.HandlerFunc
		gone bool
	}{
		{"the registry's own", failure(http.StatusNotFound, "NOT_FOUND"), true},
		{"a route that does not exist", answer(http.StatusNotFound, "", ""), false},
		{"a proxy's page", answer(http.StatusNotFound, "text/html", "<html><title>Nothing here</title></html>"), false},
		{"another service's JSON", answer(http.StatusNotFound, "application/json", `{"error":"not found"}`), false},
		{"another code", failure(http.StatusNotFound, "ROUTE_NOT_FOUND"), false},
		{"401", failure(http.StatusUnauthorized, "NOT_FOUND"), false},
		{"403", failure(http.StatusForbidden, "FORBIDDEN"), false},
		{"500", failure(http.StatusInternalServerError, "NOT_FOUND"), false},
		{"200 with a page", answer(http.StatusOK, "text/html", "<html>"), false},
		{"200 with another object", answer(http.StatusOK, "application/json", `{"id":"other"}`), false},
		{"200 with nothing", answer(http.StatusOK, "application/json", `{}`), false},
	}
	empty := answer(http.StatusOK, "application/json", "[]")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := newStub(t, empty, c.body).client(t).Provider(t.Context(), "one")
			if err == nil || IsNotFound(err) != c.gone {
				t.Errorf("gone: %v, want %v: %v", IsNotFound(err), c.gone, err)
			}
		})
	}
}

// An error says what was asked, what came back, and what to do.
func TestErrorsSpeak(t *testing.T) {
	cases := []struct {
		name   string
		body   http.HandlerFunc
		says   string
		advice string
	}{
		{"401", failure(401, "UNAUTHORIZED"), "GET /repositories/k answered 401 Unauthorized (UNAUTHORIZED): because", "check token"},
		{"403", failure(403, "FORBIDDEN"), "answered 403", "administrator"},
		{"403 of a proxy", answer(403, "text/html", "<title>Access</title>"), `HTML page with the title "Access"`, "access proxy"},
		{"404 route", answer(404, "", ""), "the answer has no body", "endpoint"},
		{"429", limited("90"), "answered 429", "wait 90 seconds"},
		{"429 long", limited("900"), "answered 429", "wait 15 minutes"},
		{"500", failure(500, "INTERNAL_ERROR"), "answered 500", "log"},
		{"redirect", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://login.example.com/?next=secret")
			w.WriteHeader(http.StatusFound)
		}, "it redirects to https://login.example.com/", "Redirects are not followed"},
		{"page", answer(200, "text/html", "<html><title>Log in</title>"), `HTML page with the title "Log in"`, "login page"},
		{"truncated", answer(200, "application/json", `{"id":`), "not the JSON of the API", "proxy"},
		{"plain text", answer(422, "text/plain", "missing field `name`"), "answered 422 Unprocessable Entity: missing field `name`", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := newStub(t, c.body).client(t, func(cfg *Config) { cfg.MaxRetries = 0 }).RepositoryByKey(t.Context(), "k")
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
			if got := adviceOf(err); !strings.Contains(got, c.advice) || strings.Contains(err.Error(), "next=") {
				t.Errorf("advice %q does not say %q", got, c.advice)
			}
		})
	}
}

func TestAnswersAreCapped(t *testing.T) {
	s := newStub(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"`+strings.Repeat("x", maxAnswer)+`"}`)
	})
	_, err := s.client(t).RepositoryByKey(t.Context(), "k")
	var e *MalformedError
	if !errors.As(err, &e) || !strings.Contains(e.Problem, "larger than 4 MiB") {
		t.Errorf("error is %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	s := newStub(t, hangUp)
	c := s.client(t, func(cfg *Config) { cfg.MaxRetries = 0 })
	s.Close()
	_, err := c.RepositoryByKey(t.Context(), "k")
	var e *TransportError
	if !errors.As(err, &e) || e.Sent || !strings.Contains(e.Advice(), "Nothing answers at this address") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

func TestSlowAnswer(t *testing.T) {
	release := make(chan struct{})
	s := newStub(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	c := s.client(t, func(cfg *Config) { cfg.MaxRetries, cfg.RequestTimeout = 0, 20*time.Millisecond })
	_, err := c.RepositoryByKey(t.Context(), "k")
	var e *TransportError
	if !errors.As(err, &e) || !e.Sent || !strings.Contains(e.Advice(), "request_timeout") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

func TestUnknownAuthority(t *testing.T) {
	s := httptest.NewTLSServer(answer(200, "application/json", "{}"))
	defer s.Close()
	c, err := New(Config{Endpoint: s.URL, Token: canary, MaxRetries: 3, retryWait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.RepositoryByKey(t.Context(), "k") // A repetition would wait for an hour.
	if !strings.Contains(adviceOf(err), "ca_certificate") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

// What an answer asks to wait is waited, whatever its status.
func TestPause(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		resp := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"7"}}}
		if got := pause(time.Millisecond, time.Minute, 0, resp); got != 7*time.Second {
			t.Errorf("%d: %s, want 7s", status, got)
		}
	}
	if first, third := pause(time.Second, time.Minute, 0, nil), pause(time.Second, time.Minute, 2, nil); first >= third {
		t.Errorf("the pauses are %s and then %s, want longer ones", first, third)
	}
}

func TestRetryAfter(t *testing.T) {
	in := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for value, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-3": 0, "soon": 0, in: 90 * time.Second} {
		got := retryAfter(&http.Response{Header: http.Header{"Retry-After": {value}}})
		if got < want-2*time.Second || got > want {
			t.Errorf("Retry-After %q is %s, want %s", value, got, want)
		}
	}
}
