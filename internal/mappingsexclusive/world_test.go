package mappingsexclusive_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "aktrust_ci_oidc_mappings_exclusive.test"

// world is a registry with two CI OIDC providers, and a configuration to run on the first of them.
type world struct {
	*emulator.Server
	*acctest.Workspace
	t               *testing.T
	provider, other string // ids
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: acctest.Registry(t, emulator.Options{}), Workspace: acctest.NewWorkspace(t, ""), t: t}
	for i, id := range []*string{&w.provider, &w.other} {
		p, err := w.AddProvider(emulator.Provider{Name: fmt.Sprint("cluster", i), ProviderType: "kubernetes",
			IssuerURL: fmt.Sprint("https://oidc.example.com/", i), Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
		if err != nil {
			t.Fatal(err)
		}
		*id = p.ID
	}
	return w
}

// add is what somebody does behind our back: a mapping of the first provider that lets every token in.
func (w *world) add(name string, changes ...func(*emulator.Mapping)) emulator.Mapping {
	w.t.Helper()
	m := emulator.Mapping{ProviderID: w.provider, Name: name, Priority: 100, IsEnabled: true, ClaimFilters: json.RawMessage("{}")}
	for _, change := range changes {
		change(&m)
	}
	added, err := w.AddMapping(m)
	if err != nil {
		w.t.Fatal(err)
	}
	return added
}

// has expects that the registry has the mappings of these names, and no others.
func (w *world) has(names ...string) {
	w.t.Helper()
	var got []string
	for _, m := range w.Server.State().Mappings {
		got = append(got, m.Name)
	}
	slices.Sort(got)
	slices.Sort(names)
	if diff := cmp.Diff(names, got); diff != "" {
		w.t.Errorf("the registry has other mappings: %s", diff)
	}
}

// foreign gives foreign_mappings of the state.
func (w *world) foreign() []string {
	w.t.Helper()
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Attributes struct {
					ForeignMappings []string `json:"foreign_mappings"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(w.Workspace.State()), &state); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range state.Resources {
		if r.Type == "aktrust_ci_oidc_mappings_exclusive" {
			return r.Instances[0].Attributes.ForeignMappings
		}
	}
	w.t.Fatal("the state has no such resource")
	return nil
}

// writes is how many requests changed something since the last ResetRequests.
func (w *world) writes() int {
	n := 0
	for _, r := range w.Requests() {
		if r.Method != http.MethodGet {
			n++
		}
	}
	return n
}

// configure writes a configuration: the provider's block and these parts.
func (w *world) configure(parts ...string) {
	w.t.Helper()
	w.Config(acctest.ProviderBlock(w.Server, "  max_retries = 0") + strings.Join(parts, "\n"))
}

// mapping is a mapping that the configuration makes, with an address and a name.
func (w *world) mapping(name string, more ...string) string {
	return fmt.Sprintf(`
resource "aktrust_ci_oidc_mapping" %[1]q {
  provider_id       = %[2]q
  name              = %[1]q
  claim_filters     = { "/kubernetes.io/namespace" = %[1]q }
  group_binding_ids = []
  %[3]s
}
`, name, w.provider, strings.Join(more, "\n  "))
}

// exclusive has these HCL expressions as mapping_ids.
func (w *world) exclusive(ids ...string) string {
	return w.exclusiveSet("[" + strings.Join(ids, ", ") + "]")
}

// exclusiveSet has an HCL expression as mapping_ids.
func (w *world) exclusiveSet(set string) string {
	return exclusiveOf(fmt.Sprintf("%q", w.provider), set)
}

func exclusiveOf(provider, set string) string {
	return fmt.Sprintf("resource \"aktrust_ci_oidc_mappings_exclusive\" \"test\" {\n  provider_id = %s\n  mapping_ids = %s\n}\n", provider, set)
}

// id is the HCL expression of the id of a mapping of the configuration.
func id(name string) string { return "aktrust_ci_oidc_mapping." + name + ".id" }

// save plans into a file, and applySaved applies it, expecting an exit code.
func (w *world) save() {
	w.t.Helper()
	w.Expect(0, "plan", "-no-color", "-out=plan")
}

func (w *world) applySaved(code int) string {
	w.t.Helper()
	return w.Expect(code, "apply", "-no-color", "plan")
}
