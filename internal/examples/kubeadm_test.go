//go:build linux

package examples_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const (
	kubeadmFlags  = "/var/lib/kubelet/kubeadm-flags.env"
	kubeadmConfig = "/etc/kubernetes/credential-provider.yaml"
	kubeadmPlugin = "/usr/local/lib/kubelet-credential-providers/ak-kubelet-provider"
	// kubeadmWrote is what kubeadm leaves behind when a node has joined.
	kubeadmWrote = "KUBELET_KUBEADM_ARGS=\"--hostname-override=node --node-ip=10.0.0.7\"\n"
)

// kubeadmNode is a node that has joined, whose unit reads kubeadm's file.
func kubeadmNode(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	writeFile(t, m.root+kubeadmFlags, kubeadmWrote, 0o640)
	m.flags = func() []string {
		text := readFile(t, m.root+kubeadmFlags)
		_, text, _ = strings.Cut(text, `KUBELET_KUBEADM_ARGS="`)
		text, _, _ = strings.Cut(text, `"`)
		return m.below(strings.Fields(text))
	}
	if err := m.restart(); err != nil {
		t.Fatal(err)
	}
	return m
}

// kubeadmDone is what is on the node when all went well.
func kubeadmDone(config string) map[string]string {
	return map[string]string{
		kubeadmFlags: "0640 " + strings.Replace(kubeadmWrote, "\"\n", " "+
			strings.Join(kubeletconfig.Args(kubeadmConfig, filepath.Dir(kubeadmPlugin)), " ")+"\"\n", 1),
		kubeadmConfig: "0644 " + config,
		kubeadmPlugin: "0755 " + plugin(),
	}
}

func TestKubeadmNodesGetPluginFileAndFlags(t *testing.T) {
	m := kubeadmNode(t)
	out := outputs(t, "kubeadm", variables())
	script := output[string](t, out, "node_script")

	m.succeeds(script, "the kubelet runs with the plugin")
	config := strings.TrimPrefix(m.files()[kubeadmConfig], "0644 ")
	same(t, "the node", kubeadmDone(config), m.files())
	m.kubelet.has(t, config)
	same(t, "the hash", m.kubelet.hash, output[string](t, out, "config_hash"))
	same(t, "the images", []string{"ak.example.com"}, parse(t, config).Providers[0].MatchImages)

	started := m.starts
	m.succeeds(strings.ReplaceAll(script, "/ak-kubelet-provider'", "/gone'"), "the node has it all")
	if m.starts != started {
		t.Error("a second run restarts the kubelet")
	}
}

// What was cut short is not taken for done: the files are there, and the kubelet may not have been restarted.
func TestKubeadmScriptGoesOnWhereItWasCutShort(t *testing.T) {
	m := kubeadmNode(t)
	script := output[string](t, outputs(t, "kubeadm", variables()), "node_script")
	cut := strings.Replace(script, "if ! restart_kubelet roll_back", "kill -KILL $$\nif ! restart_kubelet roll_back", 1)
	started := m.starts
	m.fails(cut)
	if m.starts != started {
		t.Fatal("the script was not cut short")
	}
	m.succeeds(script, "the kubelet runs with the plugin")
	if m.starts != started+1 {
		t.Errorf("the kubelet was started %d times more", m.starts-started)
	}
	same(t, "the node", kubeadmDone(strings.TrimPrefix(m.files()[kubeadmConfig], "0644 ")), m.files())
}

func TestKubeadmFlagsForNodesToCome(t *testing.T) {
	m := newMachine(t)
	out := outputs(t, "kubeadm", variables())
	var registration struct {
		NodeRegistration struct {
			KubeletExtraArgs []struct{ Name, Value string }
		}
	}
	if err := yaml.UnmarshalStrict([]byte(output[string](t, out, "node_registration")), &registration); err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, arg := range registration.NodeRegistration.KubeletExtraArgs {
		flags = append(flags, "--"+arg.Name+"="+arg.Value)
	}
	same(t, "the flags", kubeletconfig.Args(kubeadmConfig, filepath.Dir(kubeadmPlugin)), flags)

	// The script prepares a node that has not joined.
	m.succeeds(output[string](t, out, "node_script"), "this node has not joined yet")
	files := m.files()
	want := kubeadmDone(strings.TrimPrefix(files[kubeadmConfig], "0644 "))
	delete(want, kubeadmFlags)
	same(t, "the node", want, files)
	if k := startKubelet(t, m.below(flags)...); !k.healthy() {
		t.Errorf("a kubelet does not start with them:\n%s", k.says(t))
	}
}

func TestKubeadmRollsBack(t *testing.T) {
	script := output[string](t, outputs(t, "kubeadm", variables()), "node_script")
	for name, change := range map[string][2]string{
		"a file that the kubelet refuses": {"defaultCacheDuration: 5m0s", "defaultCacheDuration: soon"},
		"a flag that the kubelet refuses": {"kubelet_args='", "kubelet_args='--no-such-flag=x "},
	} {
		t.Run(name, func(t *testing.T) {
			m := kubeadmNode(t)
			spoiled := spoil(t, script, change[0], change[1])
			m.fails(spoiled, "the kubelet does not come up with the new configuration", "the kubelet runs with what it had before")
			same(t, "the node", map[string]string{kubeadmFlags: "0640 " + kubeadmWrote, kubeadmPlugin: "0755 " + plugin()}, m.files())

			m.succeeds(script, "the kubelet runs with the plugin")
			before := m.files()
			m.fails(spoiled, "the kubelet runs with what it had before")
			same(t, "the node with a file of before", before, m.files())
			if !m.kubelet.healthy() {
				t.Error("the kubelet does not run")
			}
		})
	}
}

func TestKubeadmScriptRefusesBeforeItTouchesAnything(t *testing.T) {
	script := output[string](t, outputs(t, "kubeadm", variables()), "node_script")
	for name, c := range map[string]struct {
		flags  string
		script string
		uname  string
		says   string
	}{
		"another file of credential providers": {
			flags: `KUBELET_KUBEADM_ARGS="--image-credential-provider-config=/etc/ecr.yaml"`,
			says:  "the kubelet has a file already (--image-credential-provider-config=/etc/ecr.yaml)",
		},
		"no arguments of kubeadm": {flags: "# nothing", says: "has no line KUBELET_KUBEADM_ARGS"},
		"another plugin than the one that was pinned": {
			script: strings.NewReplacer(digest("amd64"), strings.Repeat("0", 64), digest("arm64"), strings.Repeat("0", 64)).Replace(script),
			says:   "is not the plugin that was pinned",
		},
		"no plugin to download": {
			script: spoil(t, script, "/ak-kubelet-provider'", "/gone'"),
			says:   "the plugin cannot be downloaded from",
		},
		"no plugin for this machine": {uname: "s390x", says: "no plugin is pinned for s390x"},
	} {
		t.Run(name, func(t *testing.T) {
			m := kubeadmNode(t)
			if c.flags != "" {
				writeFile(t, m.root+kubeadmFlags, c.flags+"\n", 0o640)
			}
			if c.uname != "" {
				m.stub("uname", "echo "+c.uname)
			}
			before, started := m.files(), m.starts
			m.fails(cmp.Or(c.script, script), c.says)
			same(t, "the node", before, m.files())
			if m.starts != started {
				t.Error("the kubelet was restarted")
			}
		})
	}
}
