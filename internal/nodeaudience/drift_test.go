package nodeaudience_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// says matches an error that has these parts in this order, wherever its lines break.
func says(parts ...string) *regexp.Regexp {
	for i, part := range parts {
		words := strings.Fields(part)
		for j, word := range words {
			words[j] = regexp.QuoteMeta(word)
		}
		parts[i] = strings.Join(words, `[\s│]+`)
	}
	return regexp.MustCompile(`(?s)` + strings.Join(parts, `.*`))
}

// group is a Group as a subject.
func group(name string) object {
	return object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": name}
}

var drifts = map[string]struct {
	namespaced bool
	bend       func(w *world) error
	reads      func(w *world) object // attributes after the refresh
}{
	"extra rule": {
		bend: func(w *world) error {
			return w.edit(w.role(), object{"rules": []object{
				{"apiGroups": []string{""}, "resources": []string{w.audience}, "verbs": []string{"request-serviceaccounts-token-audience"}},
				{"apiGroups": []string{""}, "resources": []string{"secrets"}, "verbs": []string{"get"}},
			}})
		},
		reads: func(*world) object {
			return object{"unmanaged_rules": []any{`get on "secrets"`}, "problems": []any{}}
		},
	},
	"another audience": {
		bend: func(w *world) error {
			return w.edit(w.role(), object{"rules": []object{
				{"apiGroups": []string{""}, "resources": []string{"*"}, "verbs": []string{"request-serviceaccounts-token-audience"}},
			}})
		},
		reads: func(*world) object {
			return object{"audience": "*"}
		},
	},
	"extra subjects": {
		bend: func(w *world) error {
			return w.edit(w.clusterBinding(), object{"subjects": []object{group("system:nodes"), group("extra"),
				{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}}})
		},
		reads: func(*world) object {
			return object{"unmanaged_subjects": []any{`Group "extra"`, `User "jane"`}, "groups": []any{"system:nodes"}}
		},
	},
	"binding deleted": {
		bend: func(w *world) error { return w.admin.Delete(w.t.Context(), w.clusterBinding()) },
		reads: func(*world) object {
			return object{"groups": []any{}, "namespaces": nil}
		},
	},
	"one of two bindings deleted": {
		namespaced: true,
		bend:       func(w *world) error { return w.admin.Delete(w.t.Context(), w.bindingIn(w.a)) },
		reads: func(w *world) object {
			return object{"namespaces": []any{w.b}, "groups": []any{"system:nodes"}}
		},
	},
	"both bindings deleted": {
		namespaced: true,
		bend: func(w *world) error {
			return errors.Join(w.admin.Delete(w.t.Context(), w.bindingIn(w.a)), w.admin.Delete(w.t.Context(), w.bindingIn(w.b)))
		},
		reads: func(*world) object {
			return object{"namespaces": []any{}, "groups": []any{"system:nodes"}}
		},
	},
}

// Whatever a person does to the objects shows in the plan, and apply takes it back.
func TestDriftIsShownAndTakenBack(t *testing.T) {
	for name, test := range drifts {
		t.Run(name, func(t *testing.T) { driftTest(t, test.namespaced, test.bend, test.reads) })
	}
}

// What has no attribute of its own is told in problems.
func TestProblemsAreShownAndMended(t *testing.T) {
	for name, test := range map[string]struct {
		namespaced bool
		bend       func(w *world) error
		problem    func(w *world) string
	}{
		"another role is bound": {
			bend: func(w *world) error {
				return errors.Join(
					w.admin.Delete(w.t.Context(), w.clusterBinding()),
					w.admin.Do(w.t.Context(), http.MethodPost, api+"clusterrolebindings", object{
						"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
						"metadata": object{"name": w.name, "labels": object{managed: "terraform-provider-aktrust"}},
						"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
						"subjects": []object{group("system:nodes")},
					}, nil),
				)
			},
			problem: func(w *world) string {
				return "ClusterRoleBinding " + w.name + " binds ClusterRole view instead of ClusterRole " + w.name
			},
		},
		"our label is gone": {
			bend: func(w *world) error {
				return w.edit(w.role(), object{"metadata": object{"labels": object{managed: nil}}})
			},
			problem: func(w *world) string {
				return "ClusterRole " + w.name + " lacks the label app.kubernetes.io/managed-by=terraform-provider-aktrust"
			},
		},
		"the rule is wider": {
			bend: func(w *world) error {
				return w.edit(w.role(), object{"rules": []object{{
					"apiGroups": []string{""}, "resources": []string{w.audience, "pods"}, "verbs": []string{"request-serviceaccounts-token-audience"},
				}}})
			},
			problem: func(w *world) string {
				return "the rule for the audience in ClusterRole " + w.name + ` also has the resources "pods"`
			},
		},
		"a ClusterRoleBinding beside RoleBindings": {
			namespaced: true,
			bend: func(w *world) error {
				return w.admin.Do(w.t.Context(), http.MethodPost, api+"clusterrolebindings", object{
					"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
					"metadata": object{"name": w.name, "labels": object{managed: "terraform-provider-aktrust"}},
					"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": w.name},
				}, nil)
			},
			problem: func(w *world) string {
				return "ClusterRoleBinding " + w.name + " grants the audience in all namespaces"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			driftTest(t, test.namespaced, test.bend, func(w *world) object { return object{"problems": []any{test.problem(w)}} })
		})
	}
}

// was expects attributes as they are before the planned change, which is how they were read.
type was object

func (want was) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != address {
			continue
		}
		got := object{}
		for name := range want {
			got[name] = change.Change.Before.(object)[name]
		}
		if diff := cmp.Diff(object(want), got); diff != "" {
			resp.Error = fmt.Errorf("read as: %s", diff)
		}
		return
	}
	resp.Error = fmt.Errorf("the plan says nothing of %s", address)
}

// driftTest applies, lets somebody bend, reads, and applies again: then all is as it was.
func driftTest(t *testing.T, namespaced bool, bend func(*world) error, reads func(*world) object) {
	t.Helper()
	w := newWorld(t)
	config, want := w.config(nil), w.expected()
	if namespaced {
		config, want = w.config(map[string]string{"namespaces": quoted(w.a, w.b)}), want.in(w.a, w.b)
	}
	w.run(
		resource.TestStep{Config: config, ConfigPlanChecks: emptyAfter, Check: w.has(want)},
		resource.TestStep{
			PreConfig:          func() { w.must(bend(w)) },
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate), was(reads(w)),
			}},
		},
		resource.TestStep{
			Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(want), ConfigStateChecks: noProblems,
		},
	)
}

// Labels and annotations of others are theirs; ours that somebody changes are taken back.
func TestLabelsOfOthersStay(t *testing.T) {
	w := newWorld(t)
	config := w.config(map[string]string{"labels": `{ ours = "1" }`})
	want := w.expected()
	want.Labels = map[string]string{managed: "terraform-provider-aktrust", "ours": "1", "theirs": "2"}
	want.Annotations = map[string]string{"theirs": "3"}
	want.Bindings[""] = binding{
		Labels: map[string]string{managed: "terraform-provider-aktrust", "ours": "1"}, Role: "ClusterRole " + w.name, Subjects: []string{"Group /system:nodes"},
	}
	theirs := object{"metadata": object{"labels": object{"theirs": "2"}, "annotations": object{"theirs": "3"}}}
	without := want
	without.Labels = map[string]string{managed: "terraform-provider-aktrust", "theirs": "2"}
	without.Bindings = w.expected().Bindings
	w.run(
		resource.TestStep{Config: config, ConfigPlanChecks: emptyAfter},
		resource.TestStep{
			PreConfig: func() { w.must(w.edit(w.role(), theirs)) },
			Config:    config, ConfigPlanChecks: planned(plancheck.ResourceActionNoop), Check: w.has(want),
		},
		w.imported(),
		resource.TestStep{
			PreConfig: func() { w.must(w.edit(w.role(), object{"metadata": object{"labels": object{"ours": "bent"}}})) },
			Config:    config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(want),
		},
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(without)},
	)
}

// Another manager that applies other values is named; only force_conflicts overrides it.
func TestConflict(t *testing.T) {
	w := newWorld(t)
	theirs := object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": object{"name": w.name},
		"rules": []object{{"apiGroups": []string{""}, "resources": []string{"theirs"}, "verbs": []string{"request-serviceaccounts-token-audience"}}},
	}
	w.run(
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: emptyAfter},
		resource.TestStep{
			PreConfig:   func() { w.must(w.admin.Apply(t.Context(), w.role(), "argocd-controller", true, theirs)) },
			Config:      w.config(nil),
			ExpectError: says("Cannot update the node audience", "409 Conflict", `"argocd-controller" (.rules)`, "force_conflicts = true"),
		},
		resource.TestStep{
			Config: w.config(map[string]string{"force_conflicts": "true"}), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: w.has(w.expected()),
		},
	)
}
