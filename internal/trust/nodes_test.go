package trust_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// versioned is a cluster with other versions than the real one.
type versioned struct {
	trust.Cluster
	apiServer string
	kubelets  []string
}

func (v versioned) APIServerVersion(context.Context) (string, error) { return v.apiServer, nil }

func (v versioned) Kubelets(context.Context) ([]cluster.Kubelet, error) {
	var out []cluster.Kubelet
	for i, version := range v.kubelets {
		out = append(out, cluster.Kubelet{Node: fmt.Sprintf("node-%d", i), Version: version})
	}
	return out, nil
}

func TestVersions(t *testing.T) {
	cases := []struct {
		name      string
		apiServer string
		kubelets  []string
		status    trust.Status
		detail    string
	}{
		{"the oldest", "v1.34.0", []string{"v1.34.0"}, trust.OK, "1 node looked at"},
		{"a pre-release counts as what it leads to", "v1.34.0-rc.1", nil, trust.OK, "0 nodes"},
		{"distributions", "v1.35.2+k3s1", []string{"v1.34.3-eks-113cf36", "v1.34.1-gke.1829001"}, trust.OK, "2 nodes"},
		{"a node that has not reported", "v1.34.0", []string{""}, trust.OK, "1 node reports no version"},
		{"an old API server", "v1.33.9", []string{"v1.33.9"}, trust.Broken, "the API server is v1.33.9"},
		{"an old kubelet", "v1.34.0", []string{"v1.34.0", "v1.33.5", "v1.34.1"}, trust.Broken, "1 kubelet older than 1.34: node-1 (v1.33.5)"},
		{"many", "v1.34.0", []string{"v1.3.1", "v1.3.1", "v1.3.1", "v1.3.1", "v1.3.1", "v1.3.1", "v1.3.1"}, trust.Broken, "and 2 more"},
		{"no version", "unknown", nil, trust.Unknown, `version "unknown"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			w.Cluster = versioned{w.Cluster, c.apiServer, c.kubelets}
			if link := w.Check().Link(trust.Versions); link.Status != c.status || !strings.Contains(link.Detail, c.detail) {
				t.Errorf("%+v, want it %s with %q", link, c.status, c.detail)
			}
		})
	}
}

// Nodes may be let in by a group of their own, and only some ServiceAccounts.
func TestNodeGroups(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Revoke(w.Audience)
	_, err := nodeaudience.Apply(t.Context(), w.Admin, nodeaudience.Grant{
		Name: nodeaudience.DefaultName(w.Audience), Audience: w.Audience, Groups: []string{"edge-nodes"}, ServiceAccountNames: []string{trusttest.Account},
	}, nodeaudience.Options{})
	w.Must(err)
	w.Authorizer("edge-nodes", w.Audience, w.Namespace, true)
	if link := w.Check().Link(trust.NodeAudience); link.Status != trust.Broken || !strings.Contains(link.Detail, "though not to the groups of these nodes") {
		t.Errorf("%+v", link)
	}
	w.Request.NodeGroups = []string{"edge-nodes"}
	if link := w.Check().Link(trust.NodeAudience); link.Status != trust.OK {
		t.Errorf("%+v", link)
	}
	w.Request.ServiceAccount = "other"
	if link := w.Check().Link(trust.NodeAudience); link.Status != trust.Broken || !strings.Contains(link.Detail, `for the ServiceAccounts "api" alone`) {
		t.Errorf("%+v", link)
	}
}

// An annotation that the file requires and the ServiceAccount lacks keeps the kubelet from running the plugin.
func TestRequiredAnnotation(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Entry(func(entry map[string]any) {
		entry["tokenAttributes"].(map[string]any)["requiredServiceAccountAnnotationKeys"] = []string{"example.com/tier"}
	})
	if link := w.Check().Link(trust.ServiceAccount); link.Status != trust.Broken || !strings.Contains(link.Remedy, "kubectl annotate serviceaccount") {
		t.Errorf("%+v", link)
	}
}

// A ServiceAccount cannot be made in a namespace that does not exist; whoever may not look is told no more than is known.
func TestNamespaceMissing(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Request.ServiceAccount = trusttest.Worker
	create := "kubectl create serviceaccount worker --namespace " + w.Namespace
	if link := w.Check().Link(trust.ServiceAccount); link.Remedy != create || strings.Contains(link.Detail, "the namespace") {
		t.Errorf("%+v", link)
	}
	w.Request.Namespace = "nope"
	create = "kubectl create serviceaccount worker --namespace nope"
	if link := w.Check().Link(trust.ServiceAccount); link.Remedy != "kubectl create namespace nope\n"+create ||
		!strings.Contains(link.Detail, "the namespace does not exist") {
		t.Errorf("%+v", link)
	}
	w.Cluster = blind{w.Cluster}
	if link := w.Check().Link(trust.ServiceAccount); link.Remedy != create || link.Status != trust.Broken {
		t.Errorf("%+v", link)
	}
}

// blind is a cluster that shows no namespaces.
type blind struct{ trust.Cluster }

func (blind) Namespace(context.Context, string) (*metav1.PartialObjectMetadata, error) {
	return nil, &cluster.Error{Code: http.StatusForbidden}
}

// A connection by a client certificate asks about the audience by a TokenReview.
func TestClientCertificate(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	certificate, key, err := w.Plane.ClientCertificate("jane", "system:masters")
	w.Must(err)
	client, err := cluster.New(cluster.Config{
		Host: w.Plane.URL(), ClusterCACertificate: w.Plane.CA(), ClientCertificate: certificate, ClientKey: key,
	})
	w.Must(err)
	w.Cluster = trust.FromClient(client)
	if result := w.Check(); !result.Allowed() {
		t.Error(result.Summary())
	}
	w.Break("api-server-audience")
	result := w.Check()
	if result.Link(trust.APIServerAudience).Status != trust.Broken || result.Link(trust.Exchange).Status != trust.Skipped {
		t.Error(result.Summary())
	}
	for _, request := range w.Registry.Requests() {
		if request.Path == "/api/v1/auth/ci/token" && request.Status != 200 {
			t.Errorf("a token of the API server was shown to the registry: %+v", request)
		}
	}
}

// counted counts what is asked of the cluster.
type counted struct {
	trust.Cluster
	documents, kubelets, tokens atomic.Int64
}

func (c *counted) OIDCDocuments(ctx context.Context) (*cluster.OIDCDocuments, error) {
	c.documents.Add(1)
	return c.Cluster.OIDCDocuments(ctx)
}

func (c *counted) Kubelets(ctx context.Context) ([]cluster.Kubelet, error) {
	c.kubelets.Add(1)
	return c.Cluster.Kubelets(ctx)
}

func (c *counted) CreateToken(ctx context.Context, request cluster.TokenRequest) (*cluster.Token, error) {
	c.tokens.Add(1)
	return c.Cluster.CreateToken(ctx, request)
}

// Checks that run at once share what is not about one ServiceAccount.
func TestSharedAnswers(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	counts := &counted{Cluster: w.Cluster}
	w.Cluster = counts
	sources := trust.Shared(w.Sources())
	var group errgroup.Group
	group.SetLimit(10)
	for range 50 {
		group.Go(func() error {
			result, err := trust.Check(t.Context(), sources, w.Request)
			if err == nil && !result.Allowed() {
				err = errors.New(result.Summary())
			}
			return err
		})
	}
	w.Must(group.Wait())
	if d, k, n := counts.documents.Load(), counts.kubelets.Load(), counts.tokens.Load(); d > 3 || k > 3 || n != 50 {
		t.Errorf("the documents were read %d times, the nodes %d times, and %d tokens requested", d, k, n)
	}
	asked := map[string]int{}
	for _, request := range w.Registry.Requests() {
		asked[request.Path]++
	}
	if n := asked["/api/v1/admin/ci-oidc"]; n != 1 {
		t.Errorf("the providers were listed %d times", n)
	}
	if n := asked["/api/v1/admin/ci-oidc/"+w.Provider+"/mappings"]; n != 1 {
		t.Errorf("the mappings were listed %d times", n)
	}
	if n := asked["/api/v1/auth/ci/token"]; n != 50 {
		t.Errorf("%d exchanges, want one for each check", n)
	}
}

// lagging is a cluster whose authorizers hear of a role some questions late.
type lagging struct {
	trust.Cluster
	refusals int
	asked    *atomic.Int64
}

func (l lagging) Allowed(ctx context.Context, access cluster.Access) (allowed bool, reason string, err error) {
	if int(l.asked.Add(1)) <= l.refusals {
		return false, "", nil
	}
	return l.Cluster.Allowed(ctx, access)
}

// A role that was made a moment ago is not taken for missing; where there is none, or none for this ServiceAccount, nobody
// waits for it.
func TestAuthorizersLag(t *testing.T) {
	cases := []struct {
		name     string
		account  string
		refusals int
		status   trust.Status
		asked    int64
	}{
		{"at once", trusttest.Account, 0, trust.OK, 1},
		{"late", trusttest.Account, 3, trust.OK, 4},
		{"not for this one", "worker", 1, trust.Broken, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			w.Revoke(w.Audience)
			_, err := nodeaudience.Apply(t.Context(), w.Admin, nodeaudience.Grant{
				Name: nodeaudience.DefaultName(w.Audience), Audience: w.Audience, Groups: []string{nodeaudience.NodesGroup},
				ServiceAccountNames: []string{trusttest.Account},
			}, nodeaudience.Options{})
			w.Must(err)
			w.Authorizer(nodeaudience.NodesGroup, w.Audience, w.Namespace, true)
			asked := new(atomic.Int64)
			w.Cluster, w.Request.ServiceAccount = lagging{w.Cluster, c.refusals, asked}, c.account
			if link := w.Check().Link(trust.NodeAudience); link.Status != c.status {
				t.Errorf("%+v, want it %s", link, c.status)
			}
			if n := asked.Load(); n != c.asked {
				t.Errorf("asked %d times, want %d", n, c.asked)
			}
		})
	}
}
