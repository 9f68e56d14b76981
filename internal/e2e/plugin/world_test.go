package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	v1 "k8s.io/kubelet/pkg/apis/credentialprovider/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const (
	issuer   = "https://oidc.cluster.test"
	audience = "artifact-keeper"
	image    = "ak.test/team/app"
)

// world is a registry that trusts a cluster, and that cluster's key.
type world struct {
	registry   *emulator.Server
	providerID string
	signer     jose.Signer
	caFile     string
}

func newWorld(t *testing.T, options emulator.Options) *world {
	t.Helper()
	registry, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(registry.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := jose.JSONWebKey{Key: key, KeyID: "kid", Algorithm: string(jose.ES256)}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private}, nil)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := registry.AddProvider(emulator.Provider{
		Name: "cluster", ProviderType: "kubernetes", IssuerURL: issuer, Audience: audience, IsEnabled: true, KeySource: "static",
		StaticJWKS: encode(t, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{private.Public()}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = registry.AddMapping(emulator.Mapping{
		ProviderID: provider.ID, Name: "team", IsEnabled: true, ClaimFilters: json.RawMessage(`{"/kubernetes.io/namespace": "team"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{registry: registry, providerID: provider.ID, signer: signer, caFile: filepath.Join(t.TempDir(), "ca.crt")}
	if err := os.WriteFile(w.caFile, []byte(registry.CACertificate()), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// token is one of a ServiceAccount in a namespace, good for an hour.
func (w *world) token(t *testing.T, namespace string) string {
	t.Helper()
	now := time.Now()
	signed, err := w.signer.Sign(encode(t, map[string]any{
		"iss": issuer, "aud": []string{audience}, "sub": "system:serviceaccount:" + namespace + ":app",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		"kubernetes.io": map[string]any{"namespace": namespace, "serviceaccount": map[string]any{"name": "app"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// args are flags for the registry, with more after them.
func (w *world) args(more ...string) []string {
	return append([]string{"--url=" + w.registry.URL(), "--ca-file=" + w.caFile}, more...)
}

// request is what a kubelet writes to the plugin.
func request(t *testing.T, token string) string {
	t.Helper()
	in := v1.CredentialProviderRequest{Image: image, ServiceAccountToken: token}
	in.APIVersion, in.Kind = apiVersion, "CredentialProviderRequest"
	return string(encode(t, in))
}

// ask runs the plugin and gives its answer, decoded as strictly as a kubelet does it.
func ask(t *testing.T, args []string, env map[string]string, stdin string) (answer v1.CredentialProviderResponse, err error) {
	t.Helper()
	var out, logs bytes.Buffer
	getenv := func(name string) string { return env[name] }
	if err = run(t.Context(), args, getenv, strings.NewReader(stdin), &out, &logs); err != nil {
		if out.Len() > 0 {
			t.Errorf("together with the error %q there is an answer: %s", err, out.String())
		}
		return answer, err
	}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answer); err != nil {
		t.Fatalf("the answer is no CredentialProviderResponse: %s", err)
	}
	return answer, nil
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
