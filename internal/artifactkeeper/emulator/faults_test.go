package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// creating is the request that the faults meet.
func (x *target) creating(t *testing.T) (reply, error) {
	t.Helper()
	return x.try(t, question{
		method: "POST", path: providersPath, authorization: "Bearer " + x.token, contentType: "application/json",
		body: encode(t, object{"name": "p", "issuer_url": "https://i.example.test"}),
	})
}

// TestFaults observes every kind as a plain client does, and whether the
// request was run.
func TestFaults(t *testing.T) {
	t.Parallel()
	for kind, c := range map[emulator.Kind]struct {
		fault emulator.Fault
		run   bool
		check func(t *testing.T, out reply, err error)
	}{
		emulator.LostBefore: {check: wantLost},
		emulator.LostAfter:  {run: true, check: wantLost},
		emulator.CutBody: {run: true, check: func(t *testing.T, out reply, err error) {
			t.Helper()
			if !errors.Is(err, io.ErrUnexpectedEOF) || out.status != http.StatusOK || out.body == "" {
				t.Errorf("status %d, body %q, error %v; want the beginning of a 200", out.status, out.body, err)
			}
		}},
		emulator.RateLimited: {fault: emulator.Fault{RetryAfter: "7"}, check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantPlain(t, http.StatusTooManyRequests)
			wantHeader(t, out, "Retry-After", "7")
		})},
		emulator.UnavailableBefore: {check: answered(wantExhausted)},
		emulator.UnavailableAfter:  {run: true, check: answered(wantExhausted)},
		emulator.InternalError: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantError(t, http.StatusInternalServerError, "INTERNAL_ERROR")
		})},
		emulator.Slow: {fault: emulator.Fault{Delay: time.Millisecond}, run: true, check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.want(t, http.StatusOK)
		})},
		emulator.HTMLPage: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			wantHTML(t, out, http.StatusOK)
		})},
		emulator.HTMLError: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			wantHTML(t, out, http.StatusBadGateway)
		})},
		emulator.TruncatedJSON: {run: true, check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.want(t, http.StatusOK)
			if out.body == "" || json.Valid([]byte(out.body)) {
				t.Errorf("body %q, want the beginning of some JSON", out.body)
			}
			wantHeader(t, out, "Content-Type", "application/json")
		})},
		emulator.Unauthorized: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantPlain(t, http.StatusUnauthorized)
		})},
		emulator.Forbidden: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantPlain(t, http.StatusForbidden)
		})},
		emulator.NotFoundEmpty: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantEmpty(t, http.StatusNotFound)
		})},
		emulator.Oversized: {fault: emulator.Fault{Size: 5 << 20}, run: true, check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.want(t, http.StatusOK)
			if len(out.body) < 5<<20 || !json.Valid([]byte(out.body)) {
				t.Errorf("%d bytes, want 5 MiB of valid JSON", len(out.body))
			}
		})},
		emulator.Redirect: {fault: emulator.Fault{Location: "https://elsewhere.example.test/"}, check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantEmpty(t, http.StatusFound)
			wantHeader(t, out, "Location", "https://elsewhere.example.test/")
		})},
		emulator.Echo: {check: answered(func(t *testing.T, out reply) {
			t.Helper()
			out.wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "Bearer ak_admin_")
		})},
		emulator.Respond: {
			fault: emulator.Fault{Status: http.StatusConflict, Code: "CONFLICT", Message: "taken"},
			check: answered(func(t *testing.T, out reply) {
				t.Helper()
				out.wantError(t, http.StatusConflict, "CONFLICT", "taken")
			}),
		},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			x := startTarget(t, emulator.Options{})
			c.fault.Kind, c.fault.Times = kind, 1
			injection := x.emulator.Inject(c.fault)
			out, err := x.creating(t)
			c.check(t, out, err)
			if got := len(x.emulator.State().Providers); (got == 1) != c.run {
				t.Errorf("%d providers, want run to be %v", got, c.run)
			}
			if log := x.emulator.Requests(); len(log) != 2 || log[1].Fault != kind {
				t.Errorf("log %+v, want the fault of the second request", log)
			}
			if out, err := x.creating(t); err != nil || out.status != http.StatusOK || injection.Hits() != 1 {
				t.Errorf("after its only time: status %d, error %v, hits %d", out.status, err, injection.Hits())
			}
		})
	}
}

func answered(check func(*testing.T, reply)) func(*testing.T, reply, error) {
	return func(t *testing.T, out reply, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		check(t, out)
	}
}

func wantLost(t *testing.T, out reply, err error) {
	t.Helper()
	if !errors.Is(err, io.EOF) {
		t.Errorf("status %d, error %v; want the connection to end", out.status, err)
	}
}

func wantExhausted(t *testing.T, out reply) {
	t.Helper()
	out.wantError(t, http.StatusServiceUnavailable, "POOL_EXHAUSTED")
	wantHeader(t, out, "Retry-After", "1")
}

func wantHTML(t *testing.T, out reply, status int) {
	t.Helper()
	out.want(t, status)
	wantHeader(t, out, "Content-Type", "text/html; charset=utf-8")
	if !strings.HasPrefix(out.body, "<!DOCTYPE html>") {
		t.Errorf("body %q", out.body)
	}
}

func wantHeader(t *testing.T, out reply, name, want string) {
	t.Helper()
	if got := out.header.Get(name); got != want {
		t.Errorf("%s %q, want %q", name, got, want)
	}
}

// TestFaultDefaults shows what a fault does without its parameters.
func TestFaultDefaults(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	x.emulator.Inject(emulator.Fault{Kind: emulator.RateLimited, Times: 1})
	wantHeader(t, x.guest(t, "GET", "/health"), "Retry-After", "1")
	x.emulator.Inject(emulator.Fault{Kind: emulator.Redirect, Times: 1})
	wantHeader(t, x.guest(t, "GET", "/health"), "Location", "/login")
	x.emulator.Inject(emulator.Fault{Kind: emulator.Oversized, Times: 1})
	if size := x.guest(t, "HEAD", "/health").header.Get("Content-Length"); len(size) != len("67108864") {
		t.Errorf("Content-Length %s, want some more than 64 MiB", size)
	}
}

// TestFaultsPickRequests shows methods, patterns, After, Times and order.
func TestFaultsPickRequests(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	p := x.provider(t, nil)
	m := x.mapping(t, p, nil)
	for name, c := range map[string]struct {
		fault emulator.Fault
		hits  []string
	}{
		"everything":     {emulator.Fault{}, []string{"GET list", "GET provider", "GET mapping", "PUT mapping", "GET groups"}},
		"a method":       {emulator.Fault{Method: "PUT"}, []string{"PUT mapping"}},
		"an exact path":  {emulator.Fault{Path: providersPath}, []string{"GET list"}},
		"a pattern":      {emulator.Fault{Path: providersPath + "/*"}, []string{"GET provider"}},
		"a deep pattern": {emulator.Fault{Method: "GET", Path: providersPath + "/*/mappings/*"}, []string{"GET mapping"}},
		"a prefix":       {emulator.Fault{Path: providersPath + "/..."}, []string{"GET list", "GET provider", "GET mapping", "PUT mapping"}},
		"after two":      {emulator.Fault{Path: "/api/v1/...", After: 2}, []string{"GET mapping", "PUT mapping", "GET groups"}},
		"two times":      {emulator.Fault{Times: 2}, []string{"GET list", "GET provider"}},
		"after and once": {emulator.Fault{After: 3, Times: 1}, []string{"PUT mapping"}},
	} {
		c.fault.Kind, c.fault.Status, c.fault.Code = emulator.Respond, http.StatusTeapot, "TEAPOT"
		injection := x.emulator.Inject(c.fault)
		var hits []string
		for _, q := range []struct{ name, method, path string }{
			{"GET list", "GET", providersPath}, {"GET provider", "GET", path(p)}, {"GET mapping", "GET", mappingPath(m)},
			{"PUT mapping", "PUT", mappingPath(m)}, {"GET groups", "GET", "/api/v1/groups"},
		} {
			if x.admin(t, q.method, q.path, object{}).status == http.StatusTeapot {
				hits = append(hits, q.name)
			}
		}
		if strings.Join(hits, ", ") != strings.Join(c.hits, ", ") {
			t.Errorf("%s hit %v, want %v", name, hits, c.hits)
		}
		if injection.Hits() != len(c.hits) {
			t.Errorf("%s counted %d hits, want %d", name, injection.Hits(), len(c.hits))
		}
		injection.Remove()
		injection.Remove() // is already gone
	}
}

// TestFaultsInOrder shows that the first fault that is not used up applies.
func TestFaultsInOrder(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	for n := range 3 {
		x.emulator.Inject(emulator.Fault{Kind: emulator.Respond, Status: 510 + n, Times: 1})
	}
	forever := x.emulator.Inject(emulator.Fault{Kind: emulator.NotFoundEmpty})
	for _, status := range []int{510, 511, 512, 404, 404} {
		x.guest(t, "GET", "/health").want(t, status)
	}
	if forever.Hits() != 2 {
		t.Errorf("hits %d, want 2", forever.Hits())
	}
	x.emulator.ClearFaults()
	x.guest(t, "GET", "/health").want(t, http.StatusOK)
}

// TestWrongFault is a mistake of a test, and loud.
func TestWrongFault(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	for _, f := range []emulator.Fault{{}, {Kind: "no-such-kind"}, {Kind: emulator.Slow, Path: "/["}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", f)
				}
			}()
			x.emulator.Inject(f)
		}()
	}
}

// TestSlowHonoursCancel shows that a client that gives up has not been served.
func TestSlowHonoursCancel(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"fault": {}, "latency": {Latency: time.Hour}} {
		t.Run(name, func(t *testing.T) {
			server, err := emulator.Start(options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			// Met by the request before it waits, so that there is something
			// to give up.
			slow := server.Inject(emulator.Fault{Kind: emulator.Slow, Delay: time.Hour})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-slow.Triggered()
				cancel()
			}()
			request, err := http.NewRequestWithContext(ctx, http.MethodDelete, server.URL()+providersPath+"/"+noSuchID, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+server.Token())
			response, err := trusting(t, server).Do(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want the cancellation", err)
			}
			entry := waitForRequest(t, server)
			if entry.Status != 0 || entry.Fault != emulator.Slow {
				t.Errorf("log entry %+v, want no answer", entry)
			}
		})
	}
}

// waitForRequest polls until the log has an entry: the server notices a lost
// client a moment after the client has gone.
func waitForRequest(t *testing.T, server *emulator.Server) emulator.Request {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		if log := server.Requests(); len(log) > 0 {
			return log[0]
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the request did not end")
		}
	}
}
