package emulator_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// rsaKey and the ECDSA keys are made once: making RSA keys is slow.
var (
	rsaKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })
	p256   = sync.OnceValues(func() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) })
	p384   = sync.OnceValues(func() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P384(), rand.Reader) })
)

// key takes a key out of one of the makers above.
func key[K crypto.Signer](t *testing.T, maker func() (K, error)) crypto.Signer {
	t.Helper()
	k, err := maker()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// publicJWK is the public half of a key as a JSON object, without a kid when
// it is empty.
func publicJWK(t *testing.T, kid string, k crypto.Signer) object {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKey{Key: k.Public(), KeyID: kid})
	if err != nil {
		t.Fatal(err)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func keySet(keys ...object) object { return object{"keys": keys} }

// sign makes a token. An empty kid leaves the header out.
func sign(t *testing.T, algorithm jose.SignatureAlgorithm, kid string, k any, claims object) string {
	t.Helper()
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: k, KeyID: kid}}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// podClaims are the claims of a token that the kubelet hands over.
func podClaims(issuer, audience string, now time.Time) object {
	return object{
		"iss": issuer, "aud": []string{audience}, "sub": "system:serviceaccount:payments:api",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(10 * time.Minute).Unix(),
		"kubernetes.io": object{
			"namespace":      "payments",
			"serviceaccount": object{"name": "api", "uid": noSuchID},
			"node":           object{"name": "node-3", "uid": noSuchID},
		},
	}
}

// with is a copy of an object with some members changed; a nil value takes
// the member out.
func with(in, changes object) object {
	out := maps.Clone(in)
	for member, value := range changes {
		if out[member] = value; value == nil {
			delete(out, member)
		}
	}
	return out
}

// webIssuer publishes its keys as OIDC discovery describes. It is at a public
// address of a network of its own, as the registry dials no other.
type webIssuer struct {
	server *httptest.Server
	// URL is the issuer.
	URL string
	// fetches counts how often the key set was asked for.
	fetches atomic.Int32

	mu       sync.Mutex
	keys     object
	document object // nil for the right one
}

func startIssuer(t *testing.T, keys object) *webIssuer {
	t.Helper()
	i := &webIssuer{keys: keys, URL: "https://issuer.example.com"} // the certificate of httptest is for it
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		document := i.document
		if document == nil {
			document = object{"issuer": i.URL, "jwks_uri": i.URL + "/keys"}
		}
		_ = json.NewEncoder(w).Encode(document)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.fetches.Add(1)
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = json.NewEncoder(w).Encode(i.keys)
	})
	i.server = httptest.NewUnstartedServer(mux)
	i.server.Config.ErrorLog = log.New(io.Discard, "", 0) // one test distrusts it
	i.server.StartTLS()
	t.Cleanup(i.server.Close)
	return i
}

// pool holds the issuer's authority.
func (i *webIssuer) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(i.server.Certificate())
	return pool
}

// The addresses of the issuer's network. The first is public; nobody has it
// (RFC 5737).
var issuerAddresses = map[string]string{
	"issuer.example.com": "203.0.113.1", "private.example.com": "10.1.2.3", "shared.example.com": "100.64.1.2",
	"loopback.example.com": "127.0.0.1", "metadata.example.com": "169.254.169.254",
}

// LookupNetIP implements emulator.Network.
func (i *webIssuer) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	address, known := issuerAddresses[host]
	if !known {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(address)}, nil
}

// DialContext implements emulator.Network: something is at the HTTPS port of
// the public and the private address alone.
func (i *webIssuer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !slices.Contains([]string{"203.0.113.1:443", "10.1.2.3:443"}, address) {
		return nil, fmt.Errorf("nobody is at %s", address)
	}
	return new(net.Dialer).DialContext(ctx, network, i.server.Listener.Addr().String())
}

// options are those of a registry in the issuer's network that trusts it.
func (i *webIssuer) options() emulator.Options {
	return emulator.Options{IssuerNetwork: i, IssuerCAs: i.pool()}
}

func (i *webIssuer) publish(keys, document object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys, i.document = keys, document
}

// clock is a registry's clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func startClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
