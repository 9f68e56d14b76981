package cluster

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles/"

func role(name string, verbs ...string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"a": "1"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}},
	}
}

func TestApplyOwnsWhatItSets(t *testing.T) {
	client, other := as(t, controlplane.Admin), controlplane.Shared(t).As(controlplane.Admin)
	ctx, name := t.Context(), "test-owns"

	applied, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !applied.Created || applied.Object.UID == "" {
		t.Errorf("first: %+v", applied)
	}
	if again, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{}); err != nil || again.Created ||
		again.Object.ResourceVersion != applied.Object.ResourceVersion {
		t.Errorf("the same again changed something: %+v, %v", again, err)
	}
	if err := other.Patch(ctx, roles+name, "kubectl-label", map[string]any{"metadata": map[string]any{"labels": map[string]any{"theirs": "2"}}}); err != nil {
		t.Fatal(err)
	}
	without := role(name, "get")
	without.Labels = nil
	if _, err := client.ApplyClusterRole(ctx, without, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := client.ClusterRole(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"theirs": "2"}, got.Labels); diff != "" {
		t.Errorf("labels after ours was dropped: %s", diff)
	}

	stale := role(name, "list")
	stale.ResourceVersion = applied.Object.ResourceVersion
	_, err = client.ApplyClusterRole(ctx, stale, ApplyOptions{})
	if !IsModified(err) {
		t.Errorf("an apply over another version: %v", err)
	}
	contains(t, err, `patch ClusterRole "test-owns": `, "409 Conflict", "Run it again")
	if err := client.DeleteClusterRole(ctx, applied.Object); !IsModified(err) {
		t.Errorf("deleting what was changed meanwhile: %v", err)
	}
	if err := errors.Join(client.DeleteClusterRole(ctx, got), client.DeleteClusterRole(ctx, got)); err != nil {
		t.Error(err)
	}
	if _, err := client.ClusterRole(ctx, name); !IsNotFound(err) {
		t.Errorf("after deletion: %v", err)
	}
}

// The API server tells owners by update and owners by apply apart in a text alone; this test is what notices a change.
func TestConflictsNameTheOwnersAndTheirKind(t *testing.T) {
	client, other := as(t, controlplane.Admin), controlplane.Shared(t).As(controlplane.Admin)
	ctx, name := t.Context(), "test-conflicts"
	if _, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		other.Patch(ctx, roles+name, "kubectl-edit", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "2"}}}),
		other.Apply(ctx, roles+name, `flux "the" controller`, true, map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": name}, "rules": []any{},
		}),
	); err != nil {
		t.Fatal(err)
	}
	_, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{})
	contains(t, err, "409 Conflict", `"kubectl-edit" (.metadata.labels.a)`, "force_conflicts = true")
	got := Conflicts(err)
	slices.SortFunc(got, func(a, b FieldConflict) int { return len(a.Field) - len(b.Field) })
	want := []FieldConflict{
		{Manager: `flux "the" controller`, Applied: true, Field: ".rules"},
		{Manager: "kubectl-edit", Applied: false, Field: ".metadata.labels.a"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if IsModified(err) || Conflicts(errors.New("x")) != nil {
		t.Error("a conflict of owners is taken for one of versions, or the other way round")
	}
	forced, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if forced.Object.Labels["a"] != "1" || len(forced.Object.Rules) != 1 {
		t.Errorf("forced: %+v", forced.Object)
	}
}

func TestConflictOfAnUnknownFormCountsAsApplied(t *testing.T) {
	got := readConflict(metav1.StatusCause{Message: "conflict with somebody", Field: ".rules"})
	if want := (FieldConflict{Manager: "somebody", Applied: true, Field: ".rules"}); got != want {
		t.Errorf("%+v", got)
	}
	got = readConflict(metav1.StatusCause{Message: `conflict with "x" with subresource "status" using v1 at 2020-01-01T00:00:00Z`, Field: ".a"})
	if want := (FieldConflict{Manager: "x", Applied: false, Field: ".a"}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestBindings(t *testing.T) {
	plane := controlplane.Shared(t)
	client, ctx, namespace, name := as(t, controlplane.Admin), t.Context(), plane.Namespace(t), "test-bindings"
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "g"}}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}
	wide := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects, RoleRef: ref}
	narrow := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"mine": "yes"}}, Subjects: subjects, RoleRef: ref,
	}
	if _, err := client.ApplyClusterRoleBinding(ctx, wide, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ApplyRoleBinding(ctx, narrow, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	gotWide, err := client.ClusterRoleBinding(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	gotNarrow, err := client.RoleBinding(ctx, namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{subjects, ref, subjects, ref}, []any{gotWide.Subjects, gotWide.RoleRef, gotNarrow.Subjects, gotNarrow.RoleRef}); diff != "" {
		t.Error(diff)
	}
	for selector, want := range map[string]int{"": 1, "mine=yes": 1, "mine=no": 0} {
		list, err := client.RoleBindings(ctx, name, selector)
		if err != nil || len(list) != want {
			t.Errorf("selector %q: %d, %v; want %d", selector, len(list), err, want)
		}
	}

	moved := wide.DeepCopy()
	moved.RoleRef.Name = "edit"
	_, err = client.ApplyClusterRoleBinding(ctx, moved, ApplyOptions{Force: true})
	contains(t, err, "422", "cannot change roleRef")
	lost := narrow.DeepCopy()
	lost.Namespace = "no-such-namespace"
	_, err = client.ApplyRoleBinding(ctx, lost, ApplyOptions{})
	if IsNotFound(err) {
		t.Error("the namespace that does not exist is taken for the binding")
	}
	contains(t, err, `patch RoleBinding "no-such-namespace/test-bindings"`, "404", `Create namespace "no-such-namespace" first`)

	if err := errors.Join(client.DeleteClusterRoleBinding(ctx, gotWide), client.DeleteRoleBinding(ctx, gotNarrow)); err != nil {
		t.Error(err)
	}
	if _, err := client.RoleBinding(ctx, namespace, name); !IsNotFound(err) {
		t.Errorf("after deletion: %v", err)
	}
	_, err = as(t, controlplane.Nobody).RoleBindings(ctx, name, "")
	contains(t, err, "list all RoleBindings: ", "the verb list on rolebindings")
	_, err = client.ClusterRole(ctx, "with/slash")
	contains(t, err, `get ClusterRole "with/slash"`, "may not contain '/'")
}

// Somebody who may write roles may still not grant what he does not hold.
func TestEscalationAdvice(t *testing.T) {
	plane := controlplane.Shared(t)
	admin, ctx := as(t, controlplane.Admin), t.Context()
	writer := role("test-escalation", "x")
	writer.Rules = []rbacv1.PolicyRule{{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles"}, Verbs: []string{"create", "patch", "get"}}}
	if _, err := admin.ApplyClusterRole(ctx, writer, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.ApplyClusterRoleBinding(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: writer.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: writer.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "writer"}},
	}, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	cert, key, err := plane.ClientCertificate("writer")
	if err != nil {
		t.Fatal(err)
	}
	client := connect(t, Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), ClientCertificate: cert, ClientKey: key})
	if err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		_, err := client.ClusterRole(ctx, writer.Name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	_, err = client.ApplyClusterRole(ctx, role("test-escalated", "get"), ApplyOptions{})
	contains(t, err, "403", "attempting to grant RBAC permissions not currently held", "the verbs escalate and bind on clusterroles")
}
