package nodeaudience

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// nobodies are grants that grant nothing, each for another reason.
func nobodies(grant Grant, namespace string) map[string]Grant {
	groups, namespaces, both := grant, grant, grant
	groups.Groups = []string{}
	namespaces.Namespaces = []string{}
	both.Groups, both.Namespaces = []string{}, []string{namespace}
	return map[string]Grant{"no groups": groups, "no namespaces": namespaces, "no groups in a namespace": both}
}

// An empty list of namespaces or groups is nothing, which is not the same as everything.
func TestAGrantToNobody(t *testing.T) {
	client, _ := connect(t)
	kubelet, err := controlplane.Shared(t).Kubelet(t.Context(), controlplane.Node, "nobody-a/app", "nobody-b/app")
	if err != nil {
		t.Fatal(err)
	}
	somebody := grantFor(t)
	for name, nobody := range nobodies(somebody, "nobody-a") {
		t.Run(name, func(t *testing.T) {
			check := func(grant Grant, accounts ...string) {
				t.Helper()
				finds(t, client, grant)
				if err := kubelet.Gets(t.Context(), grant.Audience, accounts...); err != nil {
					t.Error(err)
				}
			}
			mustApply(t, client, nobody, nil)
			check(nobody)
			inNamespace := somebody
			inNamespace.Namespaces = []string{"nobody-a"}
			last := nobody
			for _, step := range []struct {
				grant Grant
				gets  []string
			}{
				{somebody, []string{"nobody-a/app", "nobody-b/app"}}, {nobody, nil}, {inNamespace, []string{"nobody-a/app"}}, {nobody, nil},
			} {
				mustApply(t, client, step.grant, &last)
				check(step.grant, step.gets...)
				last = step.grant
			}
			seen, err := Observe(t.Context(), client, nobody.Name, []string{"nobody-a"})
			if err != nil || seen.Role == nil || seen.ClusterRoleBinding != nil || len(seen.RoleBindings) != 0 {
				t.Errorf("there is %+v, %v", seen, err)
			}
			imported, err := Read(t.Context(), client, nobody.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			// Nothing in the cluster tells which of the two is empty.
			want := &Finding{Grant: Grant{Name: nobody.Name, Audience: nobody.Audience, Groups: []string{}}}
			if diff := cmp.Diff(want, imported); diff != "" {
				t.Error(diff)
			}
			if err := Delete(t.Context(), client, nobody.Name, nobody.Namespaces); err != nil {
				t.Error(err)
			}
		})
	}
}

// A binding that somebody adds is drift, and goes; one that is not ours to delete is named.
func TestBindingsOfAGrantToNobody(t *testing.T) {
	client, admin := connect(t)
	namespace := controlplane.Shared(t).Namespace(t)
	grant := grantFor(t)
	for name, nobody := range nobodies(grant, namespace) {
		t.Run(name, func(t *testing.T) {
			mustApply(t, client, nobody, nil)
			bind := func(labels object, role string) {
				t.Helper()
				rest := bound(grant)
				rest["roleRef"] = object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": role}
				create(t, admin, "clusterrolebindings", "ClusterRoleBinding", object{"name": grant.Name, "labels": labels}, rest)
			}
			bind(object{Label: LabelValue}, grant.Name)
			found, err := Read(t.Context(), client, grant.Name, &nobody)
			if err != nil || cmp.Equal(found, &Finding{Grant: nobody}) {
				t.Errorf("the binding is not seen: %+v, %v", found, err)
			}
			mustApply(t, client, nobody, &nobody)
			finds(t, client, nobody)

			bind(object{}, grant.Name)
			_, err = Apply(t.Context(), client, nobody, Options{Last: &nobody})
			says(t, err, "ClusterRoleBinding "+grant.Name+" grants more than is wanted", "kubectl delete clusterrolebinding")
			if err := admin.Delete(t.Context(), api+"clusterrolebindings/"+grant.Name); err != nil {
				t.Fatal(err)
			}

			// One of somebody else's role is nobody's business here, until it stands where ours has to be.
			bind(object{}, "view")
			finds(t, client, nobody)
			mustApply(t, client, nobody, &nobody)
			finds(t, client, nobody)
			_, err = Apply(t.Context(), client, grant, Options{Last: &nobody})
			says(t, err, "ClusterRoleBinding "+grant.Name+" exists, and was not made by this provider")
			if err := Delete(t.Context(), client, grant.Name, nobody.Namespaces); err != nil {
				t.Fatal(err)
			}
			if err := admin.Delete(t.Context(), api+"clusterrolebindings/"+grant.Name); err != nil {
				t.Error(err)
			}
		})
	}
}

// toNobody is what the tests below bend.
var toNobody = Grant{Name: "n", Audience: "ak", Groups: []string{}, Namespaces: []string{"a", "b"}}

var driftToNobody = map[string]drift{
	"nothing": {func(*Observed) {}, func(*Finding) {}},
	"a binding with our label": {
		func(o *Observed) { o.RoleBindings = []rbacv1.RoleBinding{*boundIn("a", "x")} },
		func(f *Finding) { f.Groups = []string{"x"} },
	},
	"one elsewhere": {
		func(o *Observed) { o.RoleBindings = []rbacv1.RoleBinding{*boundIn("c", "x")} },
		func(f *Finding) { f.Groups, f.Namespaces = []string{"x"}, []string{"a", "b", "c"} },
	},
	"one of a person": {
		func(o *Observed) {
			o.RoleBindings = []rbacv1.RoleBinding{*boundIn("a")}
			o.RoleBindings[0].Subjects = []rbacv1.Subject{subject("User", "", "jane")}
		},
		func(f *Finding) { f.UnmanagedSubjects = []string{`User "jane" in namespace a`} },
	},
	"one of somebody else's role": {
		func(o *Observed) {
			o.RoleBindings = []rbacv1.RoleBinding{*boundIn("a", "x")}
			o.RoleBindings[0].Labels, o.RoleBindings[0].RoleRef = nil, roleRef("view")
		},
		func(*Finding) {},
	},
	"one everywhere": {
		func(o *Observed) { o.ClusterRoleBinding = everywhere.ClusterRoleBinding() },
		func(f *Finding) { f.Problems = []string{"ClusterRoleBinding n grants the audience in all namespaces"} },
	},
}

// boundIn is a binding with our label of groups in a namespace.
func boundIn(namespace string, groups ...string) *rbacv1.RoleBinding {
	grant := toNobody
	grant.Groups = groups
	return grant.RoleBinding(namespace)
}

func TestDriftToNobody(t *testing.T) {
	for name, test := range driftToNobody {
		t.Run(name, func(t *testing.T) {
			checkDrift(t, toNobody, func(o *Observed) { o.RoleBindings = nil; test.bend(o) }, test.want)
		})
	}
	wide := toNobody
	wide.Namespaces = nil
	checkDrift(t, wide, func(o *Observed) {
		o.ClusterRoleBinding = nil
		o.RoleBindings = []rbacv1.RoleBinding{*boundIn("a", "x")}
	}, func(f *Finding) {
		f.Problems = []string{"RoleBinding a/n is left over: the audience is granted to nobody"}
	})
	checkDrift(t, wide, func(o *Observed) {
		o.ClusterRoleBinding.Labels, o.ClusterRoleBinding.RoleRef = nil, roleRef("view")
	}, func(*Finding) {})
}
