package nodeaudience_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	address = "aktrust_node_audience.test"
	api     = "/apis/rbac.authorization.k8s.io/v1/"
	managed = "app.kubernetes.io/managed-by"
)

type object = map[string]any

// world is a cluster, and the audience, the name and two namespaces of one test.
type world struct {
	*controlplane.ControlPlane
	t        *testing.T
	admin    *controlplane.API
	audience string
	name     string
	a, b     string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{ControlPlane: controlplane.Shared(t), t: t}
	w.admin = w.As(controlplane.Admin)
	w.audience = "https://" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", ".")) + ".test/v2/"
	w.name = nodeaudience.DefaultName(w.audience)
	w.a = w.Namespace(t)
	w.b = w.a[:min(len(w.a), 61)] + "-b"
	if err := w.admin.EnsureNamespace(t.Context(), w.b); err != nil {
		t.Fatal(err)
	}
	return w
}

// provider is the provider's configuration, with more arguments of its kubernetes block.
func (w *world) provider() string {
	return fmt.Sprintf("provider \"aktrust\" {\n  kubernetes = {\n    host = %q\n    token = %q\n    cluster_ca_certificate = %s\n  }\n}\n",
		w.URL(), w.Token(controlplane.Admin), acctest.HCL(w.CA()))
}

// config gives the configuration of one node audience. Arguments are added to the minimal one; an empty one removes it.
func (w *world) config(arguments map[string]string, more ...string) string {
	all := map[string]string{"audience": acctest.HCL(w.audience)}
	maps.Copy(all, arguments)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != "" {
			lines = append(lines, "  "+name+" = "+all[name])
		}
	}
	return w.provider() + "resource \"aktrust_node_audience\" \"test\" {\n" + strings.Join(lines, "\n") + "\n}\n" + strings.Join(more, "\n")
}

// quoted gives texts as an HCL list.
func quoted(in ...string) string {
	var out []string
	for _, text := range in {
		out = append(out, acctest.HCL(text))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// remote is everything of one name in the cluster, without what the API server adds.
type remote struct {
	Labels, Annotations map[string]string // of the ClusterRole
	Rules               []rule
	Bindings            map[string]binding // by namespace; "" is the ClusterRoleBinding
}

type rule struct{ APIGroups, Resources, Verbs, ResourceNames []string }

type binding struct {
	Labels, Annotations map[string]string
	Role                string
	Subjects            []string // "Kind namespace/name"
}

// expected is what the cluster has after the minimal configuration.
func (w *world) expected() remote {
	labels := map[string]string{managed: "terraform-provider-aktrust"}
	return remote{
		Labels:   labels,
		Rules:    []rule{{APIGroups: []string{""}, Resources: []string{w.audience}, Verbs: []string{"request-serviceaccounts-token-audience"}}},
		Bindings: map[string]binding{"": {Labels: labels, Role: "ClusterRole " + w.name, Subjects: []string{"Group /system:nodes"}}},
	}
}

// in gives the same with the binding in namespaces instead.
func (r remote) in(namespaces ...string) remote {
	was := r.Bindings[""]
	if r.Bindings = nil; len(namespaces) == 0 {
		return r
	}
	r.Bindings = map[string]binding{}
	for _, namespace := range namespaces {
		r.Bindings[namespace] = was
	}
	return r
}

type wireMeta struct {
	Metadata struct {
		Namespace           string
		Labels, Annotations map[string]string
	}
}

type wireBinding struct {
	wireMeta
	RoleRef  struct{ Kind, Name string }
	Subjects []struct{ Kind, Namespace, Name string }
}

func (b wireBinding) plain() binding {
	out := binding{Labels: b.Metadata.Labels, Annotations: b.Metadata.Annotations, Role: b.RoleRef.Kind + " " + b.RoleRef.Name}
	for _, s := range b.Subjects {
		out.Subjects = append(out.Subjects, s.Kind+" "+s.Namespace+"/"+s.Name)
	}
	return out
}

// look reads everything of the world's name, not by the client under test.
func (w *world) look(name string) (*remote, error) {
	var role struct {
		Items []struct {
			wireMeta
			Rules []rule
		}
	}
	var wide, narrow struct{ Items []wireBinding }
	for collection, into := range map[string]any{"clusterroles": &role, "clusterrolebindings": &wide, "rolebindings": &narrow} {
		if err := w.admin.Get(w.t.Context(), api+collection+"?fieldSelector=metadata.name%3D"+name, into); err != nil {
			return nil, err
		}
	}
	out := &remote{}
	for _, r := range role.Items {
		out.Labels, out.Annotations, out.Rules = r.Metadata.Labels, r.Metadata.Annotations, r.Rules
	}
	for _, b := range append(wide.Items, narrow.Items...) {
		if out.Bindings == nil {
			out.Bindings = map[string]binding{}
		}
		out.Bindings[b.Metadata.Namespace] = b.plain()
	}
	return out, nil
}

// has compares the whole of what the cluster has.
func (w *world) has(want remote) resource.TestCheckFunc { return w.named(w.name, want) }

func (w *world) named(name string, want remote) resource.TestCheckFunc {
	return func(*terraform.State) error {
		got, err := w.look(name)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			return fmt.Errorf("the cluster has something else: %s", diff)
		}
		return nil
	}
}

// gone is that the cluster has nothing of the world's name.
func (w *world) gone(*terraform.State) error { return w.has(remote{})(nil) }

// must runs what somebody else does to the cluster.
func (w *world) must(errs ...error) {
	w.t.Helper()
	for _, err := range errs {
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) role() string { return api + "clusterroles/" + w.name }

func (w *world) clusterBinding() string { return api + "clusterrolebindings/" + w.name }

func (w *world) bindingIn(namespace string) string {
	return api + "namespaces/" + namespace + "/rolebindings/" + w.name
}

// edit changes an object as kubectl edit does.
func (w *world) edit(path string, patch object) error {
	return w.admin.Patch(w.t.Context(), path, "kubectl-edit", patch)
}

func value(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want)
}

// texts is a list or set of exactly these.
func texts(in ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(in))
	for i, text := range in {
		checks[i] = knownvalue.StringExact(text)
	}
	return knownvalue.ListExact(checks)
}

var (
	emptyAfter = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	noProblems = []statecheck.StateCheck{
		value("unmanaged_rules", texts()), value("unmanaged_subjects", texts()), value("problems", texts()),
	}
)

// planned expects an action before the apply, and an empty plan after it.
func planned(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

func (w *world) imported() resource.TestStep {
	return resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: w.name,
		ImportStateVerifyIgnore: []string{"force_conflicts"}}
}

func (w *world) run(steps ...resource.TestStep) {
	w.t.Helper()
	resource.UnitTest(w.t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, CheckDestroy: w.gone, Steps: steps})
}
