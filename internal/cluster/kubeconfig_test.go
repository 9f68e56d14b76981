package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

const twoClusters = `
apiVersion: v1
kind: Config
current-context: a
clusters:
- {name: a, cluster: {server: "https://a.test:6443", tls-server-name: kubernetes, insecure-skip-tls-verify: true}}
- {name: b, cluster: {server: "https://b.test"}}
- {name: plain, cluster: {server: "http://plain.test"}}
- {name: nowhere, cluster: {proxy-url: "http://proxy.test"}}
- {name: proxied, cluster: {server: "https://b.test", proxy-url: "ftp://u:canary@proxy.test"}}
users:
- {name: a, user: {token: token-a}}
- {name: b, user: {token: token-b}}
- name: exec
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token], interactiveMode: IfAvailable}}
- {name: two, user: {token: t, username: u, password: p}}
contexts:
- {name: a, context: {cluster: a, user: a}}
- {name: b, context: {cluster: b, user: b}}
- {name: lost, context: {cluster: gone, user: a}}
- {name: nobody, context: {cluster: a, user: gone}}
- {name: plain, context: {cluster: plain, user: a}}
- {name: nowhere, context: {cluster: nowhere, user: a}}
- {name: two, context: {cluster: a, user: two}}
- {name: proxied, context: {cluster: proxied, user: a}}
`

func writeKubeconfig(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// moreClusters is merged behind twoClusters; its token file is named relative to it.
const moreClusters = `
current-context: c
clusters: [{name: a, cluster: {server: "https://never.test"}}, {name: c, cluster: {server: "https://c.test"}}]
users: [{name: c, user: {tokenFile: token}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
`

// connection is what matters of a rest.Config.
type connection struct {
	Host, ServerName, Token, Username, Command string
	CA, Cert, Insecure, Proxy                  bool
}

// choices are configurations over twoClusters, by the name "config", and with "more" over moreClusters too. PEM stands for
// the control plane's.
var choices = map[string]struct {
	config Config
	want   connection
}{
	"current context": {
		Config{}, connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "token-a"},
	},
	"another context": {Config{ConfigContext: "b"}, connection{Host: "https://b.test", Token: "token-b"}},
	"another cluster and user": {
		Config{ConfigContextCluster: "b", ConfigContextAuthInfo: "exec"}, connection{Host: "https://b.test", Command: "aws"},
	},
	"own host drops server name": {
		Config{Host: "https://mine.test"}, connection{Host: "https://mine.test", Insecure: true, Token: "token-a"},
	},
	"own server name": {
		Config{TLSServerName: "api"}, connection{Host: "https://a.test:6443", ServerName: "api", Insecure: true, Token: "token-a"},
	},
	"own CA ends insecure": {
		Config{ClusterCACertificate: "PEM"}, connection{Host: "https://a.test:6443", ServerName: "kubernetes", CA: true, Token: "token-a"},
	},
	"own insecure": {
		Config{ConfigContext: "b", Insecure: true}, connection{Host: "https://b.test", Insecure: true, Token: "token-b"},
	},
	"own proxy": {
		Config{ConfigContext: "b", ProxyURL: "http://proxy.test:3128"}, connection{Host: "https://b.test", Proxy: true, Token: "token-b"},
	},
	"own token for exec": {Config{ConfigContextCluster: "b", Token: "mine"}, connection{Host: "https://b.test", Token: "mine"}},
	"own certificate for token": {
		Config{ConfigContext: "b", ClientCertificate: "PEM", ClientKey: "PEM"}, connection{Host: "https://b.test", Cert: true},
	},
	"own password for token": {
		Config{ConfigContext: "b", Username: "u", Password: "p"}, connection{Host: "https://b.test", Username: "u"},
	},
	"own token for no user": {
		Config{ConfigContext: "nobody", Token: "mine"},
		connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "mine"},
	},
	"own host for no cluster": {
		Config{ConfigContext: "lost", Host: "mine.test/base"}, connection{Host: "https://mine.test/base", Token: "token-a"},
	},
	"own exec": {
		Config{ConfigContext: "b", Exec: &Exec{APIVersion: execVersions[0], Command: "mine"}}, connection{Host: "https://b.test", Command: "mine"},
	},
	"first of two files wins": {
		Config{ConfigPaths: []string{"config", "more"}, ConfigContext: "a"},
		connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "token-a"},
	},
	"second of two files adds": {
		Config{ConfigPaths: []string{"config", "more"}, ConfigContext: "c"}, connection{Host: "https://c.test", Token: "from-file"},
	},
	"the path comes before the paths": {
		Config{ConfigPath: "config", ConfigPaths: []string{"more"}, ConfigContext: "a"},
		connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "token-a"},
	},
	"and both count": {
		Config{ConfigPath: "config", ConfigPaths: []string{"more"}, ConfigContext: "c"}, connection{Host: "https://c.test", Token: "from-file"},
	},
}

func TestKubeconfigChoices(t *testing.T) {
	dir := t.TempDir()
	file := writeKubeconfig(t, filepath.Join(dir, "config"), twoClusters)
	more := writeKubeconfig(t, filepath.Join(dir, "more", "config"), moreClusters)
	writeFile(t, filepath.Join(dir, "more", "token"), "from-file")
	plane := controlplane.Shared(t)
	cert, key, err := plane.ClientCertificate("jane")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range choices {
		t.Run(name, func(t *testing.T) {
			config := test.config
			if config.ConfigPath != "" || config.ConfigPaths == nil {
				config.ConfigPath = file
			}
			config.ConfigPaths = nil
			for _, path := range test.config.ConfigPaths {
				config.ConfigPaths = append(config.ConfigPaths, map[string]string{"config": file, "more": more}[path])
			}
			if config.ClusterCACertificate != "" {
				config.ClusterCACertificate = plane.CA()
			}
			if config.ClientCertificate != "" {
				config.ClientCertificate, config.ClientKey = cert, key
			}
			made, _, err := config.restConfig()
			if err != nil {
				t.Fatal(err)
			}
			got := connection{
				Host: made.Host, ServerName: made.ServerName, Token: made.BearerToken, Username: made.Username,
				CA: len(made.CAData) > 0, Cert: len(made.CertData) > 0, Insecure: made.Insecure, Proxy: made.Proxy != nil,
			}
			if made.ExecProvider != nil {
				got.Command = made.ExecProvider.Command
				if !made.ExecProvider.StdinUnavailable {
					t.Error("the command would read standard input, which belongs to the CLI")
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if _, err := New(config); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestKubeconfigErrorsTellWhatThereIs(t *testing.T) {
	file := writeKubeconfig(t, filepath.Join(t.TempDir(), "config"), twoClusters)
	for name, test := range map[string]struct {
		config Config
		says   []string
	}{
		"no such context": {
			Config{ConfigContext: "prod"},
			[]string{"kubernetes.config_context: ", `"prod"`, file, "Contexts there: a, b, lost, nobody, nowhere, plain, proxied, two."},
		},
		"no such cluster": {
			Config{ConfigContextCluster: "prod"}, []string{"kubernetes.config_context_cluster: ", `"prod"`, "Clusters there: a, b, nowhere, plain, proxied."},
		},
		"no such user": {
			Config{ConfigContextAuthInfo: "prod"}, []string{"kubernetes.config_context_auth_info: ", `"prod"`, "Users there: a, b, exec, two."},
		},
		"context without cluster": {Config{ConfigContext: "lost"}, []string{"kubernetes.config_context: ", `no cluster "gone"`}},
		"context without user":    {Config{ConfigContext: "nobody"}, []string{"kubernetes.config_context: ", `no user "gone"`}},
		"cluster without server": {
			Config{ConfigContext: "nowhere"}, []string{"kubernetes.config_path: the server of the cluster in", "not the URL"},
		},
		"cluster without TLS": {
			Config{ConfigContext: "plain"}, []string{"kubernetes.config_path: credentials are never sent to http://plain.test"},
		},
		"a proxy that is none": {
			Config{ConfigContext: "proxied"}, []string{"kubernetes.config_path: the proxy-url of the cluster in " + file + " is not the URL of an"},
		},
		"two credentials": {
			Config{ConfigContext: "two"}, []string{"kubernetes.config_path: cannot be used", "more than one authentication method"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.config.ConfigPath = file
			_, err := New(test.config)
			contains(t, err, test.says...)
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("shows a secret: %v", err)
			}
			// The same from the other argument is that one's fault.
			test.config.ConfigPath, test.config.ConfigPaths = "", []string{file}
			_, err = New(test.config)
			for i, says := range test.says {
				test.says[i] = strings.Replace(says, "kubernetes.config_path:", "kubernetes.config_paths:", 1)
			}
			contains(t, err, test.says...)
		})
	}

	writeKubeconfig(t, file, "current-context: gone\nclusters: []\n")
	_, err := New(Config{ConfigPath: file})
	contains(t, err, `the current-context is "gone", which does not exist`)
	writeKubeconfig(t, file, "\tnot yaml")
	_, err = New(Config{ConfigPath: file})
	contains(t, err, "kubernetes.config_path: cannot read the kubeconfig", file)
	_, err = New(Config{ConfigPath: os.DevNull, ConfigPaths: []string{file}})
	contains(t, err, "kubernetes.config_path, kubernetes.config_paths: cannot read the kubeconfig", file)
}
