//go:build linux

package examples_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	kubeletv1 "k8s.io/kubelet/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

func talosVariables() map[string]any {
	v := variables()
	v["extension_version"], v["extension_author"] = "v1.0.0", "Example Ltd."
	return v
}

// The object is turned into the kubelet's file as Talos does it: through the types of k8s.io/kubelet/config/v1, which drop
// what they do not know.
func TestTalosMachineConfigHoldsTheObject(t *testing.T) {
	patches := decode[[]string](t, handed(t, outputs(t, "talos", talosVariables()), "talos.tf")[0])
	if len(patches) != 1 {
		t.Fatalf("%d patches are handed over", len(patches))
	}
	var patch struct {
		Machine struct {
			Kubelet struct {
				CredentialProviderConfig map[string]any
			}
		}
	}
	if err := yaml.UnmarshalStrict([]byte(patches[0]), &patch); err != nil {
		t.Fatal(err)
	}
	object := patch.Machine.Kubelet.CredentialProviderConfig
	var config kubeletv1.CredentialProviderConfig
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &config); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	parsed := starts(t, "kubelet-credentialproviderconfig.yaml", string(text))
	same(t, "the providers", []string{"ak-kubelet-provider"}, names(parsed))
	if parsed.Providers[0].TokenAttributes == nil {
		t.Error("the plugin is handed no token")
	}
	written, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	starts(t, "the object itself", string(written))
}

func TestTalosExtensionIsThePinnedPlugin(t *testing.T) {
	out := outputs(t, "talos", talosVariables())
	dockerfile := output[string](t, out, "extension_dockerfile")
	for arch := range binaries {
		acctest.Says(t, dockerfile, "FROM scratch AS plugin-"+arch, "ADD --checksum=sha256:"+digest(arch)+
			" --chmod=0755 "+address(arch)+" /rootfs/usr/local/lib/kubelet/credentialproviders/ak-kubelet-provider")
	}
	lines := strings.Split(strings.TrimSpace(dockerfile), "\n")
	same(t, "the image", []string{"FROM plugin-$TARGETARCH", "COPY manifest.yaml /manifest.yaml"}, lines[len(lines)-2:])

	var manifest struct {
		Version  string
		Metadata struct {
			Name, Version, Author, Description string
			Compatibility                      struct{ Talos struct{ Version string } }
		}
	}
	if err := yaml.UnmarshalStrict([]byte(output[string](t, out, "extension_manifest")), &manifest); err != nil {
		t.Fatal(err)
	}
	same(t, "the manifest", "v1alpha1 ak-kubelet-provider v1.0.0 >= v1.12.0", strings.Join([]string{
		manifest.Version, manifest.Metadata.Name, manifest.Metadata.Version, manifest.Metadata.Compatibility.Talos.Version,
	}, " "))
}
