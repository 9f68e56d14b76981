package controlplane

import (
	"context"
	"errors"
	"net/http"
	"time"
)

type object = map[string]any

// EnsureNamespace makes a namespace; one that exists is left as it is.
func (a *API) EnsureNamespace(ctx context.Context, name string) error {
	return a.ensure(ctx, "/api/v1/namespaces", object{
		"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name},
	})
}

// EnsureServiceAccount makes a ServiceAccount with annotations; one that exists is left as it is.
func (a *API) EnsureServiceAccount(ctx context.Context, namespace, name string, annotations map[string]string) error {
	return a.ensure(ctx, "/api/v1/namespaces/"+namespace+"/serviceaccounts", object{
		"apiVersion": "v1", "kind": "ServiceAccount",
		"metadata": object{"name": name, "namespace": namespace, "annotations": annotations},
	})
}

// EnsureNode makes a Node object; one that exists is left as it is.
func (a *API) EnsureNode(ctx context.Context, name string) error {
	return a.ensure(ctx, "/api/v1/nodes", object{
		"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name},
	})
}

// Pod says which pod a token is for.
type Pod struct{ Namespace, Name, UID string }

// EnsurePod makes a pod that runs as a ServiceAccount and is bound to a node, as if scheduled there. Its container
// never starts: there is no kubelet. The ServiceAccount's token is not mounted, so that the pod's own volumes name
// no audience. One that exists is left as it is.
func (a *API) EnsurePod(ctx context.Context, namespace, name, serviceAccount, node string) (Pod, error) {
	path := "/api/v1/namespaces/" + namespace + "/pods"
	if err := a.ensure(ctx, path, object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": name, "namespace": namespace},
		"spec": object{
			"nodeName": node, "serviceAccountName": serviceAccount, "automountServiceAccountToken": false,
			"containers": []object{{"name": "main", "image": "registry.test/main:1"}},
		},
	}); err != nil {
		return Pod{}, err
	}
	var pod struct{ Metadata struct{ UID string } }
	if err := a.Get(ctx, path+"/"+name, &pod); err != nil {
		return Pod{}, err
	}
	return Pod{Namespace: namespace, Name: name, UID: pod.Metadata.UID}, nil
}

// CreateToken asks for a ServiceAccount's token for one audience, valid for ten minutes; "" means the API server's
// own audience. With a pod the token is bound to it, which is what a kubelet must ask for.
func (a *API) CreateToken(ctx context.Context, namespace, serviceAccount, audience string, pod *Pod) (string, error) {
	spec := object{"expirationSeconds": 600}
	if audience != "" {
		spec["audiences"] = []string{audience}
	}
	if pod != nil {
		spec["boundObjectRef"] = object{"apiVersion": "v1", "kind": "Pod", "name": pod.Name, "uid": pod.UID}
	}
	path := "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + serviceAccount + "/token"
	var answer struct{ Status struct{ Token string } }
	err := a.Do(ctx, http.MethodPost, path, object{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec,
	}, &answer)
	return answer.Status.Token, err
}

// ensure creates an object unless one of that name is there.
func (a *API) ensure(ctx context.Context, collection string, in any) error {
	err := a.Do(ctx, http.MethodPost, collection, in, nil)
	var status *StatusError
	if errors.As(err, &status) && status.Reason == "AlreadyExists" {
		return nil
	}
	return err
}

// Eventually tries until there is no error, and returns the last one when ctx is over. What the API server has
// stored reaches its authorizers a moment later; this is for waiting for such effects.
func Eventually(ctx context.Context, try func(context.Context) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
}
