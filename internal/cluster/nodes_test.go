package cluster

import (
	"fmt"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// Nodes come in pages, with the version that the kubelet reported.
func TestKubelets(t *testing.T) {
	plane := controlplane.Shared(t)
	api := plane.As(controlplane.Admin)
	for i := range nodesPerPage + 1 {
		name := fmt.Sprintf("kubelets-%d", i)
		if err := api.EnsureNode(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = api.Delete(t.Context(), "/api/v1/nodes/"+name) }) // the control plane goes too
	}
	if err := api.Patch(t.Context(), "/api/v1/nodes/kubelets-7/status", "kubelet", map[string]any{
		"status": map[string]any{"nodeInfo": map[string]any{"kubeletVersion": "v1.33.1"}},
	}); err != nil {
		t.Fatal(err)
	}
	kubelets, err := as(t, controlplane.Admin).Kubelets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, kubelet := range kubelets {
		versions[kubelet.Node] = kubelet.Version
	}
	if len(versions) < nodesPerPage+1 || versions["kubelets-7"] != "v1.33.1" || versions["kubelets-8"] != "" {
		t.Errorf("%d nodes, %q and %q", len(versions), versions["kubelets-7"], versions["kubelets-8"])
	}
	_, err = as(t, controlplane.Nobody).Kubelets(t.Context())
	contains(t, err, "list all Nodes", "the verb list on nodes")
}

// A token for an audience of the API server is a credential to it, and another one is none, whoever asks.
func TestAccepts(t *testing.T) {
	plane := controlplane.Shared(t)
	namespace := plane.Namespace(t)
	if err := plane.As(controlplane.Admin).EnsureServiceAccount(t.Context(), namespace, "api", nil); err != nil {
		t.Fatal(err)
	}
	certificate, key, err := plane.ClientCertificate("jane", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	admin := as(t, controlplane.Admin)
	for name, client := range map[string]*Client{
		"administrator": admin, "nobody": as(t, controlplane.Nobody),
		"certificate": connect(t, Config{
			Host: plane.URL(), ClusterCACertificate: plane.CA(), ClientCertificate: certificate, ClientKey: key,
		}),
	} {
		for audience, want := range map[string]bool{"": true, plane.Issuer(): true, "artifact-keeper": false} {
			token, err := admin.CreateToken(t.Context(), TokenRequest{Namespace: namespace, ServiceAccount: "api", Audience: audience})
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.Accepts(t.Context(), *token, "system:serviceaccount:"+namespace+":api")
			if err != nil || got != want {
				t.Errorf("%s: a token for %q is accepted: %t, %v", name, audience, got, err)
			}
		}
	}
	// The connection still speaks for itself afterwards.
	if _, err := admin.ServiceAccount(t.Context(), namespace, "api"); err != nil {
		t.Error(err)
	}
}
