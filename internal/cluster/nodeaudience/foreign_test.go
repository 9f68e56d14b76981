package nodeaudience

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// create makes an object as kubectl create does.
func create(t *testing.T, admin *controlplane.API, path, kind string, meta, rest object) {
	t.Helper()
	in := object{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": meta}
	maps.Copy(in, rest)
	if err := admin.Do(t.Context(), http.MethodPost, api+path, in, nil); err != nil {
		t.Fatal(err)
	}
}

// bound is the rest of a binding to the ClusterRole of a grant.
func bound(grant Grant) object {
	return object{
		"roleRef":  object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": grant.Name},
		"subjects": []object{{"apiGroup": rbacv1.GroupName, "kind": "Group", "name": "theirs"}},
	}
}

func ruleFor(audience string) object {
	return object{"rules": []object{{"apiGroups": []string{""}, "resources": []string{audience}, "verbs": []string{Verb}}}}
}

func TestWhatOthersMadeIsNotAdopted(t *testing.T) {
	client, admin := connect(t)
	ctx, namespace := t.Context(), controlplane.Shared(t).Namespace(t)
	ours := object{Label: LabelValue}
	for name, test := range map[string]struct {
		inNamespace bool
		make        func(t *testing.T, grant Grant)
		importable  bool
		says        []string
	}{
		"a role": {false, func(t *testing.T, grant Grant) {
			create(t, admin, "clusterroles", "ClusterRole", object{"name": grant.Name}, ruleFor(grant.Audience))
		}, true, []string{"ClusterRole ", "exists, and was not made by this provider"}},
		"a role with our label for something else": {false, func(t *testing.T, grant Grant) {
			create(t, admin, "clusterroles", "ClusterRole", object{"name": grant.Name, "labels": ours}, ruleFor("other"))
		}, true, []string{"exists, made by this provider for another resource"}},
		"a role with our label for the same": {false, func(t *testing.T, grant Grant) {
			mustApply(t, client, grant, nil)
		}, true, []string{"exists, made by this provider for another resource", "destroying one would take it from the other"}},
		"a role with an aggregationRule": {false, func(t *testing.T, grant Grant) {
			create(t, admin, "clusterroles", "ClusterRole", object{"name": grant.Name, "labels": ours},
				object{"aggregationRule": object{"clusterRoleSelectors": []object{{"matchLabels": object{"a": "b"}}}}})
		}, false, []string{"has an aggregationRule", "The control plane rewrites the rules"}},
		"a ClusterRoleBinding": {false, func(t *testing.T, grant Grant) {
			create(t, admin, "clusterrolebindings", "ClusterRoleBinding", object{"name": grant.Name}, bound(grant))
		}, false, []string{"ClusterRoleBinding ", "was not made by this provider", "kubectl label clusterrolebinding "}},
		"a RoleBinding": {true, func(t *testing.T, grant Grant) {
			create(t, admin, "namespaces/"+namespace+"/rolebindings", "RoleBinding", object{"name": grant.Name}, bound(grant))
		}, false, []string{"RoleBinding " + namespace + "/", "kubectl label rolebinding ", " --namespace=" + namespace}},
	} {
		t.Run(name, func(t *testing.T) {
			grant := grantFor(t)
			if test.inNamespace {
				grant = grantFor(t, namespace)
			}
			test.make(t, grant)
			applied, err := Apply(ctx, client, grant, Options{})
			says(t, err, test.says...)
			var foreign *ForeignError
			if applied || !errors.As(err, &foreign) || foreign.Importable != test.importable {
				t.Errorf("applied %v, error %#v", applied, err)
			}
		})
	}
}

// A binding that grants more than is wanted must go. One that is not ours is named, not deleted.
func TestBindingsThatGrantMoreThanIsWanted(t *testing.T) {
	client, admin := connect(t)
	namespace := controlplane.Shared(t).Namespace(t)
	grant := grantFor(t, namespace)
	mustApply(t, client, grant, nil)
	create(t, admin, "clusterrolebindings", "ClusterRoleBinding", object{"name": grant.Name}, bound(grant))
	found, err := Read(t.Context(), client, grant.Name, &grant)
	if err != nil || len(found.Problems) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	_, err = Apply(t.Context(), client, grant, Options{Last: &grant})
	says(t, err, "ClusterRoleBinding "+grant.Name+" grants more than is wanted", "kubectl delete clusterrolebinding "+grant.Name)

	labelled := object{"metadata": object{"labels": object{Label: LabelValue}}}
	if err := admin.Patch(t.Context(), api+"clusterrolebindings/"+grant.Name, "kubectl-label", labelled); err != nil {
		t.Fatal(err)
	}
	mustApply(t, client, grant, &grant)
	finds(t, client, grant)

	// Somebody else's binding that merely has our name, and binds something else, is nobody's business here.
	theirs := bound(grant)
	theirs["roleRef"] = object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": "view"}
	create(t, admin, "clusterrolebindings", "ClusterRoleBinding", object{"name": grant.Name}, theirs)
	mustApply(t, client, grant, &grant)
	finds(t, client, grant)
	if err := Delete(t.Context(), client, grant.Name, grant.Namespaces); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ClusterRoleBinding(t.Context(), grant.Name); err != nil {
		t.Errorf("somebody else's binding: %v", err)
	}
}

func TestDeleteIsForWhatIsOurs(t *testing.T) {
	client, admin := connect(t)
	grant := grantFor(t)
	path := api + "clusterroles/" + grant.Name
	create(t, admin, "clusterroles", "ClusterRole", object{"name": grant.Name}, ruleFor(grant.Audience))
	found, err := Read(t.Context(), client, grant.Name, nil)
	if err != nil || found.Audience != grant.Audience || len(found.Problems) != 1 {
		t.Fatalf("imported %+v, %v", found, err)
	}
	err = Delete(t.Context(), client, grant.Name, nil)
	says(t, err, "ClusterRole "+grant.Name+" is not ours to delete", "Apply once before destroying")

	mustApply(t, client, grant, &found.Grant) // after the import it is
	unlabel := object{"metadata": object{"labels": object{Label: nil}}}
	if err := admin.Patch(t.Context(), path, "kubectl-label", unlabel); err != nil {
		t.Fatal(err)
	}
	if err := Delete(t.Context(), client, grant.Name, nil); err != nil {
		t.Errorf("our object without our label: %v", err)
	}
	if found, err := Read(t.Context(), client, grant.Name, nil); found != nil || err != nil {
		t.Errorf("after deletion: %+v, %v", found, err)
	}
}

func TestReadForAnImportRefuses(t *testing.T) {
	client, admin := connect(t)
	create(t, admin, "clusterroles", "ClusterRole", object{"name": "import-aggregated"},
		object{"aggregationRule": object{"clusterRoleSelectors": []object{{"matchLabels": object{"a": "b"}}}}})
	_, err := Read(t.Context(), client, "import-aggregated", nil)
	says(t, err, "ClusterRole import-aggregated has an aggregationRule")
	if _, err := Read(t.Context(), client, "system:node-proxier", nil); !errors.Is(err, ErrNoGrant) {
		t.Errorf("a role about something else: %v", err)
	}
}

// An object that appears, or changes, between looking and applying is not overridden.
func TestRaces(t *testing.T) {
	client, admin := connect(t)
	grant := grantFor(t)
	late := func(last *Grant, seen *Observed) error {
		return (&application{client: client, want: grant, seen: seen, options: Options{Last: last}}).do(t.Context())
	}
	create(t, admin, "clusterroles", "ClusterRole", object{"name": grant.Name}, ruleFor("theirs"))
	says(t, late(nil, &Observed{name: grant.Name}), "was made at this very moment")
	role, err := client.ClusterRole(t.Context(), grant.Name)
	if err != nil || role.Rules[0].Resources[0] != "theirs" {
		t.Errorf("theirs was overridden: %v, %v", role, err)
	}

	before, err := Observe(t.Context(), client, grant.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.Patch(t.Context(), api+"clusterroles/"+grant.Name, "kubectl-edit", ruleFor("theirs too")); err != nil {
		t.Fatal(err)
	}
	if err := late(&grant, before); !cluster.IsModified(err) {
		t.Errorf("applied over a change that was not seen: %v", err)
	}
	if err := deleteSeen(t.Context(), client, &Observed{Role: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{
		Name: grant.Name, UID: role.UID, ResourceVersion: role.ResourceVersion, Labels: map[string]string{Label: LabelValue},
	}}}); !cluster.IsModified(err) {
		t.Errorf("deleted a change that was not seen: %v", err)
	}
	mustApply(t, client, grant, &grant) // it looks again
	finds(t, client, grant)
}

// Of runs that make one role at the same moment one has it, and none has what another wants.
func TestMadeAtTheSameMoment(t *testing.T) {
	client, _ := connect(t)
	wide := grantFor(t)
	narrow := wide
	narrow.ServiceAccountNames = []string{"app"}
	for range 5 {
		grants := []Grant{wide, narrow, wide, narrow}
		failed := make([]error, len(grants))
		var wait sync.WaitGroup
		for i, grant := range grants {
			wait.Go(func() { _, failed[i] = Apply(t.Context(), client, grant, Options{}) })
		}
		wait.Wait()
		var won []Grant
		for i, err := range failed {
			if err == nil {
				won = append(won, grants[i])
			} else if _, ok := errors.AsType[*ForeignError](err); !ok {
				t.Errorf("error is %v", err)
			}
		}
		if len(won) != 1 {
			t.Fatalf("%d have it: %v", len(won), failed)
		}
		finds(t, client, won[0])
		if err := Delete(t.Context(), client, wide.Name, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// A run that was cut short before the role had a rule is gone on with, and one that fails leaves no role behind.
func TestCutShort(t *testing.T) {
	client, admin := connect(t)
	grant := grantFor(t)
	if _, err := client.CreateClusterRole(t.Context(), grant.emptyRole()); err != nil {
		t.Fatal(err)
	}
	mustApply(t, client, grant, nil)
	finds(t, client, grant)
	if err := admin.Delete(t.Context(), api+"clusterroles/"+grant.Name); err != nil {
		t.Fatal(err)
	}

	// May make roles, but none that says more than what it may itself.
	create(t, admin, "clusterroles", "ClusterRole", object{"name": "makes-roles"}, object{"rules": []object{{
		"apiGroups": []string{rbacv1.GroupName}, "resources": []string{"*"}, "verbs": []string{"get", "list", "create", "patch", "delete"},
	}}})
	create(t, admin, "clusterrolebindings", "ClusterRoleBinding", object{"name": "makes-roles"}, object{
		"roleRef":  object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": "makes-roles"},
		"subjects": []object{{"apiGroup": rbacv1.GroupName, "kind": "User", "name": "maker"}},
	})
	maker := as(t, "maker")
	if err := controlplane.Eventually(t.Context(), func(ctx context.Context) error {
		_, err := Read(ctx, maker, "makes-roles", &Grant{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	applied, err := Apply(t.Context(), maker, grant, Options{})
	says(t, err, "403", "escalate")
	if _, gone := client.ClusterRole(t.Context(), grant.Name); applied || !cluster.IsNotFound(gone) {
		t.Errorf("a role is left behind: %v", gone)
	}
}

// as gives a client of a user with a certificate.
func as(t *testing.T, user string) *cluster.Client {
	t.Helper()
	plane := controlplane.Shared(t)
	cert, key, err := plane.ClientCertificate(user)
	if err != nil {
		t.Fatal(err)
	}
	client, err := cluster.New(cluster.Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), ClientCertificate: cert, ClientKey: key})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// An account that may not list RoleBindings everywhere manages those of its namespaces.
func TestWithoutListingRoleBindings(t *testing.T) {
	admin, api := connect(t)
	plane := controlplane.Shared(t)
	namespace := plane.Namespace(t)
	grant := grantFor(t, namespace)
	mustApply(t, admin, grant, nil)
	create(t, api, "clusterroles", "ClusterRole", object{"name": "reads-one"}, object{"rules": []object{{
		"apiGroups": []string{rbacv1.GroupName}, "resources": []string{"clusterroles", "clusterrolebindings", "rolebindings"},
		"resourceNames": []string{grant.Name}, "verbs": []string{"get"},
	}}})
	create(t, api, "clusterrolebindings", "ClusterRoleBinding", object{"name": "reads-one"}, object{
		"roleRef":  object{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": "reads-one"},
		"subjects": []object{{"apiGroup": rbacv1.GroupName, "kind": "User", "name": "reader"}},
	})
	reader := as(t, "reader")
	if err := controlplane.Eventually(t.Context(), func(ctx context.Context) error {
		_, err := Read(ctx, reader, grant.Name, &grant)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	finds(t, reader, grant)
	_, err := Read(t.Context(), reader, grant.Name, nil)
	says(t, err, "list all RoleBindings", "403")
	nobody, err := cluster.New(cluster.Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Nobody)})
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"read":   func() error { _, err := Read(t.Context(), nobody, grant.Name, &grant); return err },
		"apply":  func() error { _, err := Apply(t.Context(), nobody, grant, Options{}); return err },
		"delete": func() error { return Delete(t.Context(), nobody, grant.Name, nil) },
	} {
		if err := call(); !cluster.IsForbidden(err) {
			t.Errorf("%s by nobody: %v", name, err)
		}
	}
	if _, err := Apply(t.Context(), admin, Grant{}, Options{}); err == nil {
		t.Error("an invalid grant was applied")
	}
}
