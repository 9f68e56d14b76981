package emulator_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
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

// webIssuer publishes its keys as OIDC discovery describes.
type webIssuer struct {
	*httptest.Server
	pool *x509.CertPool
	// fetches counts how often the key set was asked for.
	fetches atomic.Int32

	mu       sync.Mutex
	keys     object
	document object // nil for the right one
}

func startIssuer(t *testing.T, keys object) *webIssuer {
	t.Helper()
	i := &webIssuer{keys: keys}
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
	i.Server = httptest.NewUnstartedServer(mux)
	i.Config.ErrorLog = log.New(io.Discard, "", 0) // one test distrusts it
	i.StartTLS()
	t.Cleanup(i.Close)
	i.pool = x509.NewCertPool()
	i.pool.AddCert(i.Certificate())
	return i
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
