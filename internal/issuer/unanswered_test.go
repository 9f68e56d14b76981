package issuer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// named is a server whose certificate is for names that do not exist.
func named(t *testing.T) *publisher.Server {
	t.Helper()
	return publisher.Start(t, publisher.Options{Certificate: func(c *x509.Certificate) {
		c.DNSNames = []string{"oidc.example.test", "keys.example.test"}
	}})
}

func TestStatus(t *testing.T) {
	to := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", time.Now().String())
			w.WriteHeader(code)
			fmt.Fprintf(w, "%s<RequestId>%s</RequestId>", body, time.Now())
		}
	}
	servers := []*publisher.Server{publisher.Start(t, publisher.Options{}), publisher.Start(t, publisher.Options{HTTP2: true})}
	cases := map[string]struct {
		handler       http.HandlerFunc
		found, remedy string
	}{
		"401":                   {status(401, ""), "answered 401 Unauthorized", "no credential"},
		"403":                   {status(403, ""), "answered 403 Forbidden", "Let everybody read this object"},
		"403 of S3":             {status(403, "<Error><Code>AccessDenied</Code>"), "answered 403 Forbidden (AccessDenied)", "not there when nobody may list"},
		"404":                   {nil, "answered 404 Not Found", "under exactly this address"},
		"404 of Azure":          {status(404, "<?xml?><Error><Code>BlobNotFound</Code>"), "answered 404 Not Found (BlobNotFound)", "under exactly this address"},
		"an odd word":           {status(404, "<Code>eyJhbGciOi.secret</Code>"), "answered 404 Not Found", "under exactly this address"},
		"410":                   {status(410, ""), "answered 410 Gone", "under exactly this address"},
		"429":                   {status(429, ""), "answered 429 Too Many Requests", "Try again"},
		"503":                   {status(503, ""), "answered 503 Service Unavailable", "Try again"},
		"an unknown one":        {status(599, ""), "answered 599", "Try again"},
		"201":                   {status(201, "{}"), "answered 201 Created", "status 200"},
		"204":                   {bare(http.StatusNoContent), "answered 204 No Content", "status 200"},
		"redirect to a host":    {to("https://login.example.test/sign-in?token=secret"), `answered 302 Found, a redirect to another host, "login.example.test"`, "at this address itself"},
		"redirect to http":      {to("http://127.0.0.1/"), "a redirect to an address without TLS", "at this address itself"},
		"redirect on the host":  {to("/other/" + time.Now().String()), "a redirect to another address on the same host", "at this address itself"},
		"redirect to nowhere":   {bare(http.StatusFound), "a redirect to nowhere", "at this address itself"},
		"redirect to nonsense":  {to("https://a b/"), "a redirect to an address that cannot be read", "at this address itself"},
		"not asked to compress": {encoded("br"), `answered in the encoding "br"`, "without compression"},
		"not compressed":        {encoded("gzip"), "answered with something else than gzip", "without a Content-Encoding"},
		"breaks off":            {breaksOff, "answered in part, and broke off", "Try again"},
		"is cut":                {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the connection was closed before one", "Try again"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, server := range servers {
				location := server.Issue("", set(t, key(t, "a")))
				server.Handle(publisher.DiscoveryPath, c.handler)
				published := read(t, trusting(t, nil, server), location, "GET "+location+publisher.DiscoveryPath+" ")
				says(t, published, c.found, c.remedy)

				location = server.Issue("", set(t, key(t, "a")))
				server.Handle(publisher.KeySetPath, c.handler)
				published = read(t, trusting(t, nil, server), location, "GET "+location+publisher.KeySetPath+" ")
				says(t, published, c.found, c.remedy)
				if published.JWKSURI == "" || published.Issuer == "" {
					t.Errorf("what could be read is not there: %+v", published)
				}
			}
		})
	}
}

func TestProxy(t *testing.T) {
	for status, found := range map[int]string{
		http.StatusForbidden:         "the proxy that the environment names answered 403 Forbidden",
		http.StatusProxyAuthRequired: "the proxy that the environment names answered 407 Proxy Authentication Required",
		599:                          "the proxy that the environment names answered 599",
	} {
		proxy := httptest.NewServer(bare(status))
		t.Cleanup(proxy.Close)
		location, err := url.Parse(proxy.URL)
		if err != nil {
			t.Fatal(err)
		}
		location.User = url.UserPassword("u", "hunter2")
		transport := issuer.Transport(nil)
		transport.Proxy = http.ProxyURL(location)
		published := read(t, transport, "https://oidc.example.test", "got no answer: "+found)
		if text := published.Problems[0].String(); !strings.Contains(text, "HTTPS_PROXY") || strings.Contains(text, "hunter2") {
			t.Error(text)
		}
	}
}

func bare(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func encoded(encoding string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		fmt.Fprint(w, `{"issuer":"x","jwks_uri":"x"}`)
	}
}

func breaksOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, "{")
}

func says(t *testing.T, published *issuer.Published, found, remedy string) {
	t.Helper()
	last := published.Problems[len(published.Problems)-1]
	if !strings.Contains(last.Found, found) || !strings.Contains(last.Remedy, remedy) || strings.Contains(last.String(), "secret") {
		t.Errorf("%s\nshould say %q and %q", last, found, remedy)
	}
	if published.Keys != nil || published.Answer != nil {
		t.Error("there are keys")
	}
}

func TestCertificates(t *testing.T) {
	cases := map[string]struct {
		change  func(*x509.Certificate)
		trusted bool
		found   string
	}{
		"expired": {func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 3, 1, 23, 0, 0, 0, time.UTC)
		}, true, "the certificate of 127.0.0.1 has expired on 2025-03-01"},
		"not yet valid": {func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Date(2124, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2125, 3, 1, 0, 0, 0, 0, time.UTC)
		}, true, "the certificate of 127.0.0.1 is not valid before 2124-01-01"},
		"another host": {func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"a.example.test", "b.example.test"}
		}, true, `the certificate is for a.example.test, b.example.test and not for "127.0.0.1"`},
		"another address": {func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 2)} }, true,
			`the certificate is for 127.0.0.2 and not for "127.0.0.1"`},
		"many hosts": {func(c *x509.Certificate) {
			for i := range 30 {
				c.DNSNames = append(c.DNSNames, fmt.Sprintf("%d.example.test", i))
			}
			c.IPAddresses = nil
		}, true, "the certificate is for 0.example.test, 1.example.test,"},
		"no host":           {func(c *x509.Certificate) { c.IPAddresses = nil }, true, "the certificate is for no host at all and not for"},
		"unknown authority": {nil, false, "the certificate of 127.0.0.1 is signed by an authority that is not known here"},
		"for something else": {func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}, true, "the certificate of 127.0.0.1 cannot be used: x509: certificate specifies an incompatible key usage"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := publisher.Start(t, publisher.Options{Certificate: c.change})
			transport := trusting(t, nil)
			if c.trusted {
				transport = trusting(t, nil, server)
			}
			read(t, transport, server.URL(), "got no answer: "+c.found)
		})
	}
}

// dials is a network on which every connection fails in one way.
func dials(err error) http.RoundTripper {
	transport := issuer.Transport(nil)
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, err }
	return transport
}

func TestUnanswered(t *testing.T) {
	const location = "https://oidc.example.test"
	closed := publisher.Start(t, publisher.Options{})
	closed.Close()
	plain := publisher.Start(t, publisher.Options{ClearText: true})
	modern := publisher.Start(t, publisher.Options{})
	old := trusting(t, nil, modern)
	old.TLSClientConfig.MinVersion, old.TLSClientConfig.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	resolver := func(d net.DNSError) error { return &net.OpError{Op: "dial", Net: "tcp", Err: &d} }
	cases := map[string]struct {
		transport http.RoundTripper
		location  string
		found     string
	}{
		"no such name":  {dials(resolver(net.DNSError{Err: "no such host", Name: "x", Server: "10.1.1.1:53", IsNotFound: true})), location, `the name "oidc.example.test" does not resolve`},
		"no resolver":   {dials(resolver(net.DNSError{Err: "server misbehaving", Name: "x", Server: "10.1.1.1:53"})), location, `the resolver did not say where "oidc.example.test" is`},
		"slow resolver": {dials(resolver(net.DNSError{Err: "i/o timeout", Name: "x", Server: "10.1.1.1:53", IsTimeout: true})), location, "the resolver did not say"},
		"nobody there":  {trusting(t, nil), closed.URL(), "connection refused"},
		"no route": {
			dials(&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 443}, Err: os.NewSyscallError("connect", errors.New("no route to host"))}), location,
			"got no answer: no route to host",
		},
		"a proxy": {
			dials(&net.OpError{Op: "proxyconnect", Net: "tcp", Err: errors.New("dial tcp 10.1.1.1:3128")}), location,
			"the proxy that the environment names does not let it through",
		},
		"no TLS":      {trusting(t, nil), plain.URL(), "the server does not speak TLS on this port"},
		"old TLS":     {old, modern.URL(), "the server broke off the TLS handshake: tls: protocol version not supported"},
		"http":        {dials(errors.New("dialed")), "http://oidc.example.test", "it is not an https URL"},
		"no URL":      {dials(errors.New("dialed")), "https://a b", "it is not a URL"},
		"empty":       {dials(errors.New("dialed")), "", "it is not an https URL"},
		"a query":     {dials(errors.New("dialed")), "https://oidc.example.test/?sig=hunter2", "https://oidc.example.test/ cannot be an issuer: it has a query"},
		"a fragment":  {dials(errors.New("dialed")), "https://oidc.example.test#", "it has a fragment"},
		"a password":  {dials(errors.New("dialed")), "https://u:hunter2@oidc.example.test", "it has a user name or a password"},
		"a long text": {dials(errors.New(strings.Repeat("long ", 100_000))), location, "long …"},
		"a token": {
			dials(errors.New("Bearer hunter2hunter2")), location, "Bearer (redacted)",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			published := read(t, c.transport, c.location, c.found)
			if strings.Contains(published.Problems[0].String(), "hunter2") {
				t.Error("a password is shown")
			}
		})
	}
}

// waits is a network on which nothing comes, or nothing after the header.
type waits struct{ header bool }

func (w waits) RoundTrip(request *http.Request) (*http.Response, error) {
	if !w.header {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body{request.Context()}, Request: request}, nil
}

type body struct{ ctx context.Context }

func (b body) Close() error { return nil }

func (b body) Read(p []byte) (int, error) {
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-time.After(time.Second): // a byte a second
		return copy(p, " "), nil
	}
}

func TestSlow(t *testing.T) {
	for header, found := range map[bool]string{false: "got no answer: there was none within 10s", true: "did not answer in full within 10s"} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			read(t, waits{header}, "https://oidc.example.test", found)
			if took := time.Since(begin); took != 2*issuer.Timeout {
				t.Errorf("two reads took %s", took)
			}
		})
	}
}
