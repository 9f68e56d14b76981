package pullcheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// world is a registry and a cluster in which the ServiceAccount api of the namespace may pull from the repository images.
type world struct {
	t        *testing.T
	plane    *controlplane.ControlPlane
	registry *emulator.Server

	namespace, audience      string
	provider, mapping, group string // ids
}

func newWorld(t *testing.T) *world {
	t.Helper()
	plane := controlplane.Shared(t)
	w := &world{t: t, plane: plane, registry: acctest.Registry(t, emulator.Options{}), namespace: plane.Namespace(t)}
	w.audience = "ak-" + w.namespace
	admin := plane.As(controlplane.Admin)
	for _, name := range []string{"api", "intruder"} {
		w.must(admin.EnsureServiceAccount(t.Context(), w.namespace, name, nil))
	}
	client, err := cluster.New(cluster.Config{
		Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin),
	})
	w.must(err)
	documents, err := client.OIDCDocuments(t.Context())
	w.must(err)
	w.fill(documents)
	_, err = nodeaudience.Apply(t.Context(), client, nodeaudience.Grant{
		Name: nodeaudience.DefaultName(w.audience), Audience: w.audience, Groups: []string{nodeaudience.NodesGroup},
	}, nodeaudience.Options{})
	w.must(err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	w.must(controlplane.Eventually(ctx, func(ctx context.Context) error {
		allowed, _, err := client.Allowed(ctx, cluster.Access{
			Groups: []string{nodeaudience.NodesGroup}, Verb: nodeaudience.Verb, Resource: w.audience, Namespace: w.namespace, Name: "api",
		})
		if err == nil && !allowed {
			err = fmt.Errorf("nodes may not request %s yet", w.audience)
		}
		return err
	}))
	return w
}

func (w *world) fill(documents *cluster.OIDCDocuments) {
	provider, err := w.registry.AddProvider(emulator.Provider{
		Name: "cluster", ProviderType: "kubernetes", IssuerURL: documents.Issuer, Audience: w.audience, IsEnabled: true,
		KeySource: "static", StaticJWKS: json.RawMessage(documents.JWKS),
	})
	w.must(err)
	w.provider, w.group = provider.ID, w.registry.AddGroup("pullers", "").ID
	repository := w.registry.AddRepository(emulator.Repository{Key: "images"}).ID
	w.registry.AddPermission(emulator.Permission{PrincipalType: "group", PrincipalID: w.group, TargetType: "repository", TargetID: repository})
	filters, err := json.Marshal(map[string]any{
		"/kubernetes.io/namespace": w.namespace, "/kubernetes.io/serviceaccount/name": "api",
	})
	w.must(err)
	mapping, err := w.registry.AddMapping(emulator.Mapping{
		Name: "team", ProviderID: w.provider, Priority: 100, IsEnabled: true, ClaimFilters: filters, GroupBindingIDs: []string{w.group},
	})
	w.must(err)
	w.mapping = mapping.ID
	_, err = w.registry.AddImage(emulator.Image{Repository: "images", Name: "app", Tag: "1", Blobs: [][]byte{[]byte("{}")}})
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// image is one that the registry has.
func (w *world) image() string { return w.registry.Host() + "/images/app:1" }

// provider is the configuration of the provider without its credentials, which come from the environment.
func (w *world) providerBlock() string {
	return fmt.Sprintf("provider \"aktrust\" {\n  endpoint       = %q\n  ca_certificate = %s\n  max_retries    = 0\n"+
		"  kubernetes = {\n    host                   = %q\n    cluster_ca_certificate = %s\n  }\n}\n",
		w.registry.URL(), acctest.HCL(w.registry.CACertificate()), w.plane.URL(), acctest.HCL(w.plane.CA()))
}

// check is a data source that checks a ServiceAccount, with further lines, and the kubelet's file as a user renders it.
func (w *world) check(account string, lines ...string) string {
	return w.providerBlock() + fmt.Sprintf(`
data "aktrust_credential_provider_config" "kubelet" {
  providers = [{
    name                   = "ak-kubelet-provider"
    match_images           = [%q]
    default_cache_duration = "5m"
    args                   = ["--url=%s", "--provider-id=%s"]
    token_attributes = {
      service_account_token_audience = %q
      cache_type                     = "ServiceAccount"
      require_service_account        = true
    }
  }]
}
data "aktrust_pull_check" "test" {
  namespace                  = %q
  service_account            = %q
  image                      = %q
  credential_provider_config = data.aktrust_credential_provider_config.kubelet.yaml
  %s
}
output "outcome" {
  value = {
    allowed     = data.aktrust_pull_check.test.allowed
    as_expected = data.aktrust_pull_check.test.as_expected
    summary     = data.aktrust_pull_check.test.summary
    mapping     = data.aktrust_pull_check.test.mapping_id
    name        = data.aktrust_pull_check.test.mapping_name
    account     = data.aktrust_pull_check.test.service_account_username
    links       = { for link in data.aktrust_pull_check.test.links : link.name => link }
    order       = data.aktrust_pull_check.test.links[*].name
  }
}
`, w.registry.Host(), w.registry.URL(), w.provider, w.audience, w.namespace, account, w.image(), strings.Join(lines, "\n  "))
}

// workspace runs a configuration with the credentials in the environment.
func (w *world) workspace(config string) *acctest.Workspace {
	w.t.Helper()
	out := acctest.NewWorkspace(w.t, config)
	out.Env = append(out.Env, "ARTIFACT_KEEPER_TOKEN="+w.registry.Token(), "KUBE_TOKEN="+w.plane.Token(controlplane.Admin))
	return out
}

// outcome is the output of the configuration.
type outcome struct {
	Allowed    bool   `json:"allowed"`
	AsExpected bool   `json:"as_expected"`
	Summary    string `json:"summary"`
	Mapping    string `json:"mapping"`
	Name       string `json:"name"`
	Account    string `json:"account"`
	Links      map[string]struct{ Name, Status, Detail, Remedy string }
	Order      []string `json:"order"`
}

// apply applies and gives the outcome.
func apply(t *testing.T, w *acctest.Workspace) outcome {
	t.Helper()
	w.Apply()
	var out outcome
	if err := json.Unmarshal([]byte(w.Expect(0, "output", "-json", "outcome")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
