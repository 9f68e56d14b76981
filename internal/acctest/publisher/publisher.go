// Package publisher is a web server on loopback on which a test publishes the documents of an issuer, as an object store
// serves them: https, files by path, nothing else.
package publisher

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Paths of the two documents of Issue, below the issuer.
const (
	DiscoveryPath = "/.well-known/openid-configuration"
	KeySetPath    = "/openid/v1/jwks"
)

// Server is a web server with a certificate of an authority of its own. What lies on it can be changed at any time.
type Server struct {
	server *httptest.Server
	ca     string

	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
}

// Options are what tests bend.
type Options struct {
	// Certificate changes the server's certificate before it is signed.
	Certificate func(*x509.Certificate)
	// ClearText leaves TLS out.
	ClearText bool
	// HTTP2 offers it beside HTTP/1.1.
	HTTP2 bool
}

// Start starts a server for one test.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	s, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// New starts a server that several tests share.
func New(options Options) (*Server, error) {
	s := &Server{handlers: map[string]http.HandlerFunc{}}
	s.server = httptest.NewUnstartedServer(s)
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // Clients that refuse the certificate are what some tests are about.
	if options.ClearText {
		s.server.Start()
		return s, nil
	}
	certificate, ca, err := certificates(options)
	if err != nil {
		return nil, err
	}
	s.ca = ca
	s.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	s.server.EnableHTTP2 = options.HTTP2
	s.server.StartTLS()
	return s, nil
}

// URL is the server's, without a slash at the end.
func (s *Server) URL() string { return "https://" + s.Address() }

// Address is the host and port on which it listens.
func (s *Server) Address() string { return s.server.Listener.Addr().String() }

// CA is the PEM certificate of the authority.
func (s *Server) CA() string { return s.ca }

// Client is one that trusts the server's certificate.
func (s *Server) Client() *http.Client { return s.server.Client() }

// Close ends the server.
func (s *Server) Close() { s.server.Close() }

// Put lays an object at a path. headers are names and values in turn; a type is one of them.
func (s *Server) Put(path, body string, headers ...string) {
	s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		fmt.Fprint(w, body)
	})
}

// Handle answers a path in another way; nil takes the object away.
func (s *Server) Handle(path string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handler == nil {
		delete(s.handlers, path)
		return
	}
	s.handlers[path] = handler
}

// Issue publishes both documents of an issuer below a path of this server, and gives the issuer. An empty path is the server
// itself.
func (s *Server) Issue(path, keySet string) (issuer string) {
	issuer = s.URL() + path
	s.Put(path+DiscoveryPath, fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, issuer, issuer+KeySetPath), "Content-Type", "application/json")
	s.Put(path+KeySetPath, keySet, "Content-Type", "application/jwk-set+json", "Cache-Control", "public, max-age=3600")
	return issuer
}

// ServeHTTP answers with what lies at the path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	handler := s.handlers[r.URL.Path]
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Method != http.MethodGet:
		http.Error(w, "consumers are anonymous and only read", http.StatusBadRequest)
	case handler == nil:
		http.NotFound(w, r)
	default:
		handler(w, r)
	}
}

// certificates makes an authority, and one certificate for loopback that it signs.
func certificates(options Options) (certificate tls.Certificate, ca string, err error) {
	authority := template("aktrust test publisher")
	authority.IsCA, authority.BasicConstraintsValid, authority.KeyUsage = true, true, x509.KeyUsageCertSign
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, "", err
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return certificate, "", err
	}
	leaf := template("web server")
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	if options.Certificate != nil {
		options.Certificate(leaf)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, "", err
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return certificate, "", err
	}
	ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, ca, nil
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}
}
