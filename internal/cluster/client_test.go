package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func TestEveryWayToConnect(t *testing.T) {
	plane := controlplane.Shared(t)
	cert, key, err := plane.ClientCertificate("jane", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := plane.WriteKubeconfig(kubeconfig, controlplane.Admin); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(plane.URL(), "https://")
	for name, config := range map[string]Config{
		"token":              {Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin)},
		"bare host":          {Host: host, ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin)},
		"server name":        {Host: host, ClusterCACertificate: plane.CA(), TLSServerName: "kubernetes.default.svc", Token: plane.Token(controlplane.Admin)},
		"insecure":           {Host: host, Insecure: true, Token: plane.Token(controlplane.Admin)},
		"client certificate": {Host: host, ClusterCACertificate: plane.CA(), ClientCertificate: cert, ClientKey: key},
		"kubeconfig":         {ConfigPaths: []string{kubeconfig}, ConfigContext: controlplane.Context},
	} {
		t.Run(name, func(t *testing.T) {
			client := connect(t, config)
			version, err := client.ServerVersion(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if version.Major != "1" || !strings.HasPrefix(version.GitVersion, "v1.") {
				t.Errorf("version %v", version)
			}
			if _, err := client.ClusterRole(t.Context(), "cluster-admin"); err != nil {
				t.Error(err)
			}
		})
	}
}

// A command's credential is kept for as long as it works: one that the API server refuses is asked for anew.
func TestExecRunsWhenACredentialIsNeeded(t *testing.T) {
	plane := controlplane.Shared(t)
	dir := t.TempDir()
	token, calls := filepath.Join(dir, "token"), filepath.Join(dir, "calls")
	command, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	client := connect(t, Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Exec: &Exec{
		APIVersion: "client.authentication.k8s.io/v1", Command: command, Args: []string{"get-token", "--cluster=a"},
		Env: map[string]string{execTokenFile: token, execCalls: calls},
	}})
	if _, err := os.Stat(calls); err == nil {
		t.Error("the command ran before there was a need")
	}

	_, err = client.ClusterRole(t.Context(), "cluster-admin")
	contains(t, err, "getting credentials: exec: executable", "exit code 3", "The exec command of the connection gave no credential")

	writeFile(t, token, "expired")
	_, err = client.ClusterRole(t.Context(), "cluster-admin")
	contains(t, err, "answered 401 Unauthorized", "The credential that the exec command printed was refused")

	writeFile(t, token, plane.Token(controlplane.Admin))
	// The refusal made it run again, still with the old token; this refusal brings the new one.
	_, err = client.ClusterRole(t.Context(), "cluster-admin")
	contains(t, err, "answered 401 Unauthorized")
	for range 3 {
		if _, err := client.ClusterRole(t.Context(), "cluster-admin"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("get-token --cluster=a\n", 4); string(text) != want {
		t.Errorf("calls:\n%swant:\n%s", text, want)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUnauthorizedAdvice(t *testing.T) {
	plane := controlplane.Shared(t)
	for name, test := range map[string]struct {
		config  Config
		answers string
		says    string
	}{
		"token":    {Config{Token: "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln"}, "401 Unauthorized", "The token is refused"},
		"password": {Config{Username: "admin", Password: "hunter22"}, `403 Forbidden`, "no basic authentication since Kubernetes 1.19"},
		"nothing":  {Config{}, `403 Forbidden`, "No credentials are given"},
	} {
		t.Run(name, func(t *testing.T) {
			test.config.Host, test.config.ClusterCACertificate = plane.URL(), plane.CA()
			_, err := connect(t, test.config).ClusterRole(t.Context(), "x")
			contains(t, err, `get ClusterRole "x": the API server `+plane.URL()+" answered "+test.answers, test.says)
		})
	}
	for kind, says := range map[identity]string{
		byCertificate: "client certificate is refused", byPod: "ServiceAccount token is refused",
	} {
		if got := (&Client{identity: kind}).adviseUnauthorized(); !strings.Contains(got, says) {
			t.Errorf("%q does not say %q", got, says)
		}
	}
}

func TestForbiddenAdvice(t *testing.T) {
	client := as(t, controlplane.Nobody)
	_, err := client.ClusterRole(t.Context(), "x")
	if !IsForbidden(err) || IsNotFound(err) {
		t.Errorf("not told as forbidden: %v", err)
	}
	contains(t, err, "answered 403 Forbidden", `User "nobody" cannot get resource "clusterroles"`,
		"needs the verb get on clusterroles of API group rbac.authorization.k8s.io")
	_, err = client.CreateToken(t.Context(), TokenRequest{Namespace: "default", ServiceAccount: "default", Audience: "a"})
	contains(t, err, "403", `the verb create on serviceaccounts/token of API group "": a Role in namespace default`)
}

func TestUnansweredAdvice(t *testing.T) {
	plane := controlplane.Shared(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	release := make(chan struct{})
	silent := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer silent.Close()
	defer close(release)

	for name, test := range map[string]struct {
		config Config
		says   []string
	}{
		"nobody listens": {Config{Host: closed}, []string{"connection refused", "Nothing listens there", "https://" + closed}},
		"unknown authority": {
			Config{Host: plane.URL()}, []string{"x509: certificate signed by unknown authority", "kubernetes.cluster_ca_certificate"},
		},
		"other name": {
			Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), TLSServerName: "api.test"},
			[]string{"x509: certificate is valid for", "kubernetes.tls_server_name"},
		},
		"no TLS":       {Config{Host: "https://" + plain.Listener.Addr().String()}, []string{"server gave HTTP response to HTTPS client", "check kubernetes.host"}},
		"no such name": {Config{Host: "https://api.invalid"}, []string{"kubernetes.host", "VPN"}},
		"silence":      {Config{Host: silent.URL, Insecure: true, Timeout: 50 * time.Millisecond}, []string{"No answer in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connect(t, test.config).ClusterRole(t.Context(), "x")
			contains(t, err, test.says...)
			var e *Error
			if !errors.As(err, &e) || e.Code != 0 || e.Verb != "get" || e.Resource != "clusterroles" || e.Name != "x" {
				t.Errorf("error %#v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := as(t, controlplane.Admin).ClusterRole(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap the context's error", err)
	}
}

// answering is a client of something that pretends to be an API server.
func answering(t *testing.T, config Config, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	config.Host, config.Insecure = server.URL, true
	return connect(t, config)
}

func TestOnlyTheAPIServersOwnNotFoundCounts(t *testing.T) {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"NotFound","details":{"name":%q,"kind":%q},"code":404}`
	for name, test := range map[string]struct {
		contentType, body string
		notFound          bool
		says              string
	}{
		"the object":         {"application/json", fmt.Sprintf(status, "x", "clusterroles"), true, "404"},
		"another object":     {"application/json", fmt.Sprintf(status, "y", "clusterroles"), false, "404"},
		"its namespace":      {"application/json", fmt.Sprintf(status, "x", "namespaces"), false, "404"},
		"a proxy's page":     {"text/html", "<html>\n  <h1>Not here</h1>" + strings.Repeat(".", 400), false, "<h1>Not here</h1>......"},
		"no body":            {"text/plain", "", false, "(no text)"},
		"JSON of some other": {"application/json", `{"error":"not found"}`, false, "something in between"},
	} {
		t.Run(name, func(t *testing.T) {
			client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, test.body)
			})
			_, err := client.ClusterRole(t.Context(), "x")
			contains(t, err, test.says)
			if got := IsNotFound(err); got != test.notFound {
				t.Errorf("IsNotFound says %v of %v", got, err)
			}
		})
	}
}

func TestCredentialsAreBlankedOut(t *testing.T) {
	const token = "opaque-token-of-mine"
	const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2lnbmF0dXJl"
	client := answering(t, Config{Token: token}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "upstream refused %s and %s and authorization: bearer abcdefghijkl", r.Header.Get("Authorization"), jwt)
	})
	_, err := client.ClusterRole(t.Context(), "x")
	contains(t, err, "502 Bad Gateway", "upstream refused", "(redacted)", "something in between")
	for _, secret := range []string{token, jwt, "abcdefghijkl"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s stands in: %v", secret, err)
		}
	}
}

func TestEndlessAnswerIsCutOff(t *testing.T) {
	client := answering(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	_, err := client.ClusterRole(t.Context(), "x")
	contains(t, err, "the answer is longer than 32 MiB")
}

func TestServerTroubleIsRetriedWhenTheServerSaysWhen(t *testing.T) {
	calls := 0
	client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is down","reason":"ServiceUnavailable","code":503}`)
	})
	_, err := client.ClusterRole(t.Context(), "x")
	contains(t, err, "503 Service Unavailable: etcd is down", "Run it again later")
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}

func TestWarningsAndUserAgent(t *testing.T) {
	var warnings, agents []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		w.Header().Set("Warning", `299 - "this API is deprecated"`)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"major":"1","minor":"34","gitVersion":"v1.34.3"}`)
	}
	for _, config := range []Config{
		{},
		{UserAgent: "test/1", Warn: func(_ context.Context, text string) { warnings = append(warnings, text) }},
	} {
		if _, err := answering(t, config, handler).ServerVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(warnings, "|"); got != "this API is deprecated" {
		t.Errorf("warnings %q", got)
	}
	if got := strings.Join(agents, "|"); got != "terraform-provider-aktrust|test/1" {
		t.Errorf("agents %q", got)
	}
	broken := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "welcome") })
	_, err := broken.ServerVersion(t.Context())
	contains(t, err, "get /version")
}
