package pullcheck_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
)

func TestAllowed(t *testing.T) {
	w := newWorld(t)
	space := w.workspace(w.check("api", "manifest = true"))
	got := apply(t, space)
	var names []string
	for _, name := range trust.Names() {
		names = append(names, string(name))
		if link := got.Links[string(name)]; link.Status != "ok" {
			t.Errorf("%+v", link)
		}
	}
	if !slices.Equal(got.Order, names) || !got.Allowed || !got.AsExpected || got.Mapping != w.mapping || got.Name != "team" {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(got.Account, "ci-") || !strings.Contains(got.Summary, "is allowed") {
		t.Errorf("%+v", got)
	}
	space.Plan(0)
}

// Rows of the guide, as a user of the CLI sees them.
func TestFailures(t *testing.T) {
	breaks := map[string]func(*world) error{
		"audience-mismatch": func(w *world) error {
			return w.registry.UpdateProvider(w.provider, func(p *emulator.Provider) { p.Audience = "artifact-keeper" })
		},
		"issuer-slash": func(w *world) error {
			return w.registry.UpdateProvider(w.provider, func(p *emulator.Provider) { p.IssuerURL += "/" })
		},
		"key-rotated": func(w *world) error {
			return w.registry.UpdateProvider(w.provider, func(p *emulator.Provider) { p.StaticJWKS = json.RawMessage(acctest.KeySet("other")) })
		},
		"other-namespace": func(w *world) error {
			return w.registry.UpdateMapping(w.mapping, func(m *emulator.Mapping) {
				m.ClaimFilters = json.RawMessage(`{"/kubernetes.io/namespace":"another"}`)
			})
		},
		"empty-ceiling": func(w *world) error {
			return w.registry.UpdateMapping(w.mapping, func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{} })
		},
		"registry-unreachable": func(w *world) error { w.registry.Close(); return nil },
	}
	for name, breakIt := range breaks {
		t.Run(name, func(t *testing.T) {
			w, row := newWorld(t), failures.Find(name)
			space := w.workspace(w.check("api"))
			w.must(breakIt(w))
			got := apply(t, space)
			link := got.Links[string(row.Link)]
			if link.Status != "broken" || !strings.Contains(link.Detail, row.Detail) || !strings.Contains(link.Remedy, row.Remedy) {
				t.Errorf("%+v, want the detail %q and the remedy %q", link, row.Detail, row.Remedy)
			}
			if got.Allowed || got.AsExpected || !strings.Contains(got.Summary, row.Detail) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The negative test is met by the chain, and by nothing else.
func TestExpectDenied(t *testing.T) {
	w := newWorld(t)
	space := w.workspace(w.check("intruder", `expect = "denied"`))
	if got := apply(t, space); got.Allowed || !got.AsExpected || got.Links["mapping"].Status != "broken" || got.Mapping != "" {
		t.Errorf("%+v", got)
	}
	space.Config(w.check("api", `expect = "denied"`))
	if got := apply(t, space); !got.Allowed || got.AsExpected {
		t.Errorf("%+v", got)
	}
	space.Config(w.check("nobody-of-that-name", `expect = "denied"`))
	if got := apply(t, space); got.Allowed || got.AsExpected {
		t.Errorf("%+v", got)
	}
	space.Config(w.check("intruder", `expect = "denied"`))
	w.registry.Close()
	if got := apply(t, space); got.Allowed || got.AsExpected || !strings.Contains(got.Summary, "is not met") {
		t.Errorf("%+v", got)
	}
}

// A check block warns with the summary and lets the apply pass; a postcondition stops it.
func TestCheckBlock(t *testing.T) {
	w := newWorld(t)
	config := w.check("api") + `
check "pulls" {
  assert {
    condition     = data.aktrust_pull_check.test.as_expected
    error_message = data.aktrust_pull_check.test.summary
  }
}
`
	w.must(w.registry.UpdateProvider(w.provider, func(p *emulator.Provider) { p.IsEnabled = false }))
	space := w.workspace(config)
	acctest.Says(t, space.Apply(), "Check block assertion failed", "is disabled")
	space.Config(w.check("api", "lifecycle {\n    postcondition {\n      condition = self.as_expected\n      error_message = self.summary\n    }\n  }"))
	acctest.Says(t, space.Plan(1), "is disabled")
}

var credentials = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|ak_(ci|pull|admin)_[A-Z2-7]{10,}`)

// No token and no credential stands in a state, a plan or a log, however loud that is.
func TestNoCredentialAnywhere(t *testing.T) {
	w := newWorld(t)
	space := w.workspace(w.check("api", "manifest = true"))
	log := filepath.Join(space.Dir, "trace.log")
	space.Env = append(space.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	space.Expect(0, "plan", "-no-color", "-out=plan.bin")
	plan := space.Expect(0, "show", "-json", "plan.bin")
	apply(t, space)
	logged, err := os.ReadFile(log)
	w.must(err)
	if !strings.Contains(string(logged), "registry request") || !strings.Contains(string(logged), "/auth/ci/token") {
		t.Fatal("the log does not hold the provider's own lines, so that it proves nothing")
	}
	for where, text := range map[string]string{"log": string(logged), "plan": plan, "state": space.State()} {
		if found := credentials.FindString(text); found != "" {
			t.Errorf("the %s holds a credential that begins with %.12s", where, found)
		}
		for _, secret := range []string{w.registry.Token(), w.plane.Token(controlplane.Admin)} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s holds a credential of the provider's configuration", where)
			}
		}
	}
}

// Fifty checks list providers and mappings once, and exchange once each.
func TestFiftyChecks(t *testing.T) {
	w := newWorld(t)
	space := w.workspace(w.providerBlock() + fmt.Sprintf(`
data "aktrust_pull_check" "test" {
  count           = 50
  namespace       = %q
  service_account = "api"
  image           = %q
}
output "allowed" { value = alltrue(data.aktrust_pull_check.test[*].allowed) }
`, w.namespace, w.image()))
	w.registry.ResetRequests()
	acctest.Says(t, space.Plan(2), "+ allowed = true")
	counts := map[string]int{}
	for _, request := range w.registry.Requests() {
		counts[request.Method+" "+request.Path]++
	}
	for path, most := range map[string]int{
		"GET /api/v1/admin/ci-oidc": 1, "GET /api/v1/admin/ci-oidc/" + w.provider + "/mappings": 1, "POST /api/v1/auth/ci/token": 50,
		"GET /api/v1/permissions": 5, "GET /api/v1/repositories/images": 5, "GET /health": 5,
	} {
		if n := counts[path]; n == 0 || n > most {
			t.Errorf("%d requests %s, want at most %d", n, path, most)
		}
	}
}

func TestRefusedArguments(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		`expect = "maybe"`:   `"allowed" "denied"`,
		`audience = ""`:      "at least 1",
		`node_groups = [""]`: "at least 1",
	} {
		acctest.Says(t, w.workspace(w.check("api", line)).Plan(1), want)
	}
	space := w.workspace(strings.ReplaceAll(w.check("api"), w.image(), "Not An Image"))
	acctest.Says(t, space.Plan(1), "Not an image", "cannot be parsed")
	space.Config("data \"aktrust_pull_check\" \"test\" {\n  namespace = \"a\"\n  service_account = \"b\"\n  image = \"ak.test/images/app\"\n}\n")
	space.Env = slices.DeleteFunc(space.Env, func(v string) bool { return strings.HasPrefix(v, "ARTIFACT_KEEPER_") || strings.HasPrefix(v, "KUBE_") })
	acctest.Says(t, space.Plan(1), "Cannot check whether ServiceAccount a/b may pull ak.test/images/app", "nothing names a cluster")
}
