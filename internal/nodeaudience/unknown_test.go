package nodeaudience_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// later is a resource whose output is known at apply.
func later(input string) string {
	return "resource \"terraform_data\" \"later\" {\n  input = " + input + "\n}\n"
}

// What is unknown while planning is taken for neither present nor absent.
func TestUnknownValues(t *testing.T) {
	w := newWorld(t)
	want := w.expected().in(w.a, w.b)
	want.Rules[0].ResourceNames = []string{"app"}
	w.run(
		resource.TestStep{
			Config: w.config(map[string]string{
				"audience": "terraform_data.later.output.audience", "namespaces": "[terraform_data.later.output.a, " + acctest.HCL(w.b) + "]",
				"service_account_names": "terraform_data.later.output.names",
			}, later(fmt.Sprintf("{ audience = %s, a = %q, names = [\"app\"] }", acctest.HCL(w.audience), w.a))),
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate), Check: w.has(want),
		},
		resource.TestStep{
			Config:           w.config(map[string]string{"namespaces": quoted(w.a, w.b), "service_account_names": quoted("app")}),
			ConfigPlanChecks: emptyAfter, Check: w.has(want),
		},
	)
}

// While the connection is unknown, a plan works without a client: what is new is planned, what is there is kept unread
// with one warning. Apply connects.
func TestUnknownConnection(t *testing.T) {
	w := newWorld(t)
	config := func(input, label string) string {
		provider := strings.Replace(w.provider(), fmt.Sprintf("host = %q", w.URL()), "host = terraform_data.later.output", 1)
		return provider + later(input) + fmt.Sprintf("resource \"aktrust_node_audience\" \"test\" {\n  audience = %s\n  labels = { l = %q }\n}\n",
			acctest.HCL(w.audience), label)
	}
	cli := acctest.NewWorkspace(t, config(acctest.HCL(w.URL()), "1"))
	acctest.Says(t, cli.Plan(2), "+ audience", "2 to add")
	cli.Apply()
	acctest.Silent(t, cli.Plan(0), "Warning")

	cli.Config(config(acctest.HCL(w.URL()+"/"), "2"))
	out := cli.Plan(2)
	acctest.Says(t, out, "Drift was not checked", "kubernetes.host", `~ "l" = "1" -> "2"`)
	if n := strings.Count(out, "Drift was not checked"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, out)
	}
	cli.Apply()
	acctest.Silent(t, cli.Plan(0), "Warning")
	acctest.Silent(t, cli.State(), w.Token(controlplane.Admin))
	cli.Apply("-destroy")
	w.must(w.gone(nil))
}

// A warning comes with the plan that creates or changes what it is about, and not again.
func TestWarningsComeOnce(t *testing.T) {
	w := newWorld(t)
	cli := acctest.NewWorkspace(t, w.config(map[string]string{"service_account_names": quoted("team/app")}))
	acctest.Says(t, cli.Plan(2), "Warning: No ServiceAccount has this name", `"team/app"`)
	cli.Apply()
	acctest.Silent(t, cli.Plan(0), "Warning")

	cli.Config(w.config(map[string]string{"service_account_names": "terraform_data.later.output"}, later(`["*"]`)))
	acctest.Silent(t, cli.Plan(2), "Warning")
	acctest.Says(t, cli.Apply(), "Warning: No ServiceAccount has this name", `"*"`)
	acctest.Silent(t, cli.Plan(0), "Warning")
	cli.Apply("-destroy")

	cli.Config(w.provider() + "resource \"aktrust_node_audience\" \"test\" {\n  audience = \"https://kubernetes.default.svc\"\n}\n")
	acctest.Says(t, cli.Plan(2), "Warning: An audience of the API server", "opens the API server")
}

// The cluster's own issuer is an audience of its API server, too. Where that cannot be seen, nothing is said and the plan is made.
func TestIssuerAsAudience(t *testing.T) {
	w := newWorld(t)
	const warning = "Warning: An audience of the API server"
	w.audience = w.Issuer()
	cli := acctest.NewWorkspace(t, w.config(nil))
	acctest.Says(t, cli.Plan(2), warning, strconv.Quote(w.Issuer())+" is the issuer of the cluster's tokens")
	cli.Apply()
	acctest.Silent(t, cli.Plan(0), "Warning")
	cli.Apply("-destroy")

	cli.Config(w.config(map[string]string{"audience": "terraform_data.later.output"}, later(acctest.HCL(w.Issuer()))))
	acctest.Silent(t, cli.Plan(2), "Warning")
	acctest.Says(t, cli.Apply(), warning)
	cli.Apply("-destroy")

	for name, config := range map[string]string{
		"another issuer": w.config(map[string]string{"audience": acctest.HCL(w.Issuer() + "/")}),
		"no cluster":     strings.Replace(w.config(nil), w.provider(), "", 1),
		"nobody answers": strings.Replace(w.config(nil), w.URL(), "https://127.0.0.1:1", 1),
	} {
		cli.Config(config)
		if out := cli.Plan(2); strings.Contains(out, "Warning") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// Without any connection configured, the error names the arguments.
func TestNoConnection(t *testing.T) {
	w := newWorld(t)
	cli := acctest.NewWorkspace(t, strings.Replace(w.config(nil), w.provider(), "", 1))
	cli.Plan(2)
	acctest.Says(t, cli.Expect(1, "apply", "-no-color", "-auto-approve"), "Cannot create the node audience", "nothing names a cluster",
		"config_path", "in_cluster = true")
	acctest.Says(t, cli.Expect(1, "import", "-no-color", address, w.name), "Cannot import a node audience", "nothing names a cluster")
}

// A state from before identities, or of a CLI without them, reads like any other, also what is gone from the cluster.
func TestStateWithoutIdentity(t *testing.T) {
	w := newWorld(t)
	cli := acctest.NewWorkspace(t, w.config(nil))
	cli.Apply()
	identity := regexp.MustCompile(`(?s),\s*"identity": \{.*?\},\s*"identity_schema_version": \d+`)
	bare := identity.ReplaceAllString(cli.State(), "") // Some CLIs keep none anyway.
	if strings.Contains(bare, `"identity"`) {
		t.Fatalf("there still is an identity in:\n%s", bare)
	}
	w.must(cli.Write("terraform.tfstate", bare))
	cli.Plan(0)
	w.must(w.admin.Delete(t.Context(), w.role()))
	acctest.Says(t, cli.Plan(2), "will be created")
	w.must(w.admin.Delete(t.Context(), w.clusterBinding()))
}
