package emulator

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Kind is a way in which a request can go wrong.
type Kind string

// The kinds of faults. "Not run" means that nothing changed in the registry;
// "run" means that the request did everything it asks for.
const (
	// LostBefore closes the connection without an answer; not run.
	LostBefore Kind = "lost-before"
	// LostAfter closes the connection without an answer; run.
	LostAfter Kind = "lost-after"
	// CutBody closes the connection in the middle of the body; run.
	CutBody Kind = "cut-body"
	// RateLimited is 429 with Retry-After, as the limiter in front of the
	// handlers answers; not run.
	RateLimited Kind = "rate-limited"
	// UnavailableBefore is 503 POOL_EXHAUSTED with Retry-After; not run.
	UnavailableBefore Kind = "unavailable-before"
	// UnavailableAfter is the same answer, but run: the registry inserts, and
	// then times out reading back what it inserted.
	UnavailableAfter Kind = "unavailable-after"
	// InternalError is 500 INTERNAL_ERROR; not run.
	InternalError Kind = "internal-error"
	// Slow waits [Fault.Delay], then runs; a client that goes away while it
	// waits is noticed, and nothing is run.
	Slow Kind = "slow"
	// HTMLPage is 200 with a page, as a login portal answers; not run.
	HTMLPage Kind = "html-page"
	// HTMLError is 502 with a page, as a proxy answers; not run.
	HTMLError Kind = "html-error"
	// TruncatedJSON is a complete answer whose JSON ends in the middle; run.
	TruncatedJSON Kind = "truncated-json"
	// Unauthorized is 401 as for a token that has just expired; not run.
	Unauthorized Kind = "unauthorized"
	// Forbidden is 403 as for a token without administrator rights; not run.
	Forbidden Kind = "forbidden"
	// NotFoundEmpty is 404 without a body, as for a route that does not
	// exist; not run.
	NotFoundEmpty Kind = "not-found-empty"
	// Oversized is the answer followed by [Fault.Size] bytes of white space,
	// valid JSON that never seems to end; run.
	Oversized Kind = "oversized"
	// Redirect is 302 to [Fault.Location]; not run.
	Redirect Kind = "redirect"
	// Echo is 400 VALIDATION_ERROR whose message repeats the Authorization
	// header, as a careless proxy or debug build does; not run.
	Echo Kind = "echo"
	// Respond answers [Fault.Status] with [Fault.Code] and [Fault.Message]
	// in the registry's error shape; not run.
	Respond Kind = "respond"
)

// DefaultOversize is how much an [Oversized] answer is padded by default.
const DefaultOversize = 64 << 20

// Fault says which requests go wrong, and how.
type Fault struct {
	// Method is the request method; empty is any.
	Method string
	// Path picks the paths, without the base path. It is a pattern of
	// path.Match for the whole path, where * stays within a segment:
	// "/api/v1/admin/ci-oidc/*/mappings". Ending in "/..." it is a prefix:
	// "/api/v1/...". Empty is any path.
	Path string
	// Kind is what happens.
	Kind Kind
	// Times is how often; 0 is for ever.
	Times int
	// After is how many matching requests pass unharmed first.
	After int

	// Delay is the wait of [Slow].
	Delay time.Duration
	// RetryAfter is the header of [RateLimited], in seconds or as a date;
	// empty is "1".
	RetryAfter string
	// Size is the padding of [Oversized] in bytes; 0 is [DefaultOversize].
	Size int64
	// Location is the target of [Redirect]; empty is "/login".
	Location string
	// Status, Code and Message are the answer of [Respond].
	Status  int
	Code    string
	Message string
}

// Injection is a fault in place.
type Injection struct {
	fault     Fault
	book      *faultBook
	matched   int
	hits      int
	triggered chan struct{}
}

// faultBook holds the faults in the order in which they were injected.
type faultBook struct {
	mu         sync.Mutex
	injections []*Injection
}

// Inject puts a fault in place. Of several that match a request, the first
// that is not used up applies. It panics on an unknown kind or a path that is
// no pattern, which only a wrong test has.
func (s *Server) Inject(f Fault) *Injection {
	if _, known := effects[f.Kind]; !known {
		panic(fmt.Sprintf("emulator: unknown kind of fault %q", f.Kind))
	}
	if _, err := path.Match(f.Path, "/"); err != nil {
		panic(fmt.Sprintf("emulator: path %q of a fault: %v", f.Path, err))
	}
	injection := &Injection{fault: f, book: &s.faults, triggered: make(chan struct{})}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.injections = append(s.faults.injections, injection)
	return injection
}

// ClearFaults removes every fault.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.injections = nil
}

// Hits is how many requests the fault has met so far.
func (i *Injection) Hits() int {
	i.book.mu.Lock()
	defer i.book.mu.Unlock()
	return i.hits
}

// Triggered is closed when the fault meets its first request, before anything
// happens to it.
func (i *Injection) Triggered() <-chan struct{} { return i.triggered }

// Remove takes the fault out of place.
func (i *Injection) Remove() {
	i.book.mu.Lock()
	defer i.book.mu.Unlock()
	for n, other := range i.book.injections {
		if other == i {
			i.book.injections = append(i.book.injections[:n:n], i.book.injections[n+1:]...)
			return
		}
	}
}

// take finds the fault of a request and counts it, nil when there is none.
func (b *faultBook) take(method, requestPath string) *Injection {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range b.injections {
		usedUp := i.fault.Times > 0 && i.hits >= i.fault.Times
		if usedUp || !i.fault.matches(method, requestPath) {
			continue
		}
		i.matched++
		if i.matched <= i.fault.After {
			continue
		}
		i.hits++
		if i.hits == 1 {
			close(i.triggered)
		}
		return i
	}
	return nil
}

func (f Fault) matches(method, requestPath string) bool {
	if f.Method != "" && f.Method != method {
		return false
	}
	if f.Path == "" {
		return true
	}
	if prefix, ok := strings.CutSuffix(f.Path, "/..."); ok {
		return requestPath == prefix || strings.HasPrefix(requestPath, prefix+"/")
	}
	matched, _ := path.Match(f.Path, requestPath) // the pattern was checked
	return matched
}

func (i *Injection) apply(r *http.Request, run func() *answer) *answer {
	return effects[i.fault.Kind](i.fault, r, run)
}

// An effect turns a request and its handler into the answer under the fault.
type effect func(f Fault, r *http.Request, run func() *answer) *answer

var effects = map[Kind]effect{
	LostBefore: func(Fault, *http.Request, func() *answer) *answer {
		return &answer{delivery: deliverNothing}
	},
	LostAfter: func(_ Fault, _ *http.Request, run func() *answer) *answer {
		reply := run()
		reply.delivery = deliverNothing
		return reply
	},
	CutBody: func(_ Fault, _ *http.Request, run func() *answer) *answer {
		reply := run()
		reply.delivery = deliverHalf
		return reply
	},
	Slow: func(f Fault, r *http.Request, run func() *answer) *answer {
		if !wait(r.Context(), f.Delay) {
			return &answer{delivery: deliverNothing}
		}
		return run()
	},
	UnavailableAfter: func(_ Fault, _ *http.Request, run func() *answer) *answer {
		run()
		return failed(poolExhausted())
	},
	TruncatedJSON: func(_ Fault, _ *http.Request, run func() *answer) *answer {
		reply := run()
		reply.body.Truncate(reply.body.Len() / 2)
		return reply
	},
	Oversized: func(f Fault, _ *http.Request, run func() *answer) *answer {
		reply := run()
		if reply.padding = f.Size; reply.padding == 0 {
			reply.padding = DefaultOversize
		}
		return reply
	},
	RateLimited: func(f Fault, _ *http.Request, _ func() *answer) *answer {
		if f.RetryAfter == "" {
			f.RetryAfter = "1"
		}
		return failed(rateLimited(f.RetryAfter))
	},
	UnavailableBefore: instead(func(Fault, *http.Request) error { return poolExhausted() }),
	InternalError:     instead(func(Fault, *http.Request) error { return internalError() }),
	Unauthorized:      instead(func(Fault, *http.Request) error { return invalidToken() }),
	Forbidden:         instead(func(Fault, *http.Request) error { return adminRequired() }),
	NotFoundEmpty:     instead(func(Fault, *http.Request) error { return &plainError{status: http.StatusNotFound} }),
	Respond: instead(func(f Fault, _ *http.Request) error {
		return &apiError{f.Status, f.Code, f.Message}
	}),
	Echo: instead(func(_ Fault, r *http.Request) error {
		return validation("unexpected header authorization: %s", r.Header.Get("Authorization"))
	}),
	HTMLPage: func(Fault, *http.Request, func() *answer) *answer {
		return htmlPage(http.StatusOK, "Sign in")
	},
	HTMLError: func(Fault, *http.Request, func() *answer) *answer {
		return htmlPage(http.StatusBadGateway, "502 Bad Gateway")
	},
	Redirect: func(f Fault, _ *http.Request, _ func() *answer) *answer {
		if f.Location == "" {
			f.Location = "/login"
		}
		reply := &answer{status: http.StatusFound}
		reply.Header().Set("Location", f.Location)
		return reply
	},
}

// instead is the effect of an error in place of the handler.
func instead(with func(Fault, *http.Request) error) effect {
	return func(f Fault, r *http.Request, _ func() *answer) *answer { return failed(with(f, r)) }
}

func failed(err error) *answer {
	reply := &answer{}
	reply.write(nil, err)
	return reply
}

func poolExhausted() error {
	return &apiError{
		http.StatusServiceUnavailable, "POOL_EXHAUSTED", "Database connection pool is saturated, retry shortly",
	}
}

func rateLimited(retryAfter string) error {
	return &plainError{
		status: http.StatusTooManyRequests, message: "Rate limit exceeded. Please try again later.",
		header: map[string]string{"Retry-After": retryAfter},
	}
}
