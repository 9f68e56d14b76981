package artifactkeeper

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const mappingsPath = "/api/v1/admin/ci-oidc/*/mappings"

// After a create whose answer is lost, exactly one object is there and the client has it, or nothing is there and the
// error says so.
func TestLostCreate(t *testing.T) {
	cases := []struct {
		kind    emulator.Kind
		adopted bool
	}{
		{emulator.LostAfter, true},
		{emulator.CutBody, true},
		{emulator.UnavailableAfter, true},
		{emulator.TruncatedJSON, true},
		{emulator.Oversized, true},
		{emulator.LostBefore, false},
		{emulator.UnavailableBefore, false},
		{emulator.InternalError, false},
		{emulator.HTMLError, false},
		{emulator.HTMLPage, false},
	}
	for _, c := range cases {
		t.Run("mapping/"+string(c.kind), func(t *testing.T) {
			server, client := start(t, emulator.Options{})
			provider := under(t, server)
			// An equal object that was there before is not the one that was made.
			if _, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: "m", Priority: 100, IsEnabled: true,
				ClaimFilters: json.RawMessage(`{"sub":"m"}`)}); err != nil {
				t.Fatal(err)
			}
			server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: c.kind, Times: 1})
			out, err := client.CreateMapping(t.Context(), provider, mappingInput("m"))
			state := server.State().Mappings
			checkLostCreate(t, server, c.adopted, err, out.ID, len(state)-1, state[len(state)-1].ID)
		})
		t.Run("provider/"+string(c.kind), func(t *testing.T) {
			server, client := start(t, emulator.Options{})
			server.Inject(emulator.Fault{Method: "POST", Path: "/api/v1/admin/ci-oidc", Kind: c.kind, Times: 1})
			out, err := client.CreateProvider(t.Context(), genericProvider("p"))
			state := server.State().Providers
			id := ""
			if len(state) > 0 {
				id = state[0].ID
			}
			checkLostCreate(t, server, c.adopted, err, out.ID, len(state), id)
		})
	}
}

func checkLostCreate(t *testing.T, server *emulator.Server, adopted bool, err error, got string, made int, id string) {
	t.Helper()
	var ambiguous *AmbiguousCreateError
	switch {
	case adopted && (err != nil || made != 1 || got != id):
		t.Errorf("got %q, %v; the registry has %d with id %s", got, err, made, id)
	case !adopted && (!errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 0 || made != 0):
		t.Errorf("error is %v; the registry has %d", err, made)
	}
	posts := 0
	for _, r := range server.Requests() {
		if r.Method == http.MethodPost {
			posts++
		}
	}
	if posts != 1 {
		t.Errorf("%d POST requests, want 1", posts)
	}
}

// A request that timed out and is carried out late is found once it is there.
func TestSlowCreate(t *testing.T) {
	server, client := start(t, emulator.Options{}, func(cfg *Config) { cfg.RequestTimeout = 100 * time.Millisecond })
	provider := under(t, server)
	server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: emulator.Slow, Delay: time.Minute, Times: 1})
	_, err := client.CreateMapping(t.Context(), provider, mappingInput("m"))
	var ambiguous *AmbiguousCreateError
	if !errors.As(err, &ambiguous) || !strings.Contains(ambiguous.Advice(), "Apply again") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

// Of two new objects that equal the request, neither is taken; both are named.
func TestTwoCandidates(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	if _, err := client.Mappings(t.Context(), provider); err != nil {
		t.Fatal(err)
	}
	// Somebody else makes the same, after this process has listed and at the moment of its own create.
	other, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: "m", Priority: 100, IsEnabled: true,
		ClaimFilters: json.RawMessage(`{"sub":"m"}`)})
	if err != nil {
		t.Fatal(err)
	}
	server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: emulator.LostAfter, Times: 1})
	_, err = client.CreateMapping(t.Context(), provider, mappingInput("m"))
	var ambiguous *AmbiguousCreateError
	if !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 || !strings.Contains(err.Error(), other.ID) ||
		!strings.Contains(ambiguous.Advice(), "Import one") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

// When the registry does not answer the look either, the error says both.
func TestLookFails(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: emulator.LostAfter, Times: 1})
	server.Inject(emulator.Fault{Method: "GET", Path: mappingsPath, Kind: emulator.InternalError, After: 1})
	_, err := client.CreateMapping(t.Context(), provider, mappingInput("m"))
	var ambiguous *AmbiguousCreateError
	if !errors.As(err, &ambiguous) || ambiguous.LookErr == nil || !strings.Contains(ambiguous.Advice(), "import it if it exists") {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}

// Without a list of what is there nothing is created, because afterwards nobody could tell what is new.
func TestNoCreateWithoutList(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	server.Inject(emulator.Fault{Method: "GET", Kind: emulator.InternalError})
	for _, create := range []func() error{
		func() error { _, err := client.CreateMapping(t.Context(), provider, mappingInput("m")); return err },
		func() error { _, err := client.CreateProvider(t.Context(), genericProvider("q")); return err },
	} {
		if err := create(); err == nil || !strings.Contains(err.Error(), "nothing was") {
			t.Errorf("error is %v", err)
		}
	}
	if n := count(server, "POST", ""); n != 0 {
		t.Errorf("%d POST requests", n)
	}
}

// Equal creates of one process, whose answers are all lost, each end with an object of their own.
func TestEqualCreatesAtOnce(t *testing.T) {
	const n = 6
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: emulator.LostAfter})
	var wait sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		wait.Go(func() {
			out, err := client.CreateMapping(context.WithoutCancel(t.Context()), provider, mappingInput("same"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = out.ID
		})
	}
	wait.Wait()
	distinct := map[string]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	if len(distinct) != n || len(server.State().Mappings) != n {
		t.Errorf("%d ids for %d objects, want %d", len(distinct), len(server.State().Mappings), n)
	}
}

// A run that is cancelled while the answer is on its way still finds out what it made.
func TestCancelledCreate(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := client.Mappings(ctx, provider); err != nil {
		t.Fatal(err)
	}
	slow := server.Inject(emulator.Fault{Method: "POST", Path: mappingsPath, Kind: emulator.Slow, Delay: time.Hour, Times: 1})
	done := make(chan error)
	go func() { _, err := client.CreateMapping(ctx, provider, mappingInput("m")); done <- err }()
	<-slow.Triggered()
	cancel()
	var ambiguous *AmbiguousCreateError
	if err := <-done; !errors.As(err, &ambiguous) || ambiguous.LookErr != nil {
		t.Errorf("error is %v", err)
	}
}
