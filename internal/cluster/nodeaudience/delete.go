package nodeaudience

import (
	"context"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// Delete removes the objects of a name that are ours, bindings first. None there is fine; a ClusterRole that is not ours
// is a *ForeignError, and then nothing is deleted. The namespaces are those known to have bindings; others are found when
// the account may list them.
func Delete(ctx context.Context, client *cluster.Client, name string, namespaces []string) error {
	for attempt := 1; ; attempt++ {
		seen, err := Observe(ctx, client, name, namespaces)
		if err != nil {
			return err
		}
		if err = deleteSeen(ctx, client, seen); !cluster.IsModified(err) || attempt == attempts {
			return err
		}
	}
}

func deleteSeen(ctx context.Context, client *cluster.Client, seen *Observed) error {
	if seen.Role != nil && !ours(&seen.Role.ObjectMeta) {
		return &ForeignError{
			Object:  describe("ClusterRole", &seen.Role.ObjectMeta),
			problem: "is not ours to delete: it has neither our label nor a field that we applied",
			advice: "It was imported and never applied, or somebody put it in the place of ours. Apply once before destroying, " +
				"or take it out of the state.",
		}
	}
	if b := seen.clusterRoleBinding(); b != nil && ours(b.ObjectMeta) {
		if err := client.DeleteClusterRoleBinding(ctx, b); err != nil {
			return err
		}
	}
	for _, b := range seen.roleBindings() {
		if ours(b.ObjectMeta) {
			if err := client.DeleteRoleBinding(ctx, b); err != nil {
				return err
			}
		}
	}
	if seen.Role == nil {
		return nil
	}
	return client.DeleteClusterRole(ctx, seen.Role)
}
