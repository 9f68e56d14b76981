//go:build linux

package examples_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
)

// document is what an example makes for a consumer to fetch.
type document struct {
	Content     string `json:"content"`
	ContentType string `json:"content_type"`
}

// public is a web server that everybody reaches.
var public = sync.OnceValue(func() *publisher.Server {
	server, err := publisher.New(publisher.Options{})
	if err != nil {
		panic(err) // Nothing but the machine can be at fault.
	}
	return server
})

// issued is the cluster of the inventory whose issuer is a folder of the site.
func issued() map[string]string {
	return map[string]string{"name": "prod", "issuer": public().URL() + "/clusters/prod"}
}

type extraArg struct{ Name, Value string }

// issuerFlags are the flags that the example of the issuer has for an API server, as kubeadm takes them.
func issuerFlags(t *testing.T) []extraArg {
	t.Helper()
	var configuration struct {
		APIVersion, Kind string
		APIServer        struct{ ExtraArgs []extraArg }
	}
	out := outputs(t, "kubeadm-issuer", map[string]any{"cluster": issued()})
	if err := yaml.UnmarshalStrict([]byte(output[string](t, out, "cluster_configuration")), &configuration); err != nil {
		t.Fatal(err)
	}
	same(t, "the object", "kubeadm.k8s.io/v1beta4 ClusterConfiguration", configuration.APIVersion+" "+configuration.Kind)
	return configuration.APIServer.ExtraArgs
}

func TestKubeadmControlPlaneHasTheIssuerOfTheInventory(t *testing.T) {
	type controlPlane[A any] struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			KubeadmConfigSpec struct {
				ClusterConfiguration struct{ APIServer struct{ ExtraArgs A } }
			}
		}
	}
	parts := output[map[string]string](t, outputs(t, "kubeadm-issuer", map[string]any{"cluster": issued()}), "kubeadm_control_plane")
	same(t, "the versions", []string{"v1beta1", "v1beta2"}, slices.Sorted(maps.Keys(parts)))
	var list controlPlane[[]extraArg]
	var names controlPlane[map[string]string]
	for version, into := range map[string]any{"v1beta2": &list, "v1beta1": &names} {
		if err := yaml.UnmarshalStrict([]byte(parts[version]), into); err != nil {
			t.Fatal(err)
		}
	}
	const kind = " KubeadmControlPlane prod"
	same(t, "the object", "controlplane.cluster.x-k8s.io/v1beta2"+kind, list.APIVersion+" "+list.Kind+" "+list.Metadata.Name)
	same(t, "the object", "controlplane.cluster.x-k8s.io/v1beta1"+kind, names.APIVersion+" "+names.Kind+" "+names.Metadata.Name)

	flags := list.Spec.KubeadmConfigSpec.ClusterConfiguration.APIServer.ExtraArgs
	same(t, "the flags of kubeadm", flags, issuerFlags(t))
	byName := map[string]string{}
	for _, flag := range flags {
		byName[flag.Name] = flag.Value
	}
	same(t, "the flags of v1beta1", byName, names.Spec.KubeadmConfigSpec.ClusterConfiguration.APIServer.ExtraArgs)
}

// The API server that was started with the flags says what the inventory says.
func TestClusterHasTheIssuerOfTheInventory(t *testing.T) {
	plane := anotherCluster(t)
	var discovery struct {
		Issuer  string
		JWKSURI string `json:"jwks_uri"`
	}
	if err := plane.As(controlplane.Admin).Get(t.Context(), "/.well-known/openid-configuration", &discovery); err != nil {
		t.Fatal(err)
	}
	same(t, "the issuer", issued()["issuer"], discovery.Issuer)
	same(t, "the place of the keys", issued()["issuer"]+"/openid/v1/jwks", discovery.JWKSURI)

	made := map[string]any{"cluster": issued(), "kubeconfig": kubeconfig(t, plane)}
	if kids := output[[]string](t, outputs(t, "kubeadm-issuer", made), "key_ids"); len(kids) != 1 {
		t.Errorf("the cluster signs with %q", kids)
	}
	made["kubeconfig"] = kubeconfig(t, cluster(t))
	acctest.Says(t, example(t, "kubeadm-issuer", made).Plan(1),
		"The inventory has the issuer "+discovery.Issuer+" with its keys at "+discovery.JWKSURI+", and the API server says "+
			cluster(t).Issuer())
}
