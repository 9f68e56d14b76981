// Package trusttest has a chain in which everything holds, and a way to break each link of it: a real API server, the registry's
// emulator, and the cluster's issuer on loopback. What asks about the chain is tested against it, in Go or through a CLI, so that
// a row of the guide is the same fault for all.
package trusttest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

// What every world has.
const (
	// Account is a ServiceAccount that the mapping is for.
	Account = "api"
	// Worker is another one, which does not exist until a test makes it.
	Worker = "worker"
	// Key is the registry's repository, in which there is app:1.
	Key = "images"
)

// World is a chain in which everything holds, until a test changes it.
type World struct {
	Plane    *controlplane.ControlPlane
	Registry *emulator.Server
	Issuer   *Issuer
	// Admin may do everything in the cluster.
	Admin *cluster.Client

	// Namespace and Audience are the world's own, because the API server is shared.
	Namespace, Audience string
	// Provider, Mapping, Group, Repository and MappingAccount are ids of the registry.
	Provider, Mapping, Group, Repository, MappingAccount string

	// Request is what a check is asked. Its file has one entry, as the plugin ak-kubelet-provider needs it.
	Request trust.Request
	// Cluster is what a check asks about the cluster, and CACertificate the authority by which it trusts the registry; empty
	// means the system's.
	Cluster       trust.Cluster
	CACertificate string

	t     testing.TB
	ahead atomic.Int64 // of the registry's clock, in nanoseconds
}

// New makes a world on the control plane that tests share.
func New(t testing.TB, options emulator.Options) *World {
	return On(t, controlplane.Shared(t), options)
}

// On makes a world on a control plane. Clock and issuers of the registry are the world's.
func On(t testing.TB, plane *controlplane.ControlPlane, options emulator.Options) *World {
	t.Helper()
	w := &World{t: t, Plane: plane, Issuer: newIssuer(t, plane), Namespace: plane.Namespace(t)}
	w.Audience = "ak-" + w.Namespace
	options.Now = func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
	options.IssuerNetwork, options.IssuerCAs = w.Issuer, w.Issuer.authorities
	var err error
	w.Registry, err = emulator.Start(options)
	w.Must(err)
	t.Cleanup(w.Registry.Close)
	admin := plane.As(controlplane.Admin)
	w.Must(admin.EnsureServiceAccount(t.Context(), w.Namespace, Account, nil))
	w.Must(admin.EnsureNode(t.Context(), controlplane.Node))
	w.Admin, err = cluster.New(cluster.Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin)})
	w.Must(err)
	w.Cluster, w.CACertificate = trust.FromClient(w.Admin), w.Registry.CACertificate()
	w.fill()
	w.Grant(w.Audience)
	w.Request = trust.Request{Namespace: w.Namespace, ServiceAccount: Account, Image: w.Registry.Host() + "/" + Key + "/app:1"}
	w.Entry(func(map[string]any) {})
	return w
}

// fill makes what the registry needs for a pull.
func (w *World) fill() {
	documents, err := w.Admin.OIDCDocuments(w.t.Context())
	w.Must(err)
	provider, err := w.Registry.AddProvider(emulator.Provider{
		Name: "cluster", ProviderType: "kubernetes", IssuerURL: documents.Issuer, Audience: w.Audience, IsEnabled: true,
		KeySource: "static", StaticJWKS: json.RawMessage(documents.JWKS),
	})
	w.Must(err)
	w.Provider = provider.ID
	w.Group = w.Registry.AddGroup("pullers", "").ID
	w.Repository = w.Registry.AddRepository(emulator.Repository{Key: Key}).ID
	w.Registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: w.Group, TargetType: "repository", TargetID: w.Repository,
	})
	w.Mapping = w.AddMapping(emulator.Mapping{Name: "team", Priority: 100, GroupBindingIDs: []string{w.Group}},
		map[string]any{"/kubernetes.io/namespace": w.Namespace, "/kubernetes.io/serviceaccount/name": []string{Account, Worker}})
	for _, a := range w.Registry.State().Accounts {
		if a.MappingID == w.Mapping {
			w.MappingAccount = a.ID
		}
	}
	_, err = w.Registry.AddImage(emulator.Image{Repository: Key, Name: "app", Tag: "1", Blobs: [][]byte{[]byte("{}"), []byte("layer")}})
	w.Must(err)
}

// Sources are where a check looks. The registry's client is a new one, which has read nothing yet.
func (w *World) Sources() trust.Sources {
	w.t.Helper()
	client, err := artifactkeeper.New(artifactkeeper.Config{
		Endpoint: w.Registry.URL(), Token: w.Registry.Token(), CACertificate: w.CACertificate,
	})
	w.Must(err)
	return trust.Sources{Cluster: w.Cluster, Registry: client, Publisher: trust.NewPublisher(w.Issuer.Transport())}
}

// Check asks what the request says, and looks for credentials in the answer.
func (w *World) Check() trust.Result {
	w.t.Helper()
	result, err := trust.Check(w.t.Context(), w.Sources(), w.Request)
	w.Must(err)
	text, err := json.Marshal(result)
	w.Must(err)
	w.Silent("the result", string(text))
	return result
}

// Secrets are all credentials that a check of this world has to do with.
func (w *World) Secrets() []string {
	return append(w.Registry.Secrets(), w.Plane.Token(controlplane.Admin))
}

// Silent expects that a text holds none of them.
func (w *World) Silent(what, text string) {
	w.t.Helper()
	for _, secret := range w.Secrets() {
		if strings.Contains(text, secret) {
			w.t.Errorf("%s holds a credential that begins with %.12s", what, secret)
		}
	}
}

// Entry makes the kubelet's file of the request: one entry, which change may change.
func (w *World) Entry(change func(entry map[string]any)) {
	w.t.Helper()
	entry := map[string]any{
		"name": "ak-kubelet-provider", "matchImages": []string{w.Registry.Host()}, "defaultCacheDuration": "5m",
		"apiVersion": "credentialprovider.kubelet.k8s.io/v1", "args": []string{"--url=" + w.Registry.URL()},
		"tokenAttributes": map[string]any{
			"serviceAccountTokenAudience": w.Audience, "cacheType": "ServiceAccount", "requireServiceAccount": true,
		},
	}
	change(entry)
	text, err := json.Marshal(map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig", "providers": []any{entry},
	})
	w.Must(err)
	w.Request.KubeletConfig = string(text)
}

// AddMapping adds an enabled mapping with filters, and gives its id.
func (w *World) AddMapping(m emulator.Mapping, filters any) string {
	w.t.Helper()
	text, err := json.Marshal(filters)
	w.Must(err)
	m.ProviderID, m.ClaimFilters, m.IsEnabled = w.Provider, text, true
	made, err := w.Registry.AddMapping(m)
	w.Must(err)
	return made.ID
}

// UpdateProvider changes the provider.
func (w *World) UpdateProvider(change func(*emulator.Provider)) {
	w.t.Helper()
	w.Must(w.Registry.UpdateProvider(w.Provider, change))
}

// UpdateMapping changes the mapping.
func (w *World) UpdateMapping(change func(*emulator.Mapping)) {
	w.t.Helper()
	w.Must(w.Registry.UpdateMapping(w.Mapping, change))
}

// Filters gives the mapping other filters.
func (w *World) Filters(filters any) {
	w.t.Helper()
	text, err := json.Marshal(filters)
	w.Must(err)
	w.UpdateMapping(func(m *emulator.Mapping) { m.ClaimFilters = text })
}

// Grant lets nodes request an audience, in these namespaces or everywhere, and waits until the authorizer knows.
func (w *World) Grant(audience string, namespaces ...string) {
	w.t.Helper()
	_, err := nodeaudience.Apply(w.t.Context(), w.Admin, nodeaudience.Grant{
		Name: nodeaudience.DefaultName(audience), Audience: audience, Groups: []string{nodeaudience.NodesGroup}, Namespaces: namespaces,
	}, nodeaudience.Options{})
	w.Must(err)
	w.t.Cleanup(func() {
		w.Must(nodeaudience.Delete(context.Background(), w.Admin, nodeaudience.DefaultName(audience), nil))
	})
	where := w.Namespace
	if namespaces != nil {
		where = namespaces[0]
	}
	w.Authorizer(nodeaudience.NodesGroup, audience, where, true)
}

// Revoke takes the grant of an audience back.
func (w *World) Revoke(audience string) {
	w.t.Helper()
	w.Must(nodeaudience.Delete(w.t.Context(), w.Admin, nodeaudience.DefaultName(audience), nil))
	w.Authorizer(nodeaudience.NodesGroup, audience, w.Namespace, false)
}

// Authorizer waits until a group may request an audience in a namespace, or may not.
func (w *World) Authorizer(group, audience, namespace string, want bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	w.Must(controlplane.Eventually(ctx, func(ctx context.Context) error {
		allowed, _, err := w.Admin.Allowed(ctx, cluster.Access{
			Groups: []string{group}, Verb: nodeaudience.Verb, Resource: audience, Namespace: namespace, Name: Account,
		})
		if err == nil && allowed != want {
			err = fmt.Errorf("%s may request %s: %t, want %t", group, audience, allowed, want)
		}
		return err
	}))
}

// Later moves the registry's clock ahead of the cluster's.
func (w *World) Later(by time.Duration) { w.ahead.Add(int64(by)) }

// Must ends the test when there is an error.
func (w *World) Must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
