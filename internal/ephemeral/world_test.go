package ephemeral_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const audience = "artifact-keeper"

// providers are the one under test, and one that keeps what it is configured with in a resource.
var providers = map[string]func() (tfprotov6.ProviderServer, error){
	"aktrust": acctest.Providers["aktrust"], "echo": echoprovider.NewProviderServer(),
}

// world is a cluster with a ServiceAccount, and a registry that trusts the cluster and has a mapping for its namespace.
type world struct {
	*emulator.Server
	cluster            *controlplane.ControlPlane
	t                  *testing.T
	namespace          string
	provider, username string // the provider's id, and the name of the mapping's account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: acctest.Registry(t, emulator.Options{}), cluster: controlplane.Shared(t), t: t}
	w.namespace = w.cluster.Namespace(t)
	admin := w.cluster.As(controlplane.Admin)
	var keys json.RawMessage
	w.must(admin.EnsureServiceAccount(t.Context(), w.namespace, "app", nil), admin.Get(t.Context(), "/openid/v1/jwks", &keys))
	p, err := w.AddProvider(emulator.Provider{Name: "cluster", ProviderType: "kubernetes", IssuerURL: w.cluster.Issuer(),
		Audience: audience, IsEnabled: true, KeySource: "static", StaticJWKS: keys})
	w.must(err)
	w.provider = p.ID
	filters, err := json.Marshal(map[string]string{"/kubernetes.io/namespace": w.namespace})
	w.must(err)
	_, err = w.AddMapping(emulator.Mapping{ProviderID: p.ID, Name: "team", IsEnabled: true, ClaimFilters: filters})
	w.must(err)
	for _, account := range w.State().Accounts {
		if account.MappingID != "" {
			w.username = account.Username
		}
	}
	return w
}

func (w *world) must(errs ...error) {
	w.t.Helper()
	for _, err := range errs {
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// kubernetes is the argument kubernetes of the provider, as one user.
func (w *world) kubernetes(user string) string {
	return fmt.Sprintf("  kubernetes = {\n    host = %q\n    token = %q\n    cluster_ca_certificate = %s\n  }",
		w.cluster.URL(), w.cluster.Token(user), acctest.HCL(w.cluster.CA()))
}

// configuration is the provider's.
func (w *world) configuration() string {
	return acctest.ProviderBlock(w.Server, w.kubernetes(controlplane.Admin), "  max_retries = 0")
}

// block is an ephemeral resource with these arguments; an empty one is left out.
func block(kind string, arguments map[string]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if arguments[name] != "" {
			lines = append(lines, "  "+name+" = "+arguments[name])
		}
	}
	return "ephemeral \"aktrust_" + kind + "\" \"test\" {\n" + strings.Join(lines, "\n") + "\n}\n"
}

// token is an aktrust_service_account_token; arguments are added to the minimal ones.
func (w *world) token(arguments map[string]string) string {
	all := map[string]string{"namespace": acctest.HCL(w.namespace), "name": `"app"`, "audience": acctest.HCL(audience)}
	maps.Copy(all, arguments)
	return block("service_account_token", all)
}

// credentials is an aktrust_registry_credentials for the token of token.
func credentials(arguments map[string]string) string {
	all := map[string]string{"oidc_token": "ephemeral.aktrust_service_account_token.test.token"}
	maps.Copy(all, arguments)
	return block("registry_credentials", all)
}

// echo keeps everything of an ephemeral resource.
func echo(kind string) string {
	return "provider \"echo\" {\n  data = ephemeral.aktrust_" + kind + ".test\n}\nresource \"echo\" \"test\" {}\n"
}
