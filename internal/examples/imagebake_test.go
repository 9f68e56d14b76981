//go:build linux

package examples_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const (
	bakedConfig      = "/etc/kubernetes/credential-provider.yaml"
	bakedEnvironment = "/etc/default/kubelet"
	bakedBinDir      = "/usr/local/lib/kubelet-credential-providers"
)

func bakeVariables(m *machine, arch string) map[string]any {
	v := variables()
	v["rootfs"], v["arch"] = m.root, arch
	return v
}

// bootsImage starts a kubelet as the unit of an image does: with KUBELET_EXTRA_ARGS.
func bootsImage(t *testing.T, m *machine) {
	t.Helper()
	_, args, _ := strings.Cut(readFile(t, m.root+bakedEnvironment), `KUBELET_EXTRA_ARGS="`)
	args, _, _ = strings.Cut(args, `"`)
	startKubelet(t, m.below(strings.Fields(args))...).has(t, readFile(t, m.root+bakedConfig))
}

func TestImageGetsFilePluginAndFlags(t *testing.T) {
	for arch := range binaries {
		t.Run(arch, func(t *testing.T) {
			m := newMachine(t)
			writeFile(t, m.root+bakedEnvironment, "# of the package\n", 0o644)
			out := outputs(t, "image-bake", bakeVariables(m, arch))
			script := output[string](t, out, "bake_script")
			m.succeeds(script, "")
			files := m.files()
			config := strings.TrimPrefix(files[bakedConfig], "0644 ")
			same(t, "the tree", map[string]string{
				bakedConfig: "0644 " + config,
				bakedEnvironment: "0644 # of the package\nKUBELET_EXTRA_ARGS=\"" +
					strings.Join(kubeletconfig.Args(bakedConfig, bakedBinDir), " ") + "\"\n",
				bakedBinDir + "/ak-kubelet-provider": "0755 " + binaries[arch],
			}, files)
			same(t, "the hash", kubeletconfig.Hash([]byte(config)), output[string](t, out, "config_hash"))
			bootsImage(t, m)

			m.succeeds(script, "")
			same(t, "the tree after another run", files, m.files())
		})
	}
}

// An image that has a file of others gets our entry in it.
func TestImageKeepsTheEntriesOfOthers(t *testing.T) {
	const theirs = `# of the image
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: theirs
    matchImages: [example.org] # all of it
    defaultCacheDuration: 1h
    apiVersion: credentialprovider.kubelet.k8s.io/v1
`
	m := newMachine(t)
	environment := "KUBELET_EXTRA_ARGS=\"--node-labels=a=b " + strings.Join(kubeletconfig.Args(bakedConfig, bakedBinDir), " ") + "\"\n"
	writeFile(t, m.root+bakedConfig, theirs, 0o644)
	writeFile(t, m.root+bakedBinDir+"/theirs", anyProgram, 0o755)
	writeFile(t, m.root+bakedEnvironment, environment, 0o644)
	v := bakeVariables(m, "amd64")
	v["manage"] = "entries"
	m.succeeds(output[string](t, outputs(t, "image-bake", v), "bake_script"), "")
	text := readFile(t, m.root+bakedConfig)
	if !strings.HasPrefix(text, theirs) {
		t.Errorf("what was there has changed:\n%s", text)
	}
	same(t, "the providers", []string{"theirs", "ak-kubelet-provider"}, names(parse(t, text)))
	same(t, "the environment", environment, readFile(t, m.root+bakedEnvironment))
	bootsImage(t, m)
}

func TestImageScriptRefuses(t *testing.T) {
	m := newMachine(t)
	script := output[string](t, outputs(t, "image-bake", bakeVariables(m, "amd64")), "bake_script")
	before := m.files()
	m.fails(spoil(t, script, digest("amd64"), digest("arm64")), "is not the plugin that was pinned")
	m.fails(spoil(t, script, "arch='amd64'", "arch='s390x'"), "no plugin is pinned for s390x")
	same(t, "the tree", before, m.files())

	writeFile(t, m.root+bakedEnvironment, "KUBELET_EXTRA_ARGS=\"--node-labels=a=b\"\n", 0o644)
	m.fails(script, "has arguments of its own, without --image-credential-provider-config")
}

// The digests of the variable are refused in any other form, before anything is written.
func TestPluginVariableIsChecked(t *testing.T) {
	for _, other := range []string{"eks-al2023", "gke-aks", "talos", "image-bake"} {
		same(t, "the variable of "+other, pluginVariable(t, "kubeadm"), pluginVariable(t, other))
	}
	for name, release := range map[string]map[string]any{
		"no release":           {},
		"another architecture": {"s390x": map[string]string{"url": "https://example.com/p", "sha256": strings.Repeat("0", 64)}},
		"not https":            {"amd64": map[string]string{"url": "http://example.com/p", "sha256": strings.Repeat("0", 64)}},
		"a quote":              {"amd64": map[string]string{"url": "https://example.com/'$(reboot)'", "sha256": strings.Repeat("0", 64)}},
		"half a digest":        {"amd64": map[string]string{"url": "https://example.com/p", "sha256": "00"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := example(t, "kubeadm", map[string]any{"registry_endpoint": "https://ak.example.com", "plugin": release})
			if out := w.Plan(1); !strings.Contains(out, "Each of amd64 and arm64") {
				t.Errorf("the plan says:\n%s", out)
			}
		})
	}
}

// pluginVariable is the text of an example's variable.
func pluginVariable(t *testing.T, name string) string {
	t.Helper()
	_, text, found := strings.Cut(readFile(t, directory(t, name, "variables.tf")), "variable \"plugin\" {")
	text, _, closed := strings.Cut(text, "\n}\n")
	if !found || !closed {
		t.Fatalf("%s has no variable plugin", name)
	}
	return text
}
