package pullcheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// Everything holds with the kubelet's file as a user renders it.
func TestAllowed(t *testing.T) {
	w := newWorld(t)
	w.Request.KubeletConfig, w.Request.Manifest = "", true
	space := w.workspace(w.check("credential_provider_config = data.aktrust_credential_provider_config.kubelet.yaml") + fmt.Sprintf(`
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
`, w.Registry.Host(), w.Registry.URL(), w.Provider, w.Audience))
	got := w.apply(space)
	for i, name := range trust.Names() {
		if link := got.Links[i]; link.Name != name || link.Status != trust.OK || link.Detail == "" || link.Remedy != "" {
			t.Errorf("%+v, want %s to hold", link, name)
		}
	}
	if !got.Allowed || !got.AsExpected || got.Warned != "" || *got.Mapping != w.Mapping || *got.Name != "team" {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(*got.Account, "ci-") || *got.ExpiresIn <= 0 || !strings.Contains(got.Summary, "is allowed") {
		t.Errorf("%+v", got)
	}
}

// Every row of the guide, as a user of the CLI sees it: in the links, and in the warning of a check block.
func TestEveryFailure(t *testing.T) {
	for _, row := range failures.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			w := newWorld(t)
			w.Break(row.Name)
			got := w.apply(w.workspace(w.check()))
			trusttest.Expect(t, got.Links, got.Allowed, got.Summary, row)
			if got.AsExpected || got.Warned != got.Summary {
				t.Errorf("the check block says %q, want the summary %q", got.Warned, got.Summary)
			}
		})
	}
}

// Two faults are named at once, though a pod would meet the first alone.
func TestTwoFaults(t *testing.T) {
	w := newWorld(t)
	w.Break("audience-not-granted")
	w.Break("other-namespace")
	got := w.apply(w.workspace(w.check()))
	trusttest.Expect(t, got.Links, got.Allowed, got.Warned, failures.Find("audience-not-granted"), failures.Find("other-namespace"))
}

// The negative test is met by the chain, and by nothing else.
func TestExpectDenied(t *testing.T) {
	w := newWorld(t)
	w.Must(w.Plane.As("admin").EnsureServiceAccount(t.Context(), w.Namespace, "intruder", nil))
	space := w.workspace("")
	ask := func(account string) outcome {
		w.Request.ServiceAccount = account
		space.Config(w.check(`expect = "denied"`))
		return w.apply(space)
	}
	if got := ask("intruder"); got.Allowed || !got.AsExpected || got.link(trust.Mapping).Status != trust.Broken || got.Mapping != nil || got.Warned != "" {
		t.Errorf("%+v", got)
	}
	if got := ask(trusttest.Account); !got.Allowed || got.AsExpected {
		t.Errorf("%+v", got)
	}
	if got := ask("nobody-of-that-name"); got.Allowed || got.AsExpected {
		t.Errorf("%+v", got)
	}
	w.Request.Audience = w.Audience + "i" // a typo keeps everybody out
	if got := ask("intruder"); got.Allowed || got.AsExpected || !strings.Contains(got.Warned, "broken for everybody (file_audience, exchange)") {
		t.Errorf("%+v", got)
	}
	w.Request.Audience = ""
	w.Registry.Close()
	if got := ask("intruder"); got.Allowed || got.AsExpected || !strings.Contains(got.Warned, "is not met") {
		t.Errorf("%+v", got)
	}
}

// The summary says how to mend what is broken. Where a refusal is expected, it says nothing about how to let somebody in.
func TestSummaryHasRemedies(t *testing.T) {
	w := newWorld(t)
	w.Break("audience-not-granted")
	w.Break("other-namespace")
	space := w.workspace(w.check())
	got := w.apply(space)
	for _, name := range []trust.Name{trust.NodeAudience, trust.Mapping} {
		if want := fmt.Sprintf("\n\nTo mend %s:\n%s", name, got.link(name).Remedy); !strings.Contains(got.Warned, want) {
			t.Errorf("%q is missing in %q", want, got.Warned)
		}
	}
	if strings.Contains(got.Summary, "To mend exchange") || strings.HasSuffix(got.Summary, "\n") {
		t.Errorf("%q", got.Summary)
	}
	acctest.Says(t, space.Plan(0), "To mend node_audience:", `resource "aktrust_node_audience" "registry" {`)
	space.Config(w.check(`expect = "denied"`))
	if got := w.apply(space); !got.AsExpected || strings.Contains(got.Summary, "To mend") {
		t.Errorf("%q", got.Summary)
	}
	w.Break("pattern-port")
	space.Config(w.check(`expect = "denied"`))
	if got := w.apply(space); got.AsExpected || !strings.Contains(got.Warned, "To mend file:") || strings.Contains(got.Warned, "To mend mapping") {
		t.Errorf("%q", got.Warned)
	}
}

// A postcondition stops the plan, with the summary.
func TestPostcondition(t *testing.T) {
	w := newWorld(t)
	w.UpdateProvider(func(p *emulator.Provider) { p.IsEnabled = false })
	space := w.workspace(w.check("lifecycle {\n    postcondition {\n      condition = self.as_expected\n      error_message = self.summary\n    }\n  }"))
	acctest.Says(t, space.Plan(1), "is disabled")
}

func TestRefusedArguments(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		`expect = "maybe"`:                `"allowed" "denied"`,
		`audience = ""`:                   "audience must not be empty. Write the audience to ask for, or leave it out",
		`credential_provider_config = ""`: "credential_provider_config must not be empty",
		`provider_id = "abc"`:             `"abc" is not a UUID`,
		`provider_id = ""`:                "Invalid UUID",
		`node_groups = [""]`:              "An element of node_groups must not be empty",
		`node_groups = [null]`:            "Null Set Value",
	} {
		w.Request.KubeletConfig = ""
		acctest.Says(t, w.workspace(w.check(line)).Plan(1), want)
	}
	w.Request.Image = "https://" + w.Request.Image
	acctest.Says(t, w.workspace(w.check()).Plan(1), "Not an image", "leave https:// out")
	w.Request.Image = "Not An Image"
	space := w.workspace(w.check())
	acctest.Says(t, space.Plan(1), "Not an image", "cannot be parsed")
	space.Config("data \"aktrust_pull_check\" \"test\" {\n  namespace = \"a\"\n  service_account = \"b\"\n  image = \"ak.test/images/app\"\n}\n")
	space.Env = slices.DeleteFunc(space.Env, func(v string) bool { return strings.HasPrefix(v, "ARTIFACT_KEEPER_") || strings.HasPrefix(v, "KUBE_") })
	acctest.Says(t, space.Plan(1), "Cannot check whether ServiceAccount a/b may pull ak.test/images/app", "nothing names a cluster")
}
