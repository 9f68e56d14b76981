package nodeaudience

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// attempts is how often objects are looked at anew when they change under our hands.
const attempts = 3

// Options are those of Apply.
type Options struct {
	// Last is what was there before; nil means nothing, so that what is there is somebody's.
	Last *Grant
	// Force takes fields over from other managers that apply them.
	Force bool
}

// Apply makes the objects of a grant what they should be: role first, then its bindings, then the bindings that are not
// wanted any more are deleted. It reports whether the ClusterRole is ours now, which it may be in spite of an error.
//
// What a person or a controller has changed by an update is taken back. Fields that another manager applies with another
// value are an error that cluster.Conflicts knows, unless forced. Objects that are there and were not before are a
// *ForeignError, also with our label: another configuration may rely on them. Only a role of ours without any rule, which is
// what a run that was cut short leaves, is gone on with.
func Apply(ctx context.Context, client *cluster.Client, want Grant, options Options) (applied bool, err error) {
	if err := want.Validate(); err != nil {
		return false, err
	}
	for attempt := 1; ; attempt++ {
		seen, err := Observe(ctx, client, want.Name, append(scope(&want), scope(options.Last)...))
		if err != nil {
			return applied, err
		}
		run := &application{client: client, want: want, seen: seen, options: options}
		err = run.do(ctx)
		applied = applied || run.applied
		if !cluster.IsModified(err) || attempt == attempts {
			return applied, err
		}
		if applied && options.Last == nil {
			options.Last = &want // it is ours since a moment ago
		}
	}
}

// scope is a grant's namespaces; nil for everywhere and for no grant at all.
func scope(g *Grant) []string {
	if g == nil {
		return nil
	}
	return g.Namespaces
}

// application is one attempt of Apply.
type application struct {
	client  *cluster.Client
	want    Grant
	seen    *Observed
	options Options
	applied bool
}

func (a *application) do(ctx context.Context) error {
	if err := a.mayTake(); err != nil {
		return err
	}
	if err := a.role(ctx); err != nil {
		return err
	}
	a.applied = true
	everywhere, namespaces := a.want.bound()
	if everywhere {
		if err := a.clusterRoleBinding(ctx); err != nil {
			return err
		}
	}
	for _, namespace := range sorted(namespaces) {
		if err := a.roleBinding(ctx, namespace); err != nil {
			return err
		}
	}
	return a.tidy(ctx)
}

// role makes the role if it is not there, without rules at first: of two runs that make it at the same moment one fails here,
// where a server-side apply would let the second write over the first.
func (a *application) role(ctx context.Context) (failure error) {
	object := a.want.Role()
	seen := a.seen.Role
	if seen == nil {
		made, err := a.client.CreateClusterRole(ctx, a.want.emptyRole())
		if cluster.IsExisting(err) {
			return appeared("ClusterRole", &object.ObjectMeta)
		}
		if err != nil {
			return err
		}
		defer func() {
			if failure != nil && !cluster.IsModified(failure) { // An empty role is of no use to anybody.
				failure = errors.Join(failure, a.client.DeleteClusterRole(ctx, made))
			}
		}()
		seen = made
	}
	return a.apply(seen, &object.ObjectMeta, "ClusterRole", func(force bool) (bool, error) {
		applied, err := a.client.ApplyClusterRole(ctx, object, cluster.ApplyOptions{Force: force})
		return applied.Created, err
	})
}

func (a *application) clusterRoleBinding(ctx context.Context) error {
	object, seen := a.want.ClusterRoleBinding(), a.seen.clusterRoleBinding()
	return a.bind(seen, &object.ObjectMeta, "ClusterRoleBinding",
		func() error { return a.client.DeleteClusterRoleBinding(ctx, seen) },
		func(force bool) (bool, error) {
			applied, err := a.client.ApplyClusterRoleBinding(ctx, object, cluster.ApplyOptions{Force: force})
			return applied.Created, err
		})
}

func (a *application) roleBinding(ctx context.Context, namespace string) error {
	object, seen := a.want.RoleBinding(namespace), a.seen.roleBinding(namespace)
	return a.bind(seen, &object.ObjectMeta, "RoleBinding",
		func() error { return a.client.DeleteRoleBinding(ctx, seen) },
		func(force bool) (bool, error) {
			applied, err := a.client.ApplyRoleBinding(ctx, object, cluster.ApplyOptions{Force: force})
			return applied.Created, err
		})
}

// bind applies a binding. One that binds another role is deleted first, because a roleRef cannot be changed.
func (a *application) bind(
	seen *binding, meta *metav1.ObjectMeta, kind string, remove func() error, do func(force bool) (created bool, err error),
) error {
	if seen == nil {
		return a.apply(nil, meta, kind, do)
	}
	if seen.binds() {
		return a.apply(seen, meta, kind, do)
	}
	if err := replaceable(seen, a.options.Force); err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	return a.apply(nil, meta, kind, do)
}

// apply applies one object over exactly what was seen. When others own fields that we want otherwise, and none of them
// applies them, theirs was a change made once, which is drift: then they are taken over.
func (a *application) apply(seen metav1.Object, meta *metav1.ObjectMeta, kind string, do func(force bool) (created bool, err error)) error {
	if seen != nil {
		meta.ResourceVersion = seen.GetResourceVersion() // so that nobody's later wish is overridden
	}
	created, err := do(a.options.Force)
	conflicts := cluster.Conflicts(err)
	if seen == nil && (len(conflicts) > 0 || err == nil && !created) {
		return appeared(kind, meta)
	}
	if len(conflicts) > 0 && !anyApplied(conflicts) {
		_, err = do(true)
	}
	return err
}

func anyApplied(conflicts []cluster.FieldConflict) bool {
	for _, conflict := range conflicts {
		if conflict.Applied {
			return true
		}
	}
	return false
}

// tidy deletes the bindings that would grant more than is wanted.
func (a *application) tidy(ctx context.Context) error {
	var errs []error
	everywhere, namespaces := a.want.bound()
	for _, b := range a.seen.roleBindings() {
		if !slices.Contains(namespaces, b.Namespace) {
			errs = append(errs, a.drop(b, func() error { return a.client.DeleteRoleBinding(ctx, b) }))
		}
	}
	if wide := a.seen.clusterRoleBinding(); wide != nil && !everywhere {
		errs = append(errs, a.drop(wide, func() error { return a.client.DeleteClusterRoleBinding(ctx, wide) }))
	}
	return errors.Join(errs...)
}

// drop deletes a binding that is ours. One that is not ours, and grants what is ours, is an error.
func (a *application) drop(b *binding, remove func() error) error {
	switch {
	case ours(b.ObjectMeta):
		return remove()
	case b.binds():
		return stillGrants(b)
	}
	return nil
}
