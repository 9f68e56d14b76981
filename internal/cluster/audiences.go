package cluster

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
)

// LabelledClusterRoles lists the ClusterRoles that a label selector picks.
func (c *Client) LabelledClusterRoles(ctx context.Context, labelSelector string) ([]rbacv1.ClusterRole, error) {
	t := clusterRole("list", "")
	request := t.on(c.rest.Get()).Param("labelSelector", labelSelector)
	list, _, err := object[*rbacv1.ClusterRoleList](ctx, c, t, request)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
