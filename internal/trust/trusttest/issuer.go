package trusttest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// publicAddress is where the issuer is to the registry, which dials no loopback address. Nobody has it (RFC 5737).
const publicAddress = "203.0.113.1"

// Issuer serves the documents of a cluster's issuer over HTTPS, at the issuer's own URL. It listens on loopback; the registry
// reaches it by [Issuer.LookupNetIP] and [Issuer.DialContext], this process by [Issuer.Transport], and another process by the
// environment of [Issuer.Env]. Until something is published, it closes every connection.
type Issuer struct {
	// URL is the issuer, and the key set is at KeysURL.
	URL, KeysURL string

	host, authority    string
	documents, tunnels *httptest.Server

	mu              sync.Mutex
	discovery, keys string
}

// newIssuer serves the issuer of a control plane until the test ends.
func newIssuer(t testing.TB, plane *controlplane.ControlPlane) *Issuer {
	t.Helper()
	location, err := url.Parse(plane.Issuer())
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{URL: plane.Issuer(), KeysURL: plane.Issuer() + "/keys", host: location.Host, authority: plane.CA()}
	certificate, key, err := plane.ServerCertificate(location.Hostname())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	i.documents = httptest.NewUnstartedServer(http.HandlerFunc(i.serve))
	i.documents.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	i.documents.Config.ErrorLog = log.New(io.Discard, "", 0) // who distrusts it is part of the tests
	i.documents.StartTLS()
	t.Cleanup(i.documents.Close)
	i.tunnels = httptest.NewServer(http.HandlerFunc(i.tunnel))
	t.Cleanup(i.tunnels.Close)
	return i
}

// Publish serves a discovery document and a key set from now on.
func (i *Issuer) Publish(discovery, keys string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.discovery, i.keys = discovery, keys
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	text := i.discovery
	if i.URL+r.URL.Path == i.KeysURL {
		text = i.keys
	}
	if text == "" {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, text) // a client that went away is its own business
}

// LookupNetIP implements [emulator.Network].
func (i *Issuer) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host != i.host {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(publicAddress)}, nil
}

// DialContext implements [emulator.Network].
func (i *Issuer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if address != net.JoinHostPort(publicAddress, "443") && address != net.JoinHostPort(i.host, "443") {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	return new(net.Dialer).DialContext(ctx, network, i.documents.Listener.Addr().String())
}

// CAs are the authorities that signed the issuer's certificate.
func (i *Issuer) CAs() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(i.authority))
	return pool
}

// Transport reaches the issuer from this process.
func (i *Issuer) Transport() http.RoundTripper {
	return &http.Transport{
		DialContext: i.DialContext, TLSClientConfig: &tls.Config{RootCAs: i.CAs(), MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}
}

// Env is the environment in which another process reaches the issuer and trusts it: by a proxy, which Go uses for no address
// on loopback, and by a file in the place of the system's authorities.
func (i *Issuer) Env(t testing.TB) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(file, []byte(i.authority), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HTTPS_PROXY=" + i.tunnels.URL, "SSL_CERT_FILE=" + file}
}

// tunnel is a proxy that leads to the issuer alone (RFC 9110 section 9.3.6).
func (i *Issuer) tunnel(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	there, err := i.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	var both errgroup.Group
	both.Go(func() error { return pour(there, buffered) })
	both.Go(func() error { return pour(here, there) })
	_ = both.Wait() // a broken tunnel shows at its ends
}

// pour copies until there is no more, and says so on the other side.
func pour(to net.Conn, from io.Reader) error {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	return err
}
