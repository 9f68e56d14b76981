package emulator_test

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// trusting is a client that trusts a server.
func trusting(t *testing.T, server *emulator.Server, certificates ...tls.Certificate) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(server.CACertificate()))
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: certificates,
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

func start(t *testing.T, options emulator.Options) *emulator.Server {
	t.Helper()
	server, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, client *http.Client, location string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, location, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

// refused requires that a server does not serve a client, and says why not.
func refused(t *testing.T, client *http.Client, server *emulator.Server) error {
	t.Helper()
	response, err := client.Get(server.URL() + "/health")
	if err == nil {
		_ = response.Body.Close()
		t.Fatalf("the client was served: %s", response.Status)
	}
	return err
}

func TestServerCertificate(t *testing.T) {
	t.Parallel()
	server := start(t, emulator.Options{Address: "127.0.0.1:0", Hosts: []string{"registry.example.test", "127.0.0.2"}})
	location, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := trusting(t, server)
	for _, name := range []string{"127.0.0.1", "localhost", "::1", "registry.example.test", "127.0.0.2"} {
		t.Run(name, func(t *testing.T) {
			config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
			config.ServerName = name
			connection, err := tls.Dial("tcp", location.Host, config)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, connection)
		})
	}
	other := start(t, emulator.Options{})
	if err := refused(t, trusting(t, other), server); !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want one server's authority not to vouch for another", err)
	}
}

func TestClientCertificate(t *testing.T) {
	t.Parallel()
	private := key(t, p256).(*ecdsa.PrivateKey)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "client"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	server := start(t, emulator.Options{ClientCAs: pool})
	if err := refused(t, trusting(t, server), server); !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want a client without a certificate to be turned away", err)
	}
	client := trusting(t, server, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private})
	if status := get(t, client, server.URL()+"/health"); status != http.StatusOK {
		t.Errorf("status %d, want 200", status)
	}
}

func TestBasePathAndPlainHTTP(t *testing.T) {
	t.Parallel()
	server := start(t, emulator.Options{BasePath: "/registry", PlainHTTP: true})
	if !strings.HasPrefix(server.URL(), "http://127.0.0.1:") || !strings.HasSuffix(server.URL(), "/registry") || server.CACertificate() != "" {
		t.Errorf("URL %s and authority %q", server.URL(), server.CACertificate())
	}
	for location, want := range map[string]int{
		server.URL() + "/health":                        http.StatusOK,
		server.URL() + "/api/v1/groups":                 http.StatusUnauthorized,
		strings.TrimSuffix(server.URL(), "/registry"):   http.StatusNotFound,
		"http://" + server.Host() + "/health":           http.StatusNotFound,
		"http://" + server.Host() + "/registryx/health": http.StatusNotFound,
	} {
		if got := get(t, http.DefaultClient, location); got != want {
			t.Errorf("%s: status %d, want %d", location, got, want)
		}
	}
	if log := server.Requests(); len(log) != 2 || log[0].Path == log[1].Path || strings.Contains(log[0].Path, "registry") {
		t.Errorf("log %+v, want two paths without the base path", log)
	}
}

func TestAccessProxy(t *testing.T) {
	t.Parallel()
	x := &target{}
	server := start(t, emulator.Options{RequireHeaders: map[string]string{"X-Access": "letmein"}})
	x.url, x.client, x.token = server.URL(), trusting(t, server), server.Token()
	wantHTML(t, x.guest(t, "GET", "/health"), http.StatusForbidden)
	x.ask(t, question{method: "GET", path: "/health", header: http.Header{"X-Access": {"letmein"}}}).want(t, http.StatusOK)
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	if _, err := emulator.Start(emulator.Options{Profile: "0.9"}); err == nil || !strings.Contains(err.Error(), "1.8, 1.10, 1.11, next") {
		t.Errorf("error %v, want the profiles that there are", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, taken)
	if _, err := emulator.Start(emulator.Options{Address: taken.Addr().String()}); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("error %v, want the address that is taken", err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	server := start(t, emulator.Options{})
	client := trusting(t, server)
	get(t, client, server.URL()+"/health")
	server.Close()
	server.Close()
	_ = refused(t, client, server) // in whatever way the system does it
}

// TestBodyLimit refuses what no JSON request of this API is as large as.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	x.admin(t, "POST", providersPath, `"`+strings.Repeat("x", 1<<20)+`"`).wantPlain(t, http.StatusRequestEntityTooLarge)
}

// TestManyClients lets the race detector see every part at once.
func TestManyClients(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	c := x.cluster(t, nil)
	x.mapping(t, c.provider, object{"claim_filters": object{}})
	token := c.token(t)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for range 5 {
				x.admin(t, "POST", mappingsOf(c.provider), object{"name": "m", "priority": n, "claim_filters": object{"sub": n}})
				x.exchange(t, token)
				x.admin(t, "GET", mappingsOf(c.provider))
				x.emulator.State()
				x.emulator.Requests()
				x.emulator.Inject(emulator.Fault{Kind: emulator.UnavailableBefore, Path: "/nowhere", Times: 1}).Remove()
				x.emulator.AddGroup("g", "")
			}
		})
	}
	group.Wait()
	state := x.emulator.State()
	if len(state.Mappings) != 41 || len(state.Groups) != 40 {
		t.Errorf("%d mappings and %d groups, want 41 and 40", len(state.Mappings), len(state.Groups))
	}
}
