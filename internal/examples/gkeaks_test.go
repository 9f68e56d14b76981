//go:build linux

package examples_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// platforms are files with the layout of what the platforms' nodes have, and fewer patterns.
var platforms = map[string]string{
	"GKE": `kind: CredentialProviderConfig
apiVersion: kubelet.config.k8s.io/v1
providers:
  - name: auth-provider-gcp
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages:
    - "gcr.io"
    - "*.pkg.dev"
    args:
    - get-credentials
    - --v=3
    defaultCacheDuration: 1m
`,
	"AKS": `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: acr-credential-provider
    matchImages:
      - "*.azurecr.io"
    defaultCacheDuration: "10m"
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - /etc/kubernetes/azure.json
`,
	"without indentation, with comments, and with something behind": `# Ours.
providers:
# The first.
- name: first
  matchImages: ["*.example.net"] # with a - in it
  defaultCacheDuration: 1m
  apiVersion: credentialprovider.kubelet.k8s.io/v1
- {name: second, matchImages: [example.org], defaultCacheDuration: 0s, apiVersion: credentialprovider.kubelet.k8s.io/v1}

kind: CredentialProviderConfig
apiVersion: kubelet.config.k8s.io/v1
`,
}

// installer is the DaemonSet and its files as the API server has stored them.
type installer struct {
	files map[string]string
	// image, shell and args are those of the container that does it.
	image string
	shell []string
	args  []string
}

func gkeVariables(more map[string]any) map[string]any {
	v := variables()
	v["installer_image"] = "docker.io/library/busybox@sha256:" + strings.Repeat("0", 64)
	maps.Copy(v, more)
	return v
}

// applyManifests applies what the example hands to hashicorp/kubernetes to a real API server, which refuses what it does
// not know.
func applyManifests(t *testing.T, variables map[string]any) installer {
	t.Helper()
	out := outputs(t, "gke-aks", variables)
	admin := cluster(t).As(controlplane.Admin)
	paths := []string{
		"/api/v1/namespaces/aktrust-node",
		"/api/v1/namespaces/aktrust-node/configmaps/aktrust-node-installer",
		"/apis/apps/v1/namespaces/aktrust-node/daemonsets/aktrust-node-installer",
	}
	manifests := output[[]json.RawMessage](t, out, "manifests")
	if len(manifests) != len(paths) {
		t.Fatalf("there are %d manifests", len(manifests))
	}
	for i, object := range handed(t, out, "kubernetes.tf") {
		if !acctest.SameJSON(string(object), string(manifests[i])) {
			t.Errorf("%s: what is handed over is not the output", paths[i])
		}
		if err := admin.Apply(t.Context(), paths[i], "test", true, object); err != nil {
			t.Fatal(err)
		}
	}
	var files struct{ Data map[string]string }
	var set struct {
		Spec struct {
			Template struct {
				Spec struct {
					InitContainers []struct {
						Image         string
						Command, Args []string
					}
				}
			}
		}
	}
	if err := admin.Get(t.Context(), paths[1], &files); err != nil {
		t.Fatal(err)
	}
	if err := admin.Get(t.Context(), paths[2], &set); err != nil {
		t.Fatal(err)
	}
	container := set.Spec.Template.Spec.InitContainers[0]
	return installer{files: files.Data, image: container.Image, shell: container.Command, args: container.Args}
}

// gkeNode is a node whose kubelet runs with the platform's file.
func gkeNode(t *testing.T, platform string) *machine {
	t.Helper()
	m := newMachine(t)
	for _, provider := range parse(t, platform).Providers {
		writeFile(t, m.root+"/bin/"+provider.Name, anyProgram, 0o755)
	}
	writeFile(t, m.root+"/config.yaml", platform, 0o640)
	m.flags = func() []string { return kubeletconfig.Args(m.root+"/config.yaml", m.root+"/bin") }
	if err := m.restart(); err != nil {
		t.Fatal(err)
	}
	return m
}

// pod runs what the DaemonSet's pod runs, on the machine in the place of the node, and gives the exit code and output.
func (m *machine) pod(i installer) (int, string) {
	m.t.Helper()
	volume, state := m.t.TempDir(), filepath.Join(filepath.Dir(m.root), "state")
	for name, text := range i.files {
		writeFile(m.t, filepath.Join(volume, name), text, 0o644)
	}
	if err := os.MkdirAll(state, 0o755); err != nil {
		m.t.Fatal(err)
	}
	m.stub("nsenter", `[ "$1 $2 $3 $4 $5 $6" = "-t 1 -m -u -i -n" ] || exit 1; shift 6; exec "$@"`)
	args := append([]string(nil), i.shell...)
	for _, arg := range i.args {
		args = append(args, strings.NewReplacer("/files/", volume+"/", "/node/", state+"/", "/var/lib/aktrust", state).Replace(arg))
	}
	return m.command(args...)
}

func (m *machine) podSucceeds(i installer, says string) {
	m.t.Helper()
	code, out := m.pod(i)
	if code != 0 {
		m.t.Fatalf("the pod exits with %d:\n%s", code, out)
	}
	acctest.Says(m.t, out, says)
}

func (m *machine) podFails(i installer, says ...string) {
	m.t.Helper()
	code, out := m.pod(i)
	if code == 0 {
		m.t.Fatalf("the pod succeeds:\n%s", out)
	}
	acctest.Says(m.t, out, says...)
}

func TestDaemonSetAddsTheEntryAndTakesItOut(t *testing.T) {
	install := applyManifests(t, gkeVariables(nil))
	remove := applyManifests(t, gkeVariables(map[string]any{"installed": false}))
	for name, platform := range platforms {
		t.Run(name, func(t *testing.T) {
			m := gkeNode(t, platform)
			theirs := m.files()

			m.podSucceeds(install, "the kubelet runs with")
			text := strings.TrimPrefix(m.files()["/config.yaml"], "0640 ")
			m.kubelet.has(t, text)
			after := parse(t, text)
			if !(kubeletconfig.Config{APIVersion: after.APIVersion, Providers: after.Providers[1:]}).Equal(parse(t, platform)) {
				t.Errorf("the platform's own entries have changed:\n%s", text)
			}
			same(t, "ours", "ak-kubelet-provider", after.Providers[0].Name)

			started := m.starts
			m.podSucceeds(install, "is as it should be")
			if m.starts != started {
				t.Error("a second run restarts the kubelet")
			}

			m.podSucceeds(remove, "the kubelet runs with")
			theirs["/bin/ak-kubelet-provider"] = "0755 " + plugin()
			same(t, "the node", theirs, m.files())
			m.podSucceeds(remove, "is as it should be")
		})
	}
}

func TestDaemonSetChangesItsEntry(t *testing.T) {
	m := gkeNode(t, platforms["AKS"])
	m.podSucceeds(applyManifests(t, gkeVariables(nil)), "the kubelet runs with")
	m.podSucceeds(applyManifests(t, gkeVariables(map[string]any{"audience": "another"})), "the kubelet runs with")
	config := parse(t, readFile(t, m.root+"/config.yaml"))
	same(t, "the providers", []string{"ak-kubelet-provider", "acr-credential-provider"}, names(config))
	same(t, "the audience", "another", config.Providers[0].TokenAttributes.ServiceAccountTokenAudience)
}

func TestDaemonSetRollsBack(t *testing.T) {
	install := applyManifests(t, gkeVariables(nil))
	m := gkeNode(t, platforms["GKE"])
	theirs := m.files()
	theirs["/bin/ak-kubelet-provider"] = "0755 " + plugin()

	broken := install
	broken.files = maps.Clone(install.files)
	broken.files["provider.yaml"] = spoil(t, install.files["provider.yaml"], "5m0s", "soon")
	m.podFails(broken, "the kubelet does not come up with the new configuration", "the kubelet runs with what it had before")
	same(t, "the node", theirs, m.files())
	if !m.kubelet.healthy() {
		t.Error("the kubelet does not run")
	}
	m.podSucceeds(install, "the kubelet runs with")
}

func TestDaemonSetRefusesBeforeItTouchesAnything(t *testing.T) {
	install := applyManifests(t, gkeVariables(nil))
	t.Run("a list in another style", func(t *testing.T) {
		m := gkeNode(t, `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers: [{name: one, matchImages: [example.org], defaultCacheDuration: 0s, apiVersion: credentialprovider.kubelet.k8s.io/v1}]
`)
		before := m.files()
		before["/bin/ak-kubelet-provider"] = "0755 " + plugin()
		m.podFails(install, "has no list 'providers:' in block style")
		same(t, "the node", before, m.files())
	})
	t.Run("a kubelet without such a file", func(t *testing.T) {
		m := newMachine(t)
		m.flags = func() []string { return nil }
		if err := m.restart(); err != nil {
			t.Fatal(err)
		}
		m.podFails(install, "reads no file of credential providers")
		if len(m.files()) != 0 || m.starts != 1 {
			t.Errorf("something was done: %v", m.files())
		}
	})
}

func TestInstallerImageIsNamedByDigest(t *testing.T) {
	w := example(t, "gke-aks", gkeVariables(map[string]any{"installer_image": "busybox:latest"}))
	acctest.Says(t, w.Plan(1), "name its image by digest")
}
