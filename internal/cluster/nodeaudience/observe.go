package nodeaudience

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// Observed are the objects of one name that are there.
type Observed struct {
	name string

	// Role is the ClusterRole; nil when there is none.
	Role *rbacv1.ClusterRole
	// ClusterRoleBinding is the one of that name; nil when there is none.
	ClusterRoleBinding *rbacv1.ClusterRoleBinding
	// RoleBindings are those of that name, by namespace: all that carry our label, and those of the namespaces asked for.
	RoleBindings []rbacv1.RoleBinding

	notListed error // why RoleBindings of other namespaces are not known
}

// Read is Observe and Interpret: what is there, given what was there last. It returns nil when there is no ClusterRole of
// the name. With nothing given, as for an import, a role that cannot be managed here is a *ForeignError or ErrNoGrant.
func Read(ctx context.Context, client *cluster.Client, name string, last *Grant) (*Finding, error) {
	seen, err := Observe(ctx, client, name, scope(last))
	if err != nil || seen.Role == nil {
		return nil, err
	}
	if last == nil && seen.Role.AggregationRule != nil {
		return nil, aggregated(&seen.Role.ObjectMeta)
	}
	if last == nil && seen.ClusterRoleBinding == nil && seen.notListed != nil {
		return nil, seen.notListed // there may be RoleBindings, and nothing tells where
	}
	return seen.Interpret(last)
}

// Observe looks for the objects of a name. RoleBindings are found wherever they carry our label; in the given namespaces
// they are found without it, and even when the account may not list those of all namespaces.
func Observe(ctx context.Context, client *cluster.Client, name string, namespaces []string) (*Observed, error) {
	o := &Observed{name: name}
	var err error
	if o.Role, err = client.ClusterRole(ctx, name); err != nil && !cluster.IsNotFound(err) {
		return nil, err
	}
	if o.ClusterRoleBinding, err = client.ClusterRoleBinding(ctx, name); err != nil && !cluster.IsNotFound(err) {
		return nil, err
	}
	o.RoleBindings, err = client.RoleBindings(ctx, name, Label+"="+LabelValue)
	if cluster.IsForbidden(err) {
		o.notListed, err = err, nil
	}
	if err != nil {
		return nil, err
	}
	for _, namespace := range sorted(namespaces) {
		if o.roleBinding(namespace) != nil {
			continue
		}
		binding, err := client.RoleBinding(ctx, namespace, name)
		if cluster.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o.RoleBindings = append(o.RoleBindings, *binding)
	}
	slices.SortFunc(o.RoleBindings, func(a, b rbacv1.RoleBinding) int { return strings.Compare(a.Namespace, b.Namespace) })
	return o, nil
}

// binding is what a ClusterRoleBinding and a RoleBinding have in common.
type binding struct {
	*metav1.ObjectMeta
	kind     string
	subjects []rbacv1.Subject
	roleRef  rbacv1.RoleRef
}

func (o *Observed) clusterRoleBinding() *binding {
	if b := o.ClusterRoleBinding; b != nil {
		return &binding{&b.ObjectMeta, "ClusterRoleBinding", b.Subjects, b.RoleRef}
	}
	return nil
}

func (o *Observed) roleBindings() []*binding {
	var out []*binding
	for i := range o.RoleBindings {
		b := &o.RoleBindings[i]
		out = append(out, &binding{&b.ObjectMeta, "RoleBinding", b.Subjects, b.RoleRef})
	}
	return out
}

// roleBinding finds the one of a namespace; nil when there is none.
func (o *Observed) roleBinding(namespace string) *binding {
	for _, b := range o.roleBindings() {
		if b.Namespace == namespace {
			return b
		}
	}
	return nil
}

// String names the binding to people.
func (b *binding) String() string { return describe(b.kind, b.ObjectMeta) }

// binds tells whether it binds the ClusterRole of its own name.
func (b *binding) binds() bool { return b.roleRef == roleRef(b.Name) }

func describe(kind string, meta *metav1.ObjectMeta) string {
	if meta.Namespace != "" {
		return kind + " " + meta.Namespace + "/" + meta.Name
	}
	return kind + " " + meta.Name
}

// labelled tells whether an object carries our label.
func labelled(meta *metav1.ObjectMeta) bool { return meta.Labels[Label] == LabelValue }

// ours tells whether an object is ours: it carries our label, or still has fields that we applied. The second holds when
// a person has removed the label; neither does when somebody has deleted our object and made another.
func ours(meta *metav1.ObjectMeta) bool { return labelled(meta) || ourFields(meta) != nil }

// ourFields returns the fields that our field manager has applied; nil when there are none.
func ourFields(meta *metav1.ObjectMeta) map[string]any {
	for _, entry := range meta.ManagedFields {
		if entry.Manager == cluster.FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply {
			return fieldsOf(entry)
		}
	}
	return nil
}

// fieldsOf returns the fields of an entry as a trie of names such as f:metadata (FieldsV1 of the Kubernetes API).
func fieldsOf(entry metav1.ManagedFieldsEntry) map[string]any {
	var fields map[string]any
	if text, err := json.Marshal(entry.FieldsV1); err == nil && json.Unmarshal(text, &fields) == nil {
		return fields
	}
	return nil
}

// ownKeys returns the keys of metadata.labels or metadata.annotations that our field manager has applied.
func ownKeys(meta *metav1.ObjectMeta, field string) []string {
	metadata, _ := ourFields(meta)["f:metadata"].(map[string]any)
	members, _ := metadata["f:"+field].(map[string]any)
	var keys []string
	for member := range members {
		if key, ok := strings.CutPrefix(member, "f:"); ok {
			keys = append(keys, key)
		}
	}
	return sorted(keys)
}
