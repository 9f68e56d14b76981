package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const (
	nodeName = "node-1"
	// audience is the default of examples/complete.
	audience = "artifact-keeper"
	// settling bounds the wait until the API server's authorizers have learned of what was just stored.
	settling = 30 * time.Second
	// owner is how the provider marks its objects: a label's value, and the field manager's name.
	owner = "terraform-provider-aktrust"
	rbac  = "/apis/rbac.authorization.k8s.io/v1/"
)

// workload is a pod on the node, with the ServiceAccount that it runs as.
type workload struct {
	pod            controlplane.Pod
	serviceAccount string
}

func (w workload) String() string { return w.pod.Namespace + "/" + w.serviceAccount }

// pull is the workload with an image of a repository, as a variable of examples/complete.
func (w workload) pull(repository string) map[string]string {
	return map[string]string{
		"namespace": w.pod.Namespace, "service_account": w.serviceAccount,
		"image": fmt.Sprintf("%s/%s:%s", repository, imageName, imageTag),
	}
}

// schedule makes a pod that runs on the node as a ServiceAccount of a namespace. The namespace has the ServiceAccount "default" too,
// which a controller makes in a whole cluster.
func schedule(ctx context.Context, admin *controlplane.API, namespace, serviceAccount string) (workload, error) {
	if err := errors.Join(
		admin.EnsureNamespace(ctx, namespace),
		admin.EnsureServiceAccount(ctx, namespace, "default", nil),
		admin.EnsureServiceAccount(ctx, namespace, serviceAccount, nil),
	); err != nil {
		return workload{}, err
	}
	pod, err := admin.EnsurePod(ctx, namespace, serviceAccount, serviceAccount, nodeName)
	return workload{pod: pod, serviceAccount: serviceAccount}, err
}

// request asks for the workload's token as the kubelet of its node does.
func (d *demo) request(ctx context.Context, w workload, audience string) (string, error) {
	kubelet := d.plane.As(controlplane.NodeUser(nodeName))
	token, err := kubelet.CreateToken(ctx, w.pod.Namespace, w.serviceAccount, audience, &w.pod)
	d.report.conceal(token)
	return token, err
}

// granted is a token that the node gets, at the latest once the API server's authorizers have settled.
func (d *demo) granted(ctx context.Context, w workload, audience string) (token string, err error) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	err = controlplane.Eventually(ctx, func(ctx context.Context) (err error) {
		token, err = d.request(ctx, w, audience)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("%s gets no token of %s for the audience %s: %w", nodeName, w, audience, err)
	}
	return token, nil
}

// refused is the API server's refusal of a token, at the latest once its authorizers have settled.
func (d *demo) refused(ctx context.Context, w workload, audience string) (words string, err error) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	err = controlplane.Eventually(ctx, func(ctx context.Context) error {
		_, err := d.request(ctx, w, audience)
		var status *controlplane.StatusError
		switch {
		case err == nil:
			return errors.New("the API server grants one")
		case errors.As(err, &status) && strings.Contains(status.Message, "is not authorized to request tokens for"):
			words = status.Message
			return nil
		}
		return err // such as not having heard of the pod yet
	})
	if err != nil {
		return "", fmt.Errorf("%s must not get a token of %s for the audience %s: %w", nodeName, w, audience, err)
	}
	return words, nil
}

// plugin is what the kubelet's file says about the plugin for an image.
type plugin struct{ name, audience, url, providerID string }

// readFile reads the file as the kubelet of the node does, and finds the plugin for an image.
func readFile(path, image string) (plugin, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return plugin{}, err
	}
	config, err := kubeletconfig.Parse(text)
	if err != nil {
		return plugin{}, fmt.Errorf("the kubelet would not start with %s: %w", path, err)
	}
	names, err := kubeletconfig.MatchingProviders(config, image)
	if err != nil {
		return plugin{}, err
	}
	if len(names) != 1 {
		return plugin{}, fmt.Errorf("%s has %d plugins for the image %s; one was expected:\n%s", path, len(names), image, text)
	}
	entry := config.Providers[slices.IndexFunc(config.Providers, func(p kubeletconfig.Provider) bool { return p.Name == names[0] })]
	if entry.TokenAttributes == nil {
		return plugin{}, fmt.Errorf("%s hands the plugin %s no token:\n%s", path, entry.Name, text)
	}
	found := plugin{name: entry.Name, audience: entry.TokenAttributes.ServiceAccountTokenAudience}
	for _, arg := range entry.Args {
		flag, value, _ := strings.Cut(arg, "=")
		switch flag {
		case "--url":
			found.url = value
		case "--provider-id":
			found.providerID = value
		}
	}
	return found, nil
}

// ourObjects names the RBAC objects of the cluster that carry the provider's label or its field manager.
func (d *demo) ourObjects(ctx context.Context) ([]string, error) {
	var names []string
	for kind, collection := range map[string]string{
		"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings", "RoleBinding": "rolebindings", "Role": "roles",
	} {
		var list struct {
			Items []struct {
				Metadata struct {
					Name          string
					Labels        map[string]string
					ManagedFields []struct{ Manager string }
				}
			}
		}
		if err := d.plane.As(controlplane.Admin).Get(ctx, rbac+collection, &list); err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			managed := slices.ContainsFunc(item.Metadata.ManagedFields, func(f struct{ Manager string }) bool { return f.Manager == owner })
			if managed || item.Metadata.Labels["app.kubernetes.io/managed-by"] == owner {
				names = append(names, kind+" "+item.Metadata.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
