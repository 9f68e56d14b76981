package pullcheck_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// world is a chain in which everything holds, as a configuration of the CLI asks about it.
type world struct {
	*trusttest.World
	t *testing.T
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{trusttest.New(t, emulator.Options{}), t}
}

// provider is the configuration of the provider without its credentials, which come from the environment.
func (w *world) provider() string {
	authority := ""
	if w.CACertificate != "" {
		authority = "\n  ca_certificate = " + acctest.HCL(w.CACertificate)
	}
	return fmt.Sprintf("provider \"aktrust\" {\n  endpoint    = %q\n  max_retries = 0%s\n"+
		"  kubernetes = {\n    host                   = %q\n    cluster_ca_certificate = %s\n  }\n}\n",
		w.Registry.URL(), authority, w.Plane.URL(), acctest.HCL(w.Plane.CA()))
}

// check is a data source that asks what the world's request says, with further lines.
func (w *world) check(lines ...string) string {
	for name, value := range map[string]string{
		"audience": w.Request.Audience, "provider_id": w.Request.ProviderID, "credential_provider_config": w.Request.KubeletConfig,
	} {
		if value != "" {
			lines = append(lines, name+" = "+acctest.HCL(value))
		}
	}
	if w.Request.Manifest {
		lines = append(lines, "manifest = true")
	}
	return w.provider() + fmt.Sprintf(`
data "aktrust_pull_check" "test" {
  namespace       = %q
  service_account = %q
  image           = %q
  %s
}
output "outcome" {
  value = data.aktrust_pull_check.test
}
check "pulls" {
  assert {
    condition     = data.aktrust_pull_check.test.as_expected
    error_message = data.aktrust_pull_check.test.summary
  }
}
`, w.Request.Namespace, w.Request.ServiceAccount, w.Request.Image, strings.Join(lines, "\n  "))
}

// workspace runs a configuration with the credentials in the environment, on a machine that reaches the issuer.
func (w *world) workspace(config string) *acctest.Workspace {
	w.t.Helper()
	out := acctest.NewWorkspace(w.t, config)
	out.Env = append(out.Env, "ARTIFACT_KEEPER_TOKEN="+w.Registry.Token(), "KUBE_TOKEN="+w.Plane.Token(controlplane.Admin))
	out.Env = append(out.Env, w.Issuer.Env()...)
	return out
}

// outcome is what a check found, and what the check blocks of the configuration warned of.
type outcome struct {
	Allowed    bool         `json:"allowed"`
	AsExpected bool         `json:"as_expected"`
	Summary    string       `json:"summary"`
	Mapping    *string      `json:"mapping_id"`
	Name       *string      `json:"mapping_name"`
	Account    *string      `json:"service_account_username"`
	ExpiresIn  *int64       `json:"expires_in"`
	Links      []trust.Link `json:"links"`
	Warned     string       `json:"-"`
}

// link is one of the links.
func (o outcome) link(name trust.Name) trust.Link { return trust.Result{Links: o.Links}.Link(name) }

// apply applies a configuration of check, and gives its outcome. The whole output is looked through for credentials.
func (w *world) apply(space *acctest.Workspace) outcome {
	w.t.Helper()
	printed := space.Apply("-json")
	w.Silent("the output", printed)
	var out *outcome
	var warned []string
	for line := range strings.Lines(printed) {
		var message struct {
			Diagnostic struct{ Summary, Detail string }
			Outputs    struct {
				Outcome struct{ Value *outcome }
			}
		}
		if json.Unmarshal([]byte(line), &message) != nil {
			continue // a line for people
		}
		if message.Diagnostic.Summary == "Check block assertion failed" {
			warned = append(warned, message.Diagnostic.Detail)
		}
		if value := message.Outputs.Outcome.Value; value != nil {
			out = value
		}
	}
	if out == nil {
		w.t.Fatalf("there is no outcome:\n%s", printed)
	}
	out.Warned = strings.Join(warned, "\n")
	return *out
}
