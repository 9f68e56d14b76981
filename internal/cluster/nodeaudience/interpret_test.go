package nodeaudience

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// everywhere and inTeams are what the tests below bend.
var (
	everywhere = Grant{Name: "n", Audience: "https://ak.test/", Groups: []string{NodesGroup}}
	inTeams    = Grant{
		Name: "n", Audience: "ak", Groups: []string{"g", NodesGroup}, Namespaces: []string{"a", "b"}, ServiceAccountNames: []string{"app"},
		Labels: map[string]string{"l": "1"},
	}
)

// observed is what the API server has after a grant was applied.
func observed(g Grant) *Observed {
	o := &Observed{name: g.Name, Role: g.Role()}
	if g.Namespaces == nil {
		o.ClusterRoleBinding = g.ClusterRoleBinding()
	}
	for _, namespace := range g.Namespaces {
		o.RoleBindings = append(o.RoleBindings, *g.RoleBinding(namespace))
	}
	return o
}

func subject(kind, namespace, name string) rbacv1.Subject {
	s := rbacv1.Subject{Kind: kind, Namespace: namespace, Name: name}
	if kind != rbacv1.ServiceAccountKind {
		s.APIGroup = rbacv1.GroupName
	}
	return s
}

func TestWhatWasAppliedReadsBackAsItIs(t *testing.T) {
	for name, grant := range map[string]Grant{"everywhere": everywhere, "in teams": inTeams} {
		for _, last := range []*Grant{&grant, nil} {
			t.Run(name, func(t *testing.T) {
				o := observed(grant)
				// Without anything to go by, managedFields tell which labels are ours.
				o.Role.ManagedFields = []metav1.ManagedFieldsEntry{appliedBy("terraform-provider-aktrust", `{"f:metadata":{"f:labels":{
					"f:l":{},"f:app.kubernetes.io/managed-by":{}}},"f:rules":{}}`)}
				got, err := o.Interpret(last)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(&Finding{Grant: grant}, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func appliedBy(manager, fields string) metav1.ManagedFieldsEntry {
	entry := metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{}}
	if err := entry.FieldsV1.UnmarshalJSON([]byte(fields)); err != nil {
		panic(err)
	}
	return entry
}

// drift is what somebody did, and how it reads.
type drift struct {
	bend func(*Observed)
	want func(*Finding)
}

const ourLabel = "app.kubernetes.io/managed-by=terraform-provider-aktrust"

var driftEverywhere = map[string]drift{
	"the audience is another": {
		func(o *Observed) { o.Role.Rules[0].Resources = []string{"other"} },
		func(f *Finding) { f.Audience = "other" },
	},
	"narrowed to names": {
		func(o *Observed) { o.Role.Rules[0].ResourceNames = []string{"b", "a"} },
		func(f *Finding) { f.ServiceAccountNames = []string{"a", "b"} },
	},
	"the rule got wider": {
		func(o *Observed) {
			o.Role.Rules[0].Resources = []string{"pods", "https://ak.test/"}
			o.Role.Rules[0].Verbs = []string{Verb, "get"}
			o.Role.Rules[0].APIGroups = []string{"", "apps"}
		},
		func(f *Finding) {
			f.Problems = []string{
				`the rule for the audience in ClusterRole n also has the verbs "get"`,
				`the rule for the audience in ClusterRole n also has the API groups "apps"`,
				`the rule for the audience in ClusterRole n also has the resources "pods"`,
			}
		},
	},
	"other rules, before ours": {
		func(o *Observed) {
			o.Role.Rules = append([]rbacv1.PolicyRule{
				{APIGroups: []string{""}, Resources: []string{"other"}, Verbs: []string{Verb}, ResourceNames: []string{"x"}},
				{APIGroups: []string{"apps", ""}, Resources: []string{"pods", "deployments"}, Verbs: []string{"list", "get"}},
				{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}},
			}, o.Role.Rules...)
		},
		func(f *Finding) {
			f.UnmanagedRules = []string{
				`get on URLs "/metrics"`,
				`get, list on "deployments", "pods" of API group "", "apps"`,
				Verb + ` on "other" named "x"`,
			}
		},
	},
	"no rule is left": {
		func(o *Observed) { o.Role.Rules = nil },
		func(f *Finding) {
			f.Problems = []string{`no rule of ClusterRole n lets nodes request "https://ak.test/" any more`}
		},
	},
	"aggregated": {
		func(o *Observed) { o.Role.AggregationRule = &rbacv1.AggregationRule{} },
		func(f *Finding) {
			f.Problems = []string{"ClusterRole n has an aggregationRule: the control plane rewrites its rules"}
		},
	},
	"our label is gone, or another's": {
		func(o *Observed) { o.Role.Labels = nil; o.ClusterRoleBinding.Labels[Label] = "Helm" },
		func(f *Finding) {
			f.Problems = []string{
				"ClusterRole n lacks the label " + ourLabel,
				"ClusterRoleBinding n has the label app.kubernetes.io/managed-by=Helm instead of terraform-provider-aktrust",
			}
		},
	},
	"labels of others": {
		func(o *Observed) { o.Role.Labels["theirs"], o.ClusterRoleBinding.Labels["theirs"] = "1", "2" },
		func(*Finding) {},
	},
	"the binding is gone": {
		func(o *Observed) { o.ClusterRoleBinding = nil },
		func(f *Finding) { f.Groups = []string{} },
	},
	"the binding has no subjects": {
		func(o *Observed) { o.ClusterRoleBinding.Subjects = nil },
		func(f *Finding) { f.Groups = []string{} },
	},
	"others are bound": {
		func(o *Observed) {
			o.ClusterRoleBinding.Subjects = append(o.ClusterRoleBinding.Subjects, subject("Group", "", "extra"), subject("User", "", "jane"),
				subject("ServiceAccount", "ns", "app"), rbacv1.Subject{Kind: "Group", Name: "no-api-group"})
		},
		func(f *Finding) {
			f.UnmanagedSubjects = []string{`Group "extra"`, `Group "no-api-group"`, `ServiceAccount "ns/app"`, `User "jane"`}
		},
	},
	"another role is bound": {
		func(o *Observed) { o.ClusterRoleBinding.RoleRef.Name = "cluster-admin" },
		func(f *Finding) {
			f.Problems = []string{"ClusterRoleBinding n binds ClusterRole cluster-admin instead of ClusterRole n"}
		},
	},
	"RoleBindings too": {
		func(o *Observed) { o.RoleBindings = append(o.RoleBindings, *everywhere.RoleBinding("a")) },
		func(f *Finding) {
			f.Problems = []string{"RoleBinding a/n is left over: the audience is granted in all namespaces"}
		},
	},
}

func TestDriftEverywhere(t *testing.T) {
	for name, test := range driftEverywhere {
		t.Run(name, func(t *testing.T) { checkDrift(t, everywhere, test.bend, test.want) })
	}
}

var driftInNamespaces = map[string]drift{
	"one binding is gone": {
		func(o *Observed) { o.RoleBindings = o.RoleBindings[:1] },
		func(f *Finding) { f.Namespaces = []string{"a"} },
	},
	"all bindings are gone": {
		func(o *Observed) { o.RoleBindings = nil },
		func(f *Finding) { f.Namespaces = []string{} },
	},
	"one more with our label": {
		func(o *Observed) { o.RoleBindings = append(o.RoleBindings, *inTeams.RoleBinding("c")) },
		func(f *Finding) { f.Namespaces = []string{"a", "b", "c"} },
	},
	"one group is missing in one binding": {
		func(o *Observed) { o.RoleBindings[1].Subjects = o.RoleBindings[1].Subjects[1:] },
		func(f *Finding) { f.Groups = []string{NodesGroup} },
	},
	"others are bound in one": {
		func(o *Observed) {
			o.RoleBindings[1].Subjects = append(o.RoleBindings[1].Subjects, subject("Group", "", "extra"))
		},
		func(f *Finding) { f.UnmanagedSubjects = []string{`Group "extra" in namespace b`} },
	},
	"a ClusterRoleBinding too": {
		func(o *Observed) {
			o.ClusterRoleBinding = inTeams.ClusterRoleBinding()
			o.ClusterRoleBinding.Labels = nil
		},
		func(f *Finding) { f.Problems = []string{"ClusterRoleBinding n grants the audience in all namespaces"} },
	},
	"a ClusterRoleBinding of somebody else's role": {
		func(o *Observed) {
			o.ClusterRoleBinding = &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "n"}, RoleRef: roleRef("view")}
		},
		func(*Finding) {},
	},
	"all names": {
		func(o *Observed) { o.Role.Rules[0].ResourceNames = nil },
		func(f *Finding) { f.ServiceAccountNames = nil },
	},
	"labels of ours bent": {
		func(o *Observed) {
			o.Role.Labels["l"] = "2"
			delete(o.RoleBindings[0].Labels, "l")
			o.RoleBindings[1].Labels["l"] = "3"
		},
		func(f *Finding) {
			f.Labels = map[string]string{"l": "2"}
			f.Problems = []string{"RoleBinding a/n lacks the label l=1", "RoleBinding b/n has the label l=3 instead of 1"}
		},
	},
	"labels of ours removed": {
		func(o *Observed) { delete(o.Role.Labels, "l") },
		func(f *Finding) { f.Labels = nil },
	},
}

func TestDriftInNamespaces(t *testing.T) {
	for name, test := range driftInNamespaces {
		t.Run(name, func(t *testing.T) { checkDrift(t, inTeams, test.bend, test.want) })
	}
}

func checkDrift(t *testing.T, grant Grant, bend func(*Observed), change func(*Finding)) {
	t.Helper()
	o, want := observed(grant), &Finding{Grant: grant}
	bend(o)
	change(want)
	got, err := o.Interpret(&grant)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutAnythingToGoBy(t *testing.T) {
	o := observed(everywhere)
	o.Role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}
	if _, err := o.Interpret(nil); !errors.Is(err, ErrNoGrant) {
		t.Errorf("a role about pods: %v", err)
	}

	o = observed(inTeams)
	o.Role.Rules[0].Verbs = []string{"get", Verb}
	o.RoleBindings[0].Subjects = append(o.RoleBindings[0].Subjects, subject("Group", "", "only-in-a"))
	got, err := o.Interpret(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := inTeams
	want.Labels = nil // nothing says that it is ours
	if diff := cmp.Diff(&Finding{
		Grant: want, UnmanagedSubjects: []string{`Group "only-in-a" in namespace a`},
		Problems: []string{`the rule for the audience in ClusterRole n also has the verbs "get"`},
	}, got); diff != "" {
		t.Error(diff)
	}

	o = observed(inTeams)
	o.RoleBindings = nil
	if got, err = o.Interpret(nil); err != nil || got.Namespaces != nil || len(got.Groups) != 0 {
		t.Errorf("without any binding: %+v, %v", got, err)
	}
}

// A binding that came back after its absence was read is not somebody else's.
func TestGroupsComeBack(t *testing.T) {
	last := everywhere
	last.Groups = []string{}
	got, err := observed(everywhere).Interpret(&last)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Finding{Grant: everywhere}, got); diff != "" {
		t.Error(diff)
	}
}
