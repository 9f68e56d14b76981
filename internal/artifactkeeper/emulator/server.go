package emulator

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxRequestBody bounds what one request may send, as the registry's own
// limit on its JSON routes does (1 MiB there; images are added in Go here).
const maxRequestBody = 1 << 20

// Server is a running registry. Make one with [Start] and end it with
// [Server.Close].
type Server struct {
	options   Options
	listener  net.Listener
	http      *http.Server
	done      chan struct{}
	authority string
	mux       *http.ServeMux
	faults    faultBook
	requests  requestLog
	issuers   *issuerKeys

	// mu guards everything below. Handlers hold it, so that two requests
	// never interleave, as in the registry, where each is one transaction.
	mu             sync.Mutex
	behaviour      behaviour
	store          store
	sessions       sessions
	logins         loginLimiter
	failReconciles bool
}

// Start serves a registry without providers, groups or repositories, with one
// administrator. It fails on an unknown profile or an address that cannot be
// listened on.
func Start(options Options) (*Server, error) {
	behaviour, err := options.Profile.behaviour()
	if err != nil {
		return nil, err
	}
	options = options.withDefaults()
	s := &Server{
		options:   options,
		done:      make(chan struct{}),
		behaviour: behaviour,
		sessions:  sessions{},
		issuers:   newIssuerKeys(options),
	}
	s.mux = s.routes()
	admin := s.store.addAccount(s, Account{
		Username: options.Username, Email: options.Username + "@example.test", DisplayName: "Administrator",
		AuthProvider: "local", IsActive: true, IsAdmin: true, MustChangePassword: options.MustChangePassword,
	})
	admin.password = options.Password
	s.sessions.add(options.Token, session{accountID: admin.ID})

	if s.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", options.Address); err != nil {
		return nil, fmt.Errorf("emulator: listen on %s: %w", options.Address, err)
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second,
		// Clients that distrust the certificate are part of the tests.
		ErrorLog: log.New(io.Discard, "", 0),
		// A lost answer is a closed connection; on HTTP/2 it would be a
		// closed stream, which clients treat in another way.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	serve := s.http.Serve
	if !options.PlainHTTP {
		if serve, err = s.serveTLS(); err != nil {
			return nil, errors.Join(err, s.listener.Close())
		}
	}
	go func() {
		defer close(s.done)
		_ = serve(s.listener) // always http.ErrServerClosed, from Close
	}()
	return s, nil
}

func (s *Server) serveTLS() (func(net.Listener) error, error) {
	certificate, authority, err := issueCertificate(s.options.Hosts)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	s.authority = authority
	s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	if s.options.ClientCAs != nil {
		s.http.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
		s.http.TLSConfig.ClientCAs = s.options.ClientCAs
	}
	return func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }, nil
}

// Close stops listening and closes every connection, also those in the middle
// of a request. It may be called more than once.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// URL is the address of the registry, such as https://127.0.0.1:41234, with
// the base path when there is one and without a trailing slash.
func (s *Server) URL() string {
	return s.scheme() + "://" + s.Host() + s.options.BasePath
}

func (s *Server) scheme() string {
	if s.options.PlainHTTP {
		return "http"
	}
	return "https"
}

// Host is the host and port of the registry: the first part of the name of
// every image in it.
func (s *Server) Host() string { return s.listener.Addr().String() }

// CACertificate is the authority that signed the server's certificate, as
// PEM. It is empty when the server is plain HTTP.
func (s *Server) CACertificate() string { return s.authority }

// serve is one request from arrival to the last byte of its answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	started := s.options.Now()
	route, inside := strings.CutPrefix(r.URL.Path, s.options.BasePath)
	if !inside || !strings.HasPrefix(route, "/") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody))
	if err != nil {
		http.Error(w, "length limit exceeded", http.StatusRequestEntityTooLarge)
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.Path = route
	inner.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, s.options.BasePath)
	inner.Body = io.NopCloser(bytes.NewReader(body))

	fault := s.faults.take(r.Method, route)
	reply := s.answerThrough(fault, inner)
	secrets := secretsOf(inner, body)
	s.requests.add(describe(inner, body, secrets, started, reply, fault), secrets, reply.body.Bytes())
	reply.deliver(w, r)
}

// answerThrough lets the request wait, meet the access proxy, and pass the
// fault on its way to the handler.
func (s *Server) answerThrough(fault *Injection, r *http.Request) *answer {
	if !wait(r.Context(), s.options.Latency) {
		return &answer{delivery: deliverNothing}
	}
	for name, want := range s.options.RequireHeaders {
		if r.Header.Get(name) != want {
			return htmlPage(http.StatusForbidden, "Access denied by the proxy")
		}
	}
	if fault == nil {
		return s.handle(r)
	}
	return fault.apply(r, func() *answer { return s.handle(r) })
}

// handle runs the route of a request.
func (s *Server) handle(r *http.Request) *answer {
	reply := &answer{}
	if cleaned := path.Clean(r.URL.Path); cleaned != r.URL.Path && cleaned+"/" != r.URL.Path {
		// The mux would redirect to the clean path; the registry has no such
		// route.
		reply.WriteHeader(http.StatusNotFound)
		return reply
	}
	s.mux.ServeHTTP(reply, r)
	return reply
}

// wait reports whether the whole time passed before the client went away.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// delivery is how much of an answer reaches the client.
type delivery int

const (
	deliverWhole   delivery = iota
	deliverNothing          // the connection closes without a byte
	deliverHalf             // the connection closes in the middle of the body
)

// answer is a response that is complete before its first byte is sent, so
// that a fault can withhold or bend it and the log can name its status. It is
// the http.ResponseWriter of the handlers.
type answer struct {
	status   int
	header   http.Header
	body     bytes.Buffer
	delivery delivery
	padding  int64 // bytes of white space after the body
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.body.Write(p)
}

func (a *answer) deliver(w http.ResponseWriter, r *http.Request) {
	if a.delivery == deliverNothing {
		panic(http.ErrAbortHandler) // closes the connection, logs nothing
	}
	maps.Copy(w.Header(), a.header)
	size := int64(a.body.Len()) + a.padding
	if w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	w.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	if a.delivery == deliverHalf {
		_, _ = w.Write(a.body.Bytes()[:a.body.Len()/2]) //nolint:gosec // no browser reads this, and Echo is there to echo
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	// A client that went away is its own business.
	_, _ = w.Write(a.body.Bytes()) //nolint:gosec // as above
	_, _ = io.CopyN(w, spaces{}, a.padding)
}

// spaces is an endless stream of JSON white space.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
