package issuer_test

import (
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

type jwk map[string]any

// key is a public key that follows from its kid.
func key(t testing.TB, kid string, more ...jwk) jwk {
	t.Helper()
	scalar := sha256.Sum256([]byte(kid))
	private, err := ecdh.P256().NewPrivateKey(scalar[:])
	if err != nil {
		t.Fatal(err)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), private.PublicKey().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(jose.JSONWebKey{Key: public, KeyID: kid, Use: "sig", Algorithm: "ES256"})
	if err != nil {
		t.Fatal(err)
	}
	out := jwk{}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	for _, members := range more {
		maps.Copy(out, members)
	}
	return out
}

// rsa is an RSA key of so many bits, as far as anybody sees who does not factor it.
func rsa(kid string, bits int) jwk {
	n := make([]byte, bits/8)
	for i := range n {
		n[i] = byte(i)*31 + 7
	}
	n[0] |= 0x80
	n[len(n)-1] |= 1
	return jwk{"kty": "RSA", "n": base64.RawURLEncoding.EncodeToString(n), "e": "AQAB", "kid": kid}
}

func set(t testing.TB, keys ...jwk) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) *jwks.Set {
	t.Helper()
	parsed, err := jwks.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// trusting is a transport that trusts the servers, and takes each name to the server that stands for it. No other name
// resolves.
func trusting(t testing.TB, names map[string]*publisher.Server, servers ...*publisher.Server) *http.Transport {
	t.Helper()
	pool := x509.NewCertPool()
	for _, server := range servers {
		pool.AppendCertsFromPEM([]byte(server.CA()))
	}
	transport := issuer.Transport(pool)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if server := names[strings.ToLower(host)]; server != nil {
			return dial(ctx, network, server.Address())
		}
		if net.ParseIP(host) == nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}
		return dial(ctx, network, address)
	}
	return transport
}

// read reads an issuer twice and expects the same, with these problems in this order.
func read(t testing.TB, transport http.RoundTripper, location string, problems ...string) *issuer.Published {
	t.Helper()
	reader := issuer.NewReader(transport)
	published, err := reader.Read(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	again, err := reader.Read(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(published, again, cmpopts.IgnoreFields(issuer.Published{}, "Keys")); diff != "" {
		t.Errorf("the second read is another:\n%s", diff)
	}
	if !published.Keys.Equal(again.Keys) {
		t.Error("the second read has other keys")
	}
	if len(published.Problems) != len(problems) {
		t.Errorf("%d problems, want %d", len(published.Problems), len(problems))
	}
	for i, problem := range published.Problems {
		sentences(t, problem)
		if i < len(problems) && !strings.Contains(problem.Found, problems[i]) {
			t.Errorf("this does not say %q", problems[i])
		}
	}
	if t.Failed() {
		for _, problem := range published.Problems {
			t.Log(problem)
		}
	}
	return published
}

// volatile are ports of connections, and times.
var volatile = regexp.MustCompile(`->|\d\d:\d\d|\d+(\.\d+)? ?(ms|µs)\b`)

// sentences expects that a problem says all three things, in sentences of a bearable length.
func sentences(t testing.TB, problem issuer.Problem) {
	t.Helper()
	if problem.Found == "" || strings.HasSuffix(problem.Found, ".") || len(problem.Found) > 1000 {
		t.Errorf("found: %q", problem.Found)
	}
	for _, text := range []string{problem.Means, problem.Remedy} {
		if !strings.HasSuffix(text, ".") || len(text) > 500 {
			t.Errorf("not a sentence: %q", text)
		}
	}
	if volatile.MatchString(problem.String()) || strings.ContainsAny(problem.String(), "\r\n\t") {
		t.Errorf("this may be another the next time, or has lines: %q", problem)
	}
}
