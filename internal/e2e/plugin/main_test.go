package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/kubelet/pkg/apis/credentialprovider/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestCredential(t *testing.T) {
	w := newWorld(t, emulator.Options{CITokenTTL: 10 * time.Minute})
	stdin := request(t, w.token(t, "team"))
	for _, test := range []struct {
		name string
		args []string
		env  map[string]string
		want time.Duration // the cache's
	}{
		{"flags", w.args("--provider-id=" + w.providerID), nil, 9 * time.Minute},
		{"the provider is found by the issuer", w.args(), nil, 9 * time.Minute},
		{"environment", nil, map[string]string{
			"AK_URL": w.registry.URL(), "AK_CA_FILE": w.caFile, "AK_PROVIDER_ID": w.providerID, "AK_CACHE_MARGIN": "2m", "AK_LOG": "debug",
		}, 8 * time.Minute},
		{"a flag beats the environment", w.args("--cache-margin=3m"), map[string]string{
			"AK_URL": "https://elsewhere.test", "AK_CACHE_MARGIN": "x",
		}, 7 * time.Minute},
		{"a margin beyond the lifetime: not to be cached", w.args("--cache-margin=1h"), nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ask(t, test.args, test.env, stdin)
			if err != nil {
				t.Fatal(err)
			}
			credential := got.Auth[w.registry.Host()]
			want := v1.CredentialProviderResponse{
				TypeMeta:     metav1.TypeMeta{APIVersion: "credentialprovider.kubelet.k8s.io/v1", Kind: "CredentialProviderResponse"},
				CacheKeyType: "Registry", CacheDuration: &metav1.Duration{Duration: test.want},
				Auth: map[string]v1.AuthConfig{w.registry.Host(): credential},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if credential.Username == "" || !w.accepts(t, credential) {
				t.Errorf("the registry does not take the credential of %q", credential.Username)
			}
		})
	}
}

// accepts reports whether the registry gives a token to pull with for a credential.
func (w *world) accepts(t *testing.T, credential v1.AuthConfig) bool {
	t.Helper()
	client, err := newClient(w.caFile)
	if err != nil {
		t.Fatal(err)
	}
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.registry.URL()+"/v2/token", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask.SetBasicAuth(credential.Username, credential.Password)
	answer, err := client.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func TestRefusal(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	elsewhere := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	good := request(t, w.token(t, "team"))
	for _, test := range []struct {
		name  string
		args  []string
		stdin string
		want  string
	}{
		{"another namespace", w.args(), request(t, w.token(t, "sandbox")), "401 Unauthorized: AUTH_ERROR: CI JWT did not match any identity mapping"},
		{"an unknown provider", w.args("--provider-id=8a0c5cfb-91a9-4a5f-b2ea-7c1d4c4fc9a1"), good, "404 Not Found: NOT_FOUND: "},
		{"a certificate of somebody else", []string{"--url=" + elsewhere.URL, "--ca-file=" + w.caFile}, good, "certificate"},
		{"no token", w.args(), request(t, ""), "set tokenAttributes"},
		{"an older request", w.args(), strings.Replace(good, "/v1", "/v1beta1", 1), "set apiVersion"},
		{"no request", w.args(), "{", "reading the kubelet's request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ask(t, test.args, nil, test.stdin)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestOtherAnswers is about servers that are no registry.
func TestOtherAnswers(t *testing.T) {
	const token = "eyJ.presented.token"
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "something else than JSON"},
		{"nothing in it", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }, "without username or access_token"},
		{"an echo of the token", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusBadGateway)
		}, "502 Bad Gateway: Bearer (token)"},
		{"a redirect is not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
		{"no answer in time", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "exceeded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			_, err := ask(t, []string{"--url=" + server.URL, "--insecure-http", "--timeout=1s"}, nil, request(t, token))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), token) {
				t.Errorf("the error holds the token: %s", err)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	notPEM := t.TempDir() + "/ca.crt"
	if err := os.WriteFile(notPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no address", nil, "--url: the address of the registry is missing"},
		{"http", []string{"--url=http://ak.test"}, "clear text"},
		{"a bare host", []string{"--url=ak.test"}, "such as https://ak.example.com"},
		{"a password in the address", []string{"--url=https://u:secret@ak.test"}, "such as https://ak.example.com"},
		{"a timeout without a unit", []string{"--url=https://ak.test", "--timeout=10"}, "--timeout: "},
		{"a negative margin", []string{"--url=https://ak.test", "--cache-margin=-1s"}, "--cache-margin: -1s is negative"},
		{"an unknown level", []string{"--url=https://ak.test", "--log-level=loud"}, "--log-level: "},
		{"no such file", []string{"--url=https://ak.test", "--ca-file=/no/such/file"}, "--ca-file: "},
		{"no PEM", []string{"--url=https://ak.test", "--ca-file=" + notPEM}, "holds no PEM certificate"},
		{"an unknown flag", []string{"--registry=https://ak.test"}, "-registry"},
		{"an argument", []string{"--url=https://ak.test", "x"}, `no flag: "x"`},
		{"help", []string{"--help"}, "--ca-file (AK_CA_FILE)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ask(t, test.args, nil, "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error holds the password: %s", err)
			}
		})
	}
}
