package trust_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

func TestMain(m *testing.M) { os.Exit(controlplane.Main(m)) }

const (
	account = "api"
	host    = "ak.test"
	key     = "images"
)

// world is a chain in which everything holds: a real API server, the emulator of the registry, and the kubelet's file.
// The audience is the test's own, because the API server is shared.
type world struct {
	t        *testing.T
	plane    *controlplane.ControlPlane
	registry *emulator.Server
	cluster  *cluster.Client
	sources  trust.Sources
	request  trust.Request

	namespace, audience          string
	provider, mapping, group     string // ids
	repository, mappingAccountID string
}

func newWorld(t *testing.T, options emulator.Options) *world {
	t.Helper()
	plane := controlplane.Shared(t)
	registry, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(registry.Close)
	w := &world{t: t, plane: plane, registry: registry, namespace: plane.Namespace(t)}
	w.audience = "ak-" + w.namespace
	admin := plane.As(controlplane.Admin)
	w.must(admin.EnsureServiceAccount(t.Context(), w.namespace, account, nil))
	w.must(admin.EnsureNode(t.Context(), controlplane.Node))
	w.cluster, err = cluster.New(cluster.Config{
		Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin),
	})
	w.must(err)
	w.sources = trust.Sources{
		Cluster: trust.FromClient(w.cluster), Registry: w.client(registry.CACertificate()), Publisher: trust.NewPublisher(nowhere{}),
	}
	w.fill()
	w.grant(w.audience, nil)
	w.request = trust.Request{
		Namespace: w.namespace, ServiceAccount: account, Image: host + "/" + key + "/app:1",
		KubeletConfig: w.file(host, w.audience, "v1"),
	}
	return w
}

// fill makes what the registry needs for a pull.
func (w *world) fill() {
	documents, err := w.cluster.OIDCDocuments(w.t.Context())
	w.must(err)
	provider, err := w.registry.AddProvider(emulator.Provider{
		Name: "cluster", ProviderType: "kubernetes", IssuerURL: documents.Issuer, Audience: w.audience, IsEnabled: true,
		KeySource: "static", StaticJWKS: json.RawMessage(documents.JWKS),
	})
	w.must(err)
	w.provider = provider.ID
	w.group = w.registry.AddGroup("pullers", "").ID
	w.repository = w.registry.AddRepository(emulator.Repository{Key: key}).ID
	w.registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: w.group, TargetType: "repository", TargetID: w.repository,
	})
	w.mapping = w.addMapping(emulator.Mapping{Name: "team", Priority: 100, GroupBindingIDs: []string{w.group}},
		map[string]any{"/kubernetes.io/namespace": w.namespace, "/kubernetes.io/serviceaccount/name": []string{account, "worker"}})
	for _, a := range w.registry.State().Accounts {
		if a.MappingID == w.mapping {
			w.mappingAccountID = a.ID
		}
	}
	_, err = w.registry.AddImage(emulator.Image{Repository: key, Name: "app", Tag: "1", Blobs: [][]byte{[]byte("{}"), []byte("layer")}})
	w.must(err)
}

func (w *world) addMapping(m emulator.Mapping, filters any) string {
	w.t.Helper()
	text, err := json.Marshal(filters)
	w.must(err)
	m.ProviderID, m.ClaimFilters, m.IsEnabled = w.provider, text, true
	made, err := w.registry.AddMapping(m)
	w.must(err)
	return made.ID
}

func (w *world) client(ca string) *artifactkeeper.Client {
	w.t.Helper()
	client, err := artifactkeeper.New(artifactkeeper.Config{Endpoint: w.registry.URL(), Token: w.registry.Token(), CACertificate: ca})
	w.must(err)
	return client
}

// file is a kubelet's file with one entry; no audience leaves tokenAttributes out.
func (w *world) file(pattern, audience, plugin string) string {
	entry := map[string]any{
		"name": "ak-kubelet-provider", "matchImages": []string{pattern}, "defaultCacheDuration": "5m",
		"apiVersion": "credentialprovider.kubelet.k8s.io/" + plugin,
	}
	if audience != "" {
		entry["tokenAttributes"] = map[string]any{"serviceAccountTokenAudience": audience, "cacheType": "ServiceAccount", "requireServiceAccount": true}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig", "providers": []any{entry},
	})
	w.must(err)
	return string(text)
}

// grant lets nodes request an audience, and waits until the authorizer knows.
func (w *world) grant(audience string, namespaces []string) {
	w.t.Helper()
	_, err := nodeaudience.Apply(w.t.Context(), w.cluster, nodeaudience.Grant{
		Name: nodeaudience.DefaultName(audience), Audience: audience, Groups: []string{nodeaudience.NodesGroup}, Namespaces: namespaces,
	}, nodeaudience.Options{})
	w.must(err)
	w.t.Cleanup(func() {
		w.must(nodeaudience.Delete(context.Background(), w.cluster, nodeaudience.DefaultName(audience), nil))
	})
	where := w.namespace
	if namespaces != nil {
		where = namespaces[0]
	}
	w.authorizer(audience, where, true)
}

// revoke takes the grant of an audience back.
func (w *world) revoke(audience string) {
	w.t.Helper()
	w.must(nodeaudience.Delete(w.t.Context(), w.cluster, nodeaudience.DefaultName(audience), nil))
	w.authorizer(audience, w.namespace, false)
}

func (w *world) authorizer(audience, namespace string, want bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	w.must(controlplane.Eventually(ctx, func(ctx context.Context) error {
		allowed, _, err := w.cluster.Allowed(ctx, cluster.Access{
			User: controlplane.NodeUser(controlplane.Node), Groups: []string{nodeaudience.NodesGroup}, Verb: nodeaudience.Verb,
			Resource: audience, Namespace: namespace, Name: account,
		})
		if err == nil && allowed != want {
			err = fmt.Errorf("nodes may request %s: %t, want %t", audience, allowed, want)
		}
		return err
	}))
}

func (w *world) check() trust.Result {
	w.t.Helper()
	result, err := trust.Check(w.t.Context(), w.sources, w.request)
	w.must(err)
	return result
}

func (w *world) updateProvider(change func(*emulator.Provider)) {
	w.t.Helper()
	w.must(w.registry.UpdateProvider(w.provider, change))
}

func (w *world) updateMapping(change func(*emulator.Mapping)) {
	w.t.Helper()
	w.must(w.registry.UpdateMapping(w.mapping, change))
}

func (w *world) filters(filters any) {
	w.t.Helper()
	text, err := json.Marshal(filters)
	w.must(err)
	w.updateMapping(func(m *emulator.Mapping) { m.ClaimFilters = text })
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// strangeKeys is a key set of another cluster.
func strangeKeys(t *testing.T) json.RawMessage {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: private.Public(), KeyID: "another-clusters-key", Use: "sig", Algorithm: "ES256"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
