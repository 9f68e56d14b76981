package nodeaudience

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// What it is all for: a kubelet is refused before, gets exactly what is granted, and is refused again afterwards.
func TestNodesGetWhatIsGranted(t *testing.T) {
	client, _ := connect(t)
	kubelet, err := controlplane.Shared(t).Kubelet(t.Context(), controlplane.Node, "grants-a/app", "grants-a/other", "grants-b/app")
	if err != nil {
		t.Fatal(err)
	}
	gets := func(audience string, accounts ...string) {
		t.Helper()
		if err := kubelet.Gets(t.Context(), audience, accounts...); err != nil {
			t.Fatal(err)
		}
	}
	grant := grantFor(t)
	gets(grant.Audience)

	var last *Grant
	for _, step := range []struct {
		namespaces, names []string
		want              []string
	}{
		{nil, nil, []string{"grants-a/app", "grants-a/other", "grants-b/app"}},
		{[]string{"grants-a"}, nil, []string{"grants-a/app", "grants-a/other"}},
		{[]string{"grants-a", "grants-b"}, []string{"app"}, []string{"grants-a/app", "grants-b/app"}},
		{[]string{"grants-b"}, []string{"app", "other"}, []string{"grants-b/app"}},
		{nil, []string{"other"}, []string{"grants-a/other"}},
	} {
		next := grant
		next.Namespaces, next.ServiceAccountNames = step.namespaces, step.names
		mustApply(t, client, next, last)
		finds(t, client, next)
		gets(grant.Audience, step.want...)
		last = &next
	}
	gets("https://testnodesgetwhatisgranted.test/v2") // without the slash it is another audience

	if err := Delete(t.Context(), client, grant.Name, scope(last)); err != nil {
		t.Fatal(err)
	}
	gets(grant.Audience)
	if found, err := Read(t.Context(), client, grant.Name, last); found != nil || err != nil {
		t.Errorf("after deletion: %v, %v", found, err)
	}
	if err := Delete(t.Context(), client, grant.Name, nil); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}

func TestApplyingTheSameChangesNothing(t *testing.T) {
	client, _ := connect(t)
	grant := grantFor(t)
	grant.Labels, grant.Annotations = map[string]string{"a": "1"}, map[string]string{"b": "2"}
	mustApply(t, client, grant, nil)
	before, err := Observe(t.Context(), client, grant.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, client, grant, &grant)
	after, err := Observe(t.Context(), client, grant.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after, cmp.AllowUnexported(Observed{})); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAPersonChangedIsTakenBack(t *testing.T) {
	client, admin := connect(t)
	grant := grantFor(t)
	grant.Labels = map[string]string{"ours": "1"}
	mustApply(t, client, grant, nil)
	err := errors.Join(
		admin.Patch(t.Context(), api+"clusterroles/"+grant.Name, "kubectl-edit", object{
			"metadata": object{"labels": object{"ours": "2", "theirs": "3", Label: "somebody"}, "annotations": object{"note": "mind this"}},
			"rules":    []object{{"apiGroups": []string{""}, "resources": []string{"*"}, "verbs": []string{Verb}}},
		}),
		admin.Patch(t.Context(), api+"clusterrolebindings/"+grant.Name, "kubectl-patch", object{
			"subjects": []object{{"apiGroup": rbacv1.GroupName, "kind": "Group", "name": "system:authenticated"}},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Read(t.Context(), client, grant.Name, &grant)
	if err != nil {
		t.Fatal(err)
	}
	want := &Finding{
		Grant:             Grant{Name: grant.Name, Audience: "*", Groups: []string{}, Labels: map[string]string{"ours": "2"}},
		UnmanagedSubjects: []string{`Group "system:authenticated"`},
		Problems:          []string{"ClusterRole " + grant.Name + " has the label app.kubernetes.io/managed-by=somebody instead of terraform-provider-aktrust"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	mustApply(t, client, grant, &found.Grant)
	finds(t, client, grant)
	role, err := client.ClusterRole(t.Context(), grant.Name)
	if err != nil {
		t.Fatal(err)
	}
	if role.Labels["theirs"] != "3" || role.Annotations["note"] != "mind this" {
		t.Errorf("labels %v and annotations %v of others were touched", role.Labels, role.Annotations)
	}
	grantWithout := grant
	grantWithout.Labels = nil
	mustApply(t, client, grantWithout, &grant)
	if role, err = client.ClusterRole(t.Context(), grant.Name); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"theirs": "3", Label: LabelValue}, role.Labels); diff != "" {
		t.Error(diff)
	}
}

func TestAnotherOwnerIsNamed(t *testing.T) {
	client, admin := connect(t)
	grant := grantFor(t)
	mustApply(t, client, grant, nil)
	if err := admin.Apply(t.Context(), api+"clusterroles/"+grant.Name, "argocd-controller", true, object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": object{"name": grant.Name},
		"rules": []object{{"apiGroups": []string{""}, "resources": []string{"other"}, "verbs": []string{Verb}}},
	}); err != nil {
		t.Fatal(err)
	}
	_, err := Apply(t.Context(), client, grant, Options{Last: &grant})
	says(t, err, "patch ClusterRole", `"argocd-controller" (.rules)`, "force_conflicts")
	if conflicts := cluster.Conflicts(err); len(conflicts) != 1 {
		t.Errorf("conflicts %v", conflicts)
	}
	if _, err := Apply(t.Context(), client, grant, Options{Last: &grant, Force: true}); err != nil {
		t.Fatal(err)
	}
	finds(t, client, grant)
}

func TestABindingOfAnotherRoleIsReplaced(t *testing.T) {
	client, admin := connect(t)
	namespace := controlplane.Shared(t).Namespace(t)
	for name, grant := range map[string]Grant{"everywhere": grantFor(t), "in a namespace": grantFor(t, namespace)} {
		t.Run(name, func(t *testing.T) {
			mustApply(t, client, grant, nil)
			collection, kind := api+"clusterrolebindings", "ClusterRoleBinding"
			if grant.Namespaces != nil {
				collection, kind = api+"namespaces/"+namespace+"/rolebindings", "RoleBinding"
			}
			theirs := object{
				"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": object{"name": grant.Name},
				"roleRef":  object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": "view"},
				"subjects": []object{{"apiGroup": rbacv1.GroupName, "kind": "Group", "name": NodesGroup}},
			}
			replace := func(by func() error) {
				t.Helper()
				if err := errors.Join(admin.Delete(t.Context(), collection+"/"+grant.Name), by()); err != nil {
					t.Fatal(err)
				}
			}
			replace(func() error { return admin.Do(t.Context(), http.MethodPost, collection, theirs, nil) })
			found, err := Read(t.Context(), client, grant.Name, &grant)
			if err != nil || len(found.Problems) != 2 { // the roleRef, and the label that it lacks
				t.Fatalf("found %+v, %v", found, err)
			}
			mustApply(t, client, grant, &grant)
			finds(t, client, grant)

			replace(func() error { return admin.Apply(t.Context(), collection+"/"+grant.Name, "flux", false, theirs) })
			_, err = Apply(t.Context(), client, grant, Options{Last: &grant})
			says(t, err, kind, `binds ClusterRole view, and field manager "flux" keeps it so`, "force_conflicts = true")
			if _, err = Apply(t.Context(), client, grant, Options{Last: &grant, Force: true}); err != nil {
				t.Fatal(err)
			}
			finds(t, client, grant)
			if err := Delete(t.Context(), client, grant.Name, grant.Namespaces); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestMissingBindingsComeBack(t *testing.T) {
	client, admin := connect(t)
	namespace := controlplane.Shared(t).Namespace(t)
	grant := grantFor(t, namespace)
	mustApply(t, client, grant, nil)
	if err := admin.Delete(t.Context(), api+"namespaces/"+namespace+"/rolebindings/"+grant.Name); err != nil {
		t.Fatal(err)
	}
	found, err := Read(t.Context(), client, grant.Name, &grant)
	if err != nil || found.Namespaces == nil || len(found.Namespaces) != 0 {
		t.Fatalf("found %+v, %v", found, err)
	}
	mustApply(t, client, grant, &found.Grant)
	finds(t, client, grant)

	if err := admin.Delete(t.Context(), api+"clusterroles/"+grant.Name); err != nil {
		t.Fatal(err)
	}
	if found, err := Read(t.Context(), client, grant.Name, &grant); found != nil || err != nil {
		t.Errorf("without its role: %+v, %v", found, err)
	}
	mustApply(t, client, grant, nil) // created anew over its bindings
	finds(t, client, grant)
}

func TestNamespaceThatDoesNotExist(t *testing.T) {
	client, _ := connect(t)
	grant := grantFor(t, "no-such-namespace")
	applied, err := Apply(t.Context(), client, grant, Options{})
	if !applied {
		t.Error("the role was applied, and that is not told")
	}
	says(t, err, `namespaces "no-such-namespace" not found`, `Create namespace "no-such-namespace" first`)
	if err := Delete(t.Context(), client, grant.Name, grant.Namespaces); err != nil {
		t.Error(err)
	}
	if _, err := client.ClusterRole(t.Context(), grant.Name); !cluster.IsNotFound(err) {
		t.Errorf("the half that was made is still there: %v", err)
	}
}
