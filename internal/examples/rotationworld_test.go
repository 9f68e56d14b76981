//go:build linux

package examples_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// pulling is a registry and a cluster whose pods pull from it, while somebody changes how the cluster signs its tokens. It
// remembers the tokens that nodes hold.
type pulling struct {
	*acctest.Workspace
	t        *testing.T
	plane    *controlplane.ControlPlane
	registry *emulator.Server
	client   *artifactkeeper.Client
	audience string
	tokens   map[string]string
	changed  bool // the API server's flags
}

// newPulling has the configuration of examples/rotating-keys for an audience of its own, of which a cluster has one role. It is
// yet to be applied.
func newPulling(t *testing.T, audience string) *pulling {
	t.Helper()
	p := &pulling{
		t: t, plane: cluster(t), registry: acctest.Registry(t, emulator.Options{}), audience: audience, tokens: map[string]string{},
	}
	readers, repository := p.registry.AddGroup("team-readers", "").ID, p.registry.AddRepository(emulator.Repository{Key: "team"}).ID
	p.registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: readers, TargetType: "repository", TargetID: repository,
	})
	admin := p.plane.As(controlplane.Admin)
	p.must(admin.EnsureNamespace(t.Context(), "team"))
	p.must(admin.EnsureServiceAccount(t.Context(), "team", "app", nil))
	p.must(admin.EnsureServiceAccount(t.Context(), "default", "default", nil)) // which a cluster's controllers make
	var err error
	p.client, err = artifactkeeper.New(artifactkeeper.Config{
		Endpoint: p.registry.URL(), Token: p.registry.Token(), CACertificate: p.registry.CACertificate(),
	})
	p.must(err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	p.must(p.plane.WriteKubeconfig(kubeconfig, controlplane.Admin))
	p.Workspace = example(t, "rotating-keys", map[string]any{
		"registry_endpoint": p.registry.URL(), "registry_ca_certificate": p.registry.CACertificate(), "kubeconfig": kubeconfig,
		"audience": p.audience,
	})
	p.Env = append(p.Env, "ARTIFACT_KEEPER_TOKEN="+p.registry.Token())
	t.Cleanup(p.leave)
	return p
}

// leave takes the role out of the cluster, and has it sign with one key and know one issuer, as the other tests expect it.
func (p *pulling) leave() {
	ctx := context.WithoutCancel(p.t.Context())
	admin := p.plane.As(controlplane.Admin)
	for _, kind := range []string{"clusterrolebindings", "clusterroles"} {
		err := admin.Delete(ctx, "/apis/rbac.authorization.k8s.io/v1/"+kind+"/"+nodeaudience.DefaultName(p.audience))
		var status *controlplane.StatusError
		if err != nil && (!errors.As(err, &status) || status.Code != http.StatusNotFound) {
			p.t.Error(err)
		}
	}
	if !p.changed {
		return
	}
	err := p.plane.Restart(ctx, func(o *controlplane.Options) {
		o.Keys.Verify, o.Issuer, o.AcceptedIssuers = nil, controlplane.DefaultIssuer, nil
	})
	if err != nil {
		p.t.Error(err)
	}
}

func (p *pulling) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// restart changes the API server's flags.
func (p *pulling) restart(change func(*controlplane.Options)) {
	p.t.Helper()
	p.changed = true
	p.must(p.plane.Restart(p.t.Context(), change))
}

// mint has the API server sign a token for a node, as of now.
func (p *pulling) mint(name string) {
	p.t.Helper()
	token, err := p.plane.As(controlplane.Admin).CreateToken(p.t.Context(), "team", "app", p.audience, nil)
	p.must(err)
	p.tokens[name] = token
}

// valid asks the API server whether a token is.
func (p *pulling) valid(name string) bool {
	p.t.Helper()
	type object = map[string]any
	var answer struct{ Status struct{ Authenticated bool } }
	p.must(p.plane.As(controlplane.Admin).Do(p.t.Context(), http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", object{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
		"spec": object{"token": p.tokens[name], "audiences": []string{p.audience}},
	}, &answer))
	return answer.Status.Authenticated
}

// pulls expects that these tokens, and no others, are valid at the API server, and that the registry exchanges all of them: no
// pod that may pull is kept from it.
func (p *pulling) pulls(names ...string) {
	p.t.Helper()
	expected := map[string]bool{}
	for _, name := range names {
		expected[name] = true
	}
	for name, token := range p.tokens {
		if valid := p.valid(name); valid != expected[name] {
			p.t.Errorf("the token %q is valid at the API server: %v, want %v", name, valid, expected[name])
		}
		if _, err := p.client.Exchange(p.t.Context(), token, ""); expected[name] && err != nil {
			p.t.Errorf("the token %q is valid, and the registry does not exchange it: %v", name, err)
		}
	}
}

// refused expects that the registry does not exchange a token, and says why.
func (p *pulling) refused(name, why string) {
	p.t.Helper()
	_, err := p.client.Exchange(p.t.Context(), p.tokens[name], "")
	var refusal *artifactkeeper.Error
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, why) {
		p.t.Errorf("the registry says %v of the token %q, want %q", err, name, why)
	}
}

// calm plans, expects that there is nothing to do, and that nothing is said.
func (p *pulling) calm() {
	p.t.Helper()
	acctest.Silent(p.t, p.Plan(0), "Warning")
}
