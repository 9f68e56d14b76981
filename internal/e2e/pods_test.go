//go:build e2e && linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// pod is a pod on the node that runs as the ServiceAccount "app" of its namespace.
type pod struct{ namespace, name, image, pullPolicy, uid string }

func (p pod) String() string { return p.namespace + "/" + p.name }

// podStatus is what the API server knows of a pod.
type podStatus struct {
	Metadata struct{ UID string }
	Status   struct {
		Phase             string
		ContainerStatuses []struct {
			ImageID string
			State   struct {
				Waiting *struct{ Reason, Message string }
				Running *struct{}
			}
		}
	}
}

// create makes a pod, as if a scheduler had bound it to the node: with the network of the host, because the node has no
// other, and without a mounted token, so that its own volumes name no audience.
func (w *world) create(t *testing.T, namespace, name, image, pullPolicy string) pod {
	t.Helper()
	p := pod{namespace: namespace, name: name, image: w.registry.Host() + "/team/" + image + ":1.0", pullPolicy: pullPolicy}
	type object map[string]any
	var made podStatus
	err := w.plane.As(controlplane.Admin).Do(w.ctx, http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods", object{
		"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name},
		"spec": object{
			"nodeName": nodeName, "hostNetwork": true, "serviceAccountName": "app", "automountServiceAccountToken": false,
			"enableServiceLinks": false,
			"containers":         []object{{"name": "main", "image": p.image, "imagePullPolicy": pullPolicy}},
		},
	}, &made)
	if err != nil {
		t.Fatal(err)
	}
	p.uid = made.Metadata.UID
	return p
}

// await waits until there is no error, or fails the test with the last one.
func (w *world) await(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(w.ctx, soon, fmt.Errorf("still so after %s", soon))
	defer cancel()
	if err := w.node.Await(ctx, try); err != nil {
		t.Fatalf("waiting until %s: %s", what, err)
	}
}

// mustRun waits until the pod's container runs, and gives the digest that its image has on the node.
func (w *world) mustRun(t *testing.T, p pod) (digest string) {
	t.Helper()
	w.await(t, "the pod "+p.String()+" runs", func(ctx context.Context) error {
		status, err := w.status(ctx, p)
		if err != nil {
			return err
		}
		for _, container := range status.Status.ContainerStatuses {
			if container.State.Running != nil {
				_, digest, _ = strings.Cut(container.ImageID, "@")
				return nil
			}
			if waiting := container.State.Waiting; waiting != nil {
				return fmt.Errorf("its container waits: %s: %s", waiting.Reason, waiting.Message)
			}
		}
		return fmt.Errorf("it is %s", status.Status.Phase)
	})
	return digest
}

// mustNotPull waits until the node has told that it cannot pull the pod's image, and gives what the event says.
func (w *world) mustNotPull(t *testing.T, p pod) (message string) {
	t.Helper()
	w.await(t, "the pod "+p.String()+" is refused its image", func(ctx context.Context) error {
		status, err := w.status(ctx, p)
		if err != nil {
			return err
		}
		for _, container := range status.Status.ContainerStatuses {
			if container.State.Running != nil {
				t.Fatalf("the pod %s runs, its image should have been refused", p)
			}
		}
		events, err := w.events(ctx, p)
		for _, event := range events {
			if event.Reason == "Failed" && strings.HasPrefix(event.Message, "Failed to pull image") {
				message = event.Message
				return nil
			}
		}
		return errors.Join(errors.New("there is no event of a failed pull"), err)
	})
	return message
}

// remove deletes a pod and waits until the kubelet is done with it: it would go on asking for the image.
func (w *world) remove(t *testing.T, p pod) {
	t.Helper()
	const grace = "?gracePeriodSeconds=1" // with 0 the API server does not wait for the kubelet
	err := w.plane.As(controlplane.Admin).Delete(w.ctx, "/api/v1/namespaces/"+p.namespace+"/pods/"+p.name+grace)
	if err != nil {
		t.Fatal(err)
	}
	w.await(t, "the pod "+p.String()+" is gone", func(ctx context.Context) error {
		_, err := w.status(ctx, p)
		if gone, ok := errors.AsType[*controlplane.StatusError](err); ok && gone.Code == http.StatusNotFound {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}

func (w *world) status(ctx context.Context, p pod) (status podStatus, err error) {
	err = w.plane.As(controlplane.Admin).Get(ctx, "/api/v1/namespaces/"+p.namespace+"/pods/"+p.name, &status)
	return status, err
}

type event struct {
	Reason, Message string
	InvolvedObject  struct{ Namespace, Name string }
}

// events are those of one pod.
func (w *world) events(ctx context.Context, p pod) ([]event, error) {
	return w.listEvents(ctx, "/api/v1/namespaces/"+p.namespace+"/events?fieldSelector=involvedObject.uid="+p.uid)
}

func (w *world) listEvents(ctx context.Context, path string) ([]event, error) {
	var list struct{ Items []event }
	err := w.plane.As(controlplane.Admin).Get(ctx, path, &list)
	return list.Items, err
}

// explain shows what is known when a step has failed: the events of the pods, and the ends of the node's logs.
func (w *world) explain(t *testing.T) {
	events, err := w.listEvents(context.WithoutCancel(w.ctx), "/api/v1/events?fieldSelector=involvedObject.kind=Pod")
	if err != nil {
		t.Logf("the events of the pods cannot be read: %s", err)
	}
	for _, e := range events {
		t.Logf("event of %s/%s: %s: %s", e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Reason, e.Message)
	}
	t.Log(w.node.Logs())
}
