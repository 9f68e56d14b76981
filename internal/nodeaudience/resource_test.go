package nodeaudience_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// The life of a node audience: made with defaults, every attribute set, changed and cleared, imported at each step.
func TestLife(t *testing.T) {
	w := newWorld(t)
	full := map[string]string{
		"namespaces": quoted(w.b, w.a), "service_account_names": quoted("z", "app"), "groups": quoted("pool:b", "pool:a"),
		"labels": `{ team = "x", "example.com/l" = "1" }`, "annotations": `{ note = "any text" }`, "force_conflicts": "true",
	}
	wantFull := w.expected()
	wantFull.Rules[0].ResourceNames = []string{"app", "z"}
	wantFull.Labels = map[string]string{managed: "terraform-provider-aktrust", "team": "x", "example.com/l": "1"}
	wantFull.Annotations = map[string]string{"note": "any text"}
	wantFull.Bindings[""] = binding{
		Labels: wantFull.Labels, Annotations: wantFull.Annotations, Role: "ClusterRole " + w.name, Subjects: []string{"Group /pool:a", "Group /pool:b"},
	}
	wantFull = wantFull.in(w.a, w.b)

	changed := map[string]string{
		"namespaces": quoted(w.b), "service_account_names": quoted("app"), "groups": quoted("pool:c"), "labels": `{ team = "y" }`, "annotations": "{}",
	}
	wantChanged := w.expected()
	wantChanged.Rules[0].ResourceNames = []string{"app"}
	wantChanged.Labels = map[string]string{managed: "terraform-provider-aktrust", "team": "y"}
	wantChanged.Bindings[""] = binding{Labels: wantChanged.Labels, Role: "ClusterRole " + w.name, Subjects: []string{"Group /pool:c"}}
	wantChanged = wantChanged.in(w.b)

	w.run(
		resource.TestStep{
			Config: w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionCreate), Check: w.has(w.expected()),
			ConfigStateChecks: append([]statecheck.StateCheck{
				value("id", knownvalue.StringExact(w.name)), value("name", knownvalue.StringExact(w.name)),
				value("groups", knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("system:nodes")})),
				value("namespaces", knownvalue.Null()), value("service_account_names", knownvalue.Null()),
				value("labels", knownvalue.Null()), value("force_conflicts", knownvalue.Bool(false)),
			}, noProblems...),
		},
		w.imported(),
		resource.TestStep{Config: w.config(full), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(wantFull)},
		w.imported(),
		resource.TestStep{Config: w.config(changed), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(wantChanged)},
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(w.expected())},
		w.imported(),
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: w.name},
	)
}

// What it is all for: a kubelet is refused before, and gets exactly what is granted after.
func TestNodesGetTokens(t *testing.T) {
	w := newWorld(t)
	kubelet, err := w.Kubelet(t.Context(), controlplane.Node, w.a+"/app", w.a+"/other", w.b+"/app")
	if err != nil {
		t.Fatal(err)
	}
	gets := func(accounts ...string) resource.TestCheckFunc {
		return func(*terraform.State) error { return kubelet.Gets(t.Context(), w.audience, accounts...) }
	}
	w.must(gets()(nil))
	w.run(
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: emptyAfter, Check: gets(w.a+"/app", w.a+"/other", w.b+"/app")},
		resource.TestStep{
			Config: w.config(map[string]string{"namespaces": quoted(w.a)}), ConfigPlanChecks: emptyAfter, Check: gets(w.a+"/app", w.a+"/other"),
		},
		resource.TestStep{
			Config: w.config(map[string]string{"service_account_names": quoted("app")}), ConfigPlanChecks: emptyAfter, Check: gets(w.a+"/app", w.b+"/app"),
		},
		resource.TestStep{
			Config:           w.config(map[string]string{"namespaces": quoted(w.b), "service_account_names": quoted("app", "other")}),
			ConfigPlanChecks: emptyAfter, Check: gets(w.b + "/app"),
		},
		resource.TestStep{Config: w.config(map[string]string{"groups": quoted("pool:x")}), ConfigPlanChecks: emptyAfter, Check: gets()},
	)
	w.must(gets()(nil))
}

// Another audience is another object, unless the name is written out; another name is.
func TestReplacement(t *testing.T) {
	w := newWorld(t)
	other := acctest.HCL(w.audience + "other/")
	otherName := nodeaudience.DefaultName(w.audience + "other/")
	want := w.expected()
	want.Rules[0].Resources = []string{w.audience + "other/"}
	want.Bindings[""] = binding{Labels: want.Labels, Role: "ClusterRole " + otherName, Subjects: []string{"Group /system:nodes"}}
	mine := w.expected()
	mine.Bindings[""] = binding{Labels: mine.Labels, Role: "ClusterRole mine:" + w.a, Subjects: []string{"Group /system:nodes"}}
	mineOther := mine
	mineOther.Rules = want.Rules
	w.run(
		resource.TestStep{Config: w.config(nil), Check: w.has(w.expected())},
		resource.TestStep{
			Config: w.config(map[string]string{"audience": other}), ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
			Check: resource.ComposeTestCheckFunc(w.gone, w.named(otherName, want)),
		},
		resource.TestStep{
			Config:           w.config(map[string]string{"name": acctest.HCL("mine:" + w.a)}),
			ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
			Check:            resource.ComposeTestCheckFunc(w.named(otherName, remote{}), w.named("mine:"+w.a, mine)),
		},
		resource.TestStep{
			Config:           w.config(map[string]string{"name": acctest.HCL("mine:" + w.a), "audience": other}),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.named("mine:"+w.a, mineOther),
		},
		resource.TestStep{
			Config: w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
			Check: resource.ComposeTestCheckFunc(w.named("mine:"+w.a, remote{}), w.has(w.expected())),
		},
	)
}

// Somebody deletes the role: it is made again. Somebody deletes everything: destroying is fine.
func TestDeletedByOthers(t *testing.T) {
	w := newWorld(t)
	w.run(
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: emptyAfter},
		resource.TestStep{
			PreConfig: func() { w.must(w.admin.Delete(t.Context(), w.role())) },
			Config:    w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionCreate), Check: w.has(w.expected()),
		},
		resource.TestStep{
			PreConfig: func() {
				w.must(w.admin.Delete(t.Context(), w.role()), w.admin.Delete(t.Context(), w.clusterBinding()))
			},
			Config: w.config(nil), Destroy: true,
		},
	)
}
