package trusttest

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// publicAddress is where the issuer is to the registry, which dials no loopback address. Nobody has it (RFC 5737).
const publicAddress = "203.0.113.1"

// Issuer is a web server at the URL of a cluster's issuer. It listens on loopback; the registry reaches it by
// [Issuer.LookupNetIP] and [Issuer.DialContext], this process by [Issuer.Transport], and another process by the environment
// of [Issuer.Env]. Nothing lies on it before [Issuer.Publish].
type Issuer struct {
	// URL is the issuer, verbatim.
	URL string

	host            string
	server          *publisher.Server
	authorities     *x509.CertPool
	authoritiesFile string
	tunnels         *httptest.Server
}

// newIssuer serves the issuer of a control plane until the test ends.
func newIssuer(t testing.TB, plane *controlplane.ControlPlane) *Issuer {
	t.Helper()
	location, err := url.Parse(plane.Issuer())
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{URL: plane.Issuer(), host: location.Host, authorities: x509.NewCertPool()}
	i.server = publisher.Start(t, publisher.Options{Certificate: func(c *x509.Certificate) { c.DNSNames = []string{i.host} }})
	i.authorities.AppendCertsFromPEM([]byte(i.server.CA()))
	i.authoritiesFile = filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(i.authoritiesFile, []byte(i.server.CA()), 0o600); err != nil {
		t.Fatal(err)
	}
	i.tunnels = httptest.NewServer(http.HandlerFunc(i.tunnel))
	t.Cleanup(i.tunnels.Close)
	return i
}

// Publish serves a key set, and a discovery document that names an issuer.
func (i *Issuer) Publish(named, keys string) {
	i.server.Put(publisher.DiscoveryPath, fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, named, i.URL+publisher.KeySetPath),
		"Content-Type", "application/json")
	i.server.Put(publisher.KeySetPath, keys, "Content-Type", "application/jwk-set+json")
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
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no route to " + address)}
	}
	return new(net.Dialer).DialContext(ctx, network, i.server.Address())
}

// Transport reaches the issuer from this process.
func (i *Issuer) Transport() http.RoundTripper {
	transport := issuer.Transport(i.authorities)
	transport.DialContext, transport.Proxy = i.DialContext, nil
	return transport
}

// Env is the environment in which another process reaches the issuer and trusts it: by a proxy, which Go uses for no address
// on loopback, and by a file in the place of the system's authorities.
func (i *Issuer) Env() []string {
	return []string{"HTTPS_PROXY=" + i.tunnels.URL, "SSL_CERT_FILE=" + i.authoritiesFile}
}

// tunnel is a proxy that leads to the issuer alone (RFC 9110, section 9.3.6).
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
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	var both errgroup.Group
	both.Go(func() error { return pour(there, buffered) })
	both.Go(func() error { return pour(here, there) })
	_ = errors.Join(both.Wait(), here.Close(), there.Close()) // a broken tunnel shows at its ends
}

// pour copies until there is no more, and says so on the other side.
func pour(to net.Conn, from io.Reader) error {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		err = errors.Join(err, half.CloseWrite())
	}
	return err
}
