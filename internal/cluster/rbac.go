package cluster

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// FieldManager is the name under which this package applies.
const FieldManager = "terraform-provider-aktrust"

// ClusterRole reads one. One that does not exist is an error that IsNotFound knows; so with all that is read here.
func (c *Client) ClusterRole(ctx context.Context, name string) (*rbacv1.ClusterRole, error) {
	return read[*rbacv1.ClusterRole](ctx, c, clusterRole("get", name))
}

// ClusterRoleBinding reads one.
func (c *Client) ClusterRoleBinding(ctx context.Context, name string) (*rbacv1.ClusterRoleBinding, error) {
	return read[*rbacv1.ClusterRoleBinding](ctx, c, clusterRoleBinding("get", name))
}

// RoleBinding reads one.
func (c *Client) RoleBinding(ctx context.Context, namespace, name string) (*rbacv1.RoleBinding, error) {
	return read[*rbacv1.RoleBinding](ctx, c, roleBinding("get", namespace, name))
}

// RoleBindings lists those of one name in all namespaces that a label selector picks; an empty selector picks all.
func (c *Client) RoleBindings(ctx context.Context, name, labelSelector string) ([]rbacv1.RoleBinding, error) {
	t := roleBinding("list", "", "")
	request := t.on(c.rest.Get()).Param("fieldSelector", "metadata.name="+name)
	if labelSelector != "" {
		request = request.Param("labelSelector", labelSelector)
	}
	list, _, err := object[*rbacv1.RoleBindingList](ctx, c, t, request)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// ApplyOptions are those of a server-side apply.
type ApplyOptions struct {
	// Force takes fields over that other managers own.
	Force bool
}

// Applied is the outcome of a server-side apply.
type Applied[T any] struct {
	// Object is as the API server has it now, with everybody's fields.
	Object *T
	// Created tells that it did not exist before.
	Created bool
}

// CreateClusterRole makes one, under FieldManager; one that is there already is an error that IsExisting knows. A server-side
// apply cannot tell the two apart.
func (c *Client) CreateClusterRole(ctx context.Context, in *rbacv1.ClusterRole) (*rbacv1.ClusterRole, error) {
	t := clusterRole("create", in.Name)
	in = in.DeepCopy()
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: t.group, Version: t.version, Kind: t.kind})
	body, err := json.Marshal(in)
	if err != nil {
		return nil, c.fail(t, answer{}, err)
	}
	collection := t
	collection.name = "" // The name is in the body.
	request := collection.on(c.rest.Post()).Param("fieldManager", FieldManager).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body)
	out, _, err := object[*rbacv1.ClusterRole](ctx, c, t, request)
	return out, err
}

// ApplyClusterRole applies one under FieldManager (server-side apply): the fields that are set in it are ours from then
// on, and those that were ours and are not in it any more are removed. With metadata.resourceVersion set, an object
// that was changed meanwhile is an error that IsModified knows. So with all that is applied here.
func (c *Client) ApplyClusterRole(ctx context.Context, in *rbacv1.ClusterRole, options ApplyOptions) (Applied[rbacv1.ClusterRole], error) {
	return apply(ctx, c, clusterRole("patch", in.Name), in.DeepCopy(), options)
}

// ApplyClusterRoleBinding applies one under FieldManager. Its roleRef cannot be changed: that is an error with code 422.
func (c *Client) ApplyClusterRoleBinding(
	ctx context.Context, in *rbacv1.ClusterRoleBinding, options ApplyOptions,
) (Applied[rbacv1.ClusterRoleBinding], error) {
	return apply(ctx, c, clusterRoleBinding("patch", in.Name), in.DeepCopy(), options)
}

// ApplyRoleBinding applies one under FieldManager. Its roleRef cannot be changed: that is an error with code 422.
func (c *Client) ApplyRoleBinding(ctx context.Context, in *rbacv1.RoleBinding, options ApplyOptions) (Applied[rbacv1.RoleBinding], error) {
	return apply(ctx, c, roleBinding("patch", in.Namespace, in.Name), in.DeepCopy(), options)
}

// Seen is the object that the caller has looked at before deleting it.
type Seen interface {
	GetName() string
	GetNamespace() string
	GetUID() types.UID
	GetResourceVersion() string
}

// DeleteClusterRole deletes exactly the object that was seen: one that was changed or replaced meanwhile is an error that
// IsModified knows. One that is gone already is fine. So with all that is deleted here.
func (c *Client) DeleteClusterRole(ctx context.Context, seen Seen) error {
	return c.remove(ctx, clusterRole("delete", seen.GetName()), seen)
}

// DeleteClusterRoleBinding deletes the one that was seen.
func (c *Client) DeleteClusterRoleBinding(ctx context.Context, seen Seen) error {
	return c.remove(ctx, clusterRoleBinding("delete", seen.GetName()), seen)
}

// DeleteRoleBinding deletes the one that was seen.
func (c *Client) DeleteRoleBinding(ctx context.Context, seen Seen) error {
	return c.remove(ctx, roleBinding("delete", seen.GetNamespace(), seen.GetName()), seen)
}

func clusterRole(verb, name string) target {
	return target{verb: verb, group: rbacv1.GroupName, version: "v1", kind: "ClusterRole", resource: "clusterroles", name: name}
}

func clusterRoleBinding(verb, name string) target {
	return target{
		verb: verb, group: rbacv1.GroupName, version: "v1", kind: "ClusterRoleBinding", resource: "clusterrolebindings", name: name,
	}
}

func roleBinding(verb, namespace, name string) target {
	return target{
		verb: verb, group: rbacv1.GroupName, version: "v1", kind: "RoleBinding", resource: "rolebindings", namespace: namespace, name: name,
	}
}

// pointer is a *T that the scheme knows.
type pointer[T any] interface {
	*T
	runtime.Object
}

func read[P runtime.Object](ctx context.Context, c *Client, t target) (P, error) {
	out, _, err := object[P](ctx, c, t, t.on(c.rest.Get()))
	return out, err
}

func apply[T any, P pointer[T]](ctx context.Context, c *Client, t target, in P, options ApplyOptions) (Applied[T], error) {
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: t.group, Version: t.version, Kind: t.kind})
	body, err := json.Marshal(in)
	if err != nil {
		return Applied[T]{}, c.fail(t, answer{}, err)
	}
	request := t.on(c.rest.Patch(types.ApplyPatchType)).
		Param("fieldManager", FieldManager).
		Param("force", strconv.FormatBool(options.Force)).
		Body(body)
	out, code, err := object[P](ctx, c, t, request)
	if err != nil {
		return Applied[T]{}, err
	}
	return Applied[T]{Object: out, Created: code == http.StatusCreated}, nil
}

// remove takes nothing but the API server's own word for it: whoever forgets a role that is still there forgets a grant.
func (c *Client) remove(ctx context.Context, t target, seen Seen) error {
	uid, version := seen.GetUID(), seen.GetResourceVersion()
	body, err := json.Marshal(&metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if err != nil {
		return c.fail(t, answer{}, err)
	}
	result, err := c.do(ctx, t, t.on(c.rest.Delete()).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body))
	if IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	out, err := result.Get()
	if err != nil {
		return c.unfit(t, result, "no word of a deletion")
	}
	if _, ok := out.(*metav1.Status); ok { // of success; Get makes an error of any other
		return nil
	}
	left, ok := out.(metav1.Object)
	switch {
	case !ok || left.GetUID() != uid:
		return c.unfit(t, result, "no word of a deletion")
	case len(left.GetFinalizers()) > 0:
		return c.unfinished(t, left)
	}
	return nil
}

// unfinished is about an object that is marked for deletion, and is still in force.
func (c *Client) unfinished(t target, left metav1.Object) error {
	e := c.newError(t)
	e.Code = http.StatusOK
	e.Message = "it is marked for deletion, and there until its finalizers are done: " + strings.Join(left.GetFinalizers(), ", ")
	e.advice = "Until then it grants what it granted. Whoever set the finalizers takes them off; run this again when they have."
	return e
}
