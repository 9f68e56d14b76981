package controlplane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kubelet asks for tokens as the kubelet of a node does: on behalf of pods that run there.
type Kubelet struct {
	api  *API
	pods map[string]Pod // by NAMESPACE/SERVICEACCOUNT
}

// Kubelet makes a node and, for each NAMESPACE/SERVICEACCOUNT, a pod on it; what they need is made too. The node must
// be one of Options.Nodes.
func (c *ControlPlane) Kubelet(ctx context.Context, node string, accounts ...string) (*Kubelet, error) {
	admin := c.As(Admin)
	k := &Kubelet{api: c.As(NodeUser(node)), pods: map[string]Pod{}}
	if err := admin.EnsureNode(ctx, node); err != nil {
		return nil, err
	}
	for _, account := range accounts {
		namespace, name, _ := strings.Cut(account, "/")
		err := errors.Join(admin.EnsureNamespace(ctx, namespace), admin.EnsureServiceAccount(ctx, namespace, name, nil))
		if err != nil {
			return nil, err
		}
		if k.pods[account], err = admin.EnsurePod(ctx, namespace, name, name, node); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// refusal is what NodeRestriction answers; Kubernetes 1.37 puts the audience in the place of "this audience".
const refusal = "is not authorized to request tokens for "

// Gets waits until tokens for the audience are granted for exactly these accounts, and refused by NodeRestriction for all
// others of the kubelet; half a minute at most. What RBAC stores reaches the authorizers a moment later.
func (k *Kubelet) Gets(ctx context.Context, audience string, accounts ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	want := map[string]bool{}
	for _, account := range accounts {
		want[account] = true
	}
	return Eventually(ctx, func(ctx context.Context) error {
		for account, pod := range k.pods {
			namespace, name, _ := strings.Cut(account, "/")
			_, err := k.api.CreateToken(ctx, namespace, name, audience, &pod)
			switch {
			case want[account] && err != nil:
				return err
			case !want[account] && err == nil:
				return fmt.Errorf("a token of %s for %s was granted", account, audience)
			case !want[account] && !strings.Contains(err.Error(), refusal):
				return err
			}
		}
		return nil
	})
}
