package nodeaudience_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// set is how a test writes a set, what is planned and what the state has.
type set struct {
	written string
	state   knownvalue.Check
	remote  remote
}

// none is the grant without any binding.
func (w *world) none() remote { return w.expected().in() }

// forms are null, an empty list and a list of each set that knows all three.
func (w *world) forms() map[string][]set {
	only := func(text string) knownvalue.Check {
		return knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact(text)})
	}
	empty := knownvalue.SetExact(nil)
	pool := w.expected()
	pool.Bindings = map[string]binding{"": pool.Bindings[""]}
	bound := pool.Bindings[""]
	bound.Subjects = []string{"Group /pool:a"}
	pool.Bindings[""] = bound
	return map[string][]set{
		"namespaces": {
			{"null", knownvalue.Null(), w.expected()}, {"[]", empty, w.none()}, {quoted(w.a), only(w.a), w.expected().in(w.a)},
		},
		"groups": {
			{"null", only("system:nodes"), w.expected()}, {"[]", empty, w.none()}, {quoted("pool:a"), only("pool:a"), pool},
		},
	}
}

// Null, an empty list and a list are three things, from each to each, known while planning or not. An import plans nothing
// that changes the cluster.
func TestNullEmptyAndListAreThreeThings(t *testing.T) {
	for _, name := range []string{"namespaces", "groups"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			forms := w.forms()[name]
			// Each form follows each other one, and each comes known and unknown.
			var steps []resource.TestStep
			for i, at := range []int{0, 1, 0, 2, 1, 2, 0, 1} {
				form := forms[at]
				action := plancheck.ResourceActionUpdate
				if i == 0 {
					action = plancheck.ResourceActionCreate
				}
				if i%2 == 0 {
					steps = append(steps, w.step(map[string]string{name: form.written}, form, name, action))
				} else {
					more := later("{ set = " + form.written + " }")
					steps = append(steps, w.step(map[string]string{name: "terraform_data.later.output.set"}, form, name, action, more))
				}
			}
			steps = append(steps,
				// Nothing in the cluster tells which of the two sets is empty: an import takes groups for it.
				resource.TestStep{
					Config: w.config(map[string]string{name: "[]"}), ResourceName: address, ImportState: true, ImportStateId: w.name,
					ImportStateVerify: name == "groups", ImportStateVerifyIgnore: []string{"force_conflicts"},
				},
			)
			w.run(steps...)
		})
	}
}

// step applies a form of a set, and expects what is in the cluster and an empty plan after it.
func (w *world) step(arguments map[string]string, form set, name string, action plancheck.ResourceActionType, more ...string) resource.TestStep {
	step := resource.TestStep{Config: w.config(arguments, more...), ConfigPlanChecks: planned(action), Check: w.has(form.remote)}
	step.ConfigStateChecks = append(step.ConfigStateChecks, value(name, form.state))
	step.ConfigStateChecks = append(step.ConfigStateChecks, noProblems...)
	return step
}

// An import of a grant that grants nothing, and the apply after it.
func TestImportOfNothingGranted(t *testing.T) {
	for name, arguments := range map[string]map[string]string{
		"groups":     {"groups": "[]"},
		"namespaces": {"namespaces": "[]"},
		"both":       {"namespaces": "[]", "groups": "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cli := acctest.NewWorkspace(t, w.config(arguments))
			cli.Apply()
			cli.Expect(0, "state", "rm", address)
			cli.Expect(0, "import", "-no-color", address, w.name)
			if name == "groups" {
				cli.Plan(0)
			} else {
				acctest.Says(t, cli.Plan(2), "+ namespaces", "0 to add, 1 to change, 0 to destroy")
				cli.Apply()
			}
			w.must(w.has(w.none())(nil))
			acctest.Silent(t, cli.Plan(0), "Warning")
			cli.Apply("-destroy")
			w.must(w.gone(nil))
		})
	}
}

// An empty set of names would be every name to RBAC, whenever it turns out to be empty.
func TestNoNamesIsRefused(t *testing.T) {
	w := newWorld(t)
	named := w.expected()
	named.Rules[0].ResourceNames = []string{"app"}
	refusal := says("An empty set", "service_account_names has to name something", "a rule of RBAC without names covers all names")
	form := func(written string, want remote, state knownvalue.Check) resource.TestStep {
		return w.step(map[string]string{"service_account_names": written}, set{written, state, want}, "service_account_names",
			plancheck.ResourceActionUpdate)
	}
	names := knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("app")})
	w.run(
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: emptyAfter},
		form(quoted("app"), named, names),
		resource.TestStep{Config: w.config(map[string]string{"service_account_names": "[]"}), ExpectError: refusal},
		resource.TestStep{
			Config: w.config(map[string]string{"service_account_names": "terraform_data.later.output"}, later("[]")), ExpectError: refusal,
		},
		resource.TestStep{
			PreConfig: func() { w.must(w.has(named)(nil)) },
			Config:    w.config(map[string]string{"service_account_names": quoted("app")}), ConfigPlanChecks: emptyAfter, Check: w.has(named),
		},
		form("null", w.expected(), knownvalue.Null()),
	)
}

// What grants nothing is said once: by the plan that makes it so, or by the apply that learns of it.
func TestNothingGrantedIsWarnedOf(t *testing.T) {
	for _, name := range []string{"namespaces", "groups"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cli := acctest.NewWorkspace(t, w.config(map[string]string{name: "[]"}))
			out := cli.Plan(2)
			acctest.Says(t, out, "Warning: Nothing is granted", "leave "+name+" out")
			if n := strings.Count(out, "Nothing is granted"); n != 1 {
				t.Errorf("%d warnings:\n%s", n, out)
			}
			cli.Apply()
			acctest.Silent(t, cli.Plan(0), "Warning")

			cli.Config(w.config(map[string]string{name: quoted(w.a)}, later("1")))
			acctest.Silent(t, cli.Plan(2), "Warning")
			cli.Apply()
			cli.Expect(0, "state", "rm", "terraform_data.later")
			cli.Config(w.config(map[string]string{name: "[for name in [\"x\"] : name if terraform_data.later.output == 2]"}, later("1")))
			acctest.Silent(t, cli.Plan(2), "Nothing is granted")
			acctest.Says(t, cli.Apply(), "Warning: Nothing is granted", "leave "+name+" out")
			acctest.Silent(t, cli.Plan(0), "Warning")
			w.must(w.has(w.none())(nil))
			cli.Apply("-destroy")
		})
	}
}

// A binding that somebody adds to a grant of nothing shows in the plan, and apply takes it away.
func TestBindingOfNothingGranted(t *testing.T) {
	theirs := func(w *world) error {
		return w.admin.Do(w.t.Context(), "POST", api+"clusterrolebindings", object{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
			"metadata": object{"name": w.name, "labels": object{managed: "terraform-provider-aktrust"}},
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": w.name},
			"subjects": []object{group("system:nodes")},
		}, nil)
	}
	for name, reads := range map[string]func(w *world) object{
		"groups": func(*world) object { return object{"groups": []any{"system:nodes"}} },
		"namespaces": func(w *world) object {
			return object{"problems": []any{"ClusterRoleBinding " + w.name + " grants the audience in all namespaces"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			config := w.config(map[string]string{name: "[]"})
			w.run(
				resource.TestStep{Config: config, ConfigPlanChecks: emptyAfter, Check: w.has(w.none())},
				resource.TestStep{
					PreConfig: func() { w.must(theirs(w)) }, RefreshState: true, ExpectNonEmptyPlan: true,
					RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{was(reads(w))}},
				},
				resource.TestStep{
					Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(w.none()), ConfigStateChecks: noProblems,
				},
			)
		})
	}
}
