package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func TestConfigErrorsNameTheArgument(t *testing.T) {
	exec := &Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "get-token"}
	const host = "https://api.test"
	for name, test := range map[string]struct {
		config    Config
		arguments string
		says      string
	}{
		"nothing":                       {Config{}, "kubernetes", "nothing names a cluster"},
		"only credentials":              {Config{Token: "t"}, "kubernetes", "nothing names a cluster"},
		"only a context":                {Config{ConfigContext: "a"}, "kubernetes.config_context", "no kubeconfig to choose from"},
		"a host and a context":          {Config{Host: host, ConfigContextCluster: "a", ConfigContextAuthInfo: "b"}, "kubernetes.config_context_auth_info kubernetes.config_context_cluster", "of which none is given"},
		"pod and host":                  {Config{InCluster: true, Host: host}, "kubernetes.in_cluster kubernetes.host", "the pod's account says all"},
		"pod and context":               {Config{InCluster: true, ConfigContext: "a"}, "kubernetes.in_cluster kubernetes.config_context", "the pod's account says all"},
		"certificate without key":       {Config{Host: host, ClientCertificate: "c"}, "kubernetes.client_key", "missing, though kubernetes.client_certificate is given"},
		"key without certificate":       {Config{Host: host, ClientKey: "k"}, "kubernetes.client_certificate", "missing, though kubernetes.client_key is given"},
		"a file's name for certificate": {Config{Host: host, ClientCertificate: "a.crt", ClientKey: "a.key"}, "kubernetes.client_certificate kubernetes.client_key", "not a certificate and its key"},
		"a file's name for CA":          {Config{Host: host, ClusterCACertificate: "/etc/ca.crt"}, "kubernetes.cluster_ca_certificate", "no PEM certificate"},
		"user without password":         {Config{Host: host, Username: "u"}, "kubernetes.password", "missing, though kubernetes.username is given"},
		"password without user":         {Config{Host: host, Password: "p"}, "kubernetes.username", "missing, though kubernetes.password is given"},
		"token and user":                {Config{Host: host, Token: "t", Username: "u", Password: "p"}, "kubernetes.token kubernetes.username", "two credentials"},
		"exec and token":                {Config{Host: host, Token: "t", Exec: exec}, "kubernetes.exec kubernetes.token", "would never run"},
		"exec without command":          {Config{Host: host, Exec: &Exec{APIVersion: exec.APIVersion}}, "kubernetes.exec.command", "missing"},
		"exec of an old version":        {Config{Host: host, Exec: &Exec{APIVersion: "client.authentication.k8s.io/v1alpha1", Command: "x"}}, "kubernetes.exec.api_version", "v1alpha1"},
		"insecure with CA":              {Config{Host: host, Insecure: true, ClusterCACertificate: "x"}, "kubernetes.insecure kubernetes.cluster_ca_certificate", "unchecked and checked"},
		"a proxy that is none":          {Config{Host: host, ProxyURL: "u:secret@proxy:80"}, "kubernetes.proxy_url", "not the URL of"},
		"a host that is none":           {Config{Host: "https://"}, "kubernetes.host", "not the URL of an API server"},
		"a host with another scheme":    {Config{Host: "tcp://api.test"}, "kubernetes.host", "scheme tcp"},
		"a host with credentials":       {Config{Host: "https://u:secret@api.test"}, "kubernetes.host", "do not belong in the URL"},
		"a host with a query":           {Config{Host: "https://api.test?a=b"}, "kubernetes.host", "no query"},
		"credentials without TLS":       {Config{Host: "http://api.test", Token: "secret"}, "kubernetes.host", "never sent to http://api.test"},
		"no pod around":                 {Config{InCluster: true}, "kubernetes.in_cluster", "not in a pod"},
		"no such file":                  {Config{ConfigPaths: []string{"/nonexistent/config"}}, "kubernetes.config_path", "there is no file /nonexistent/config"},
		"a directory":                   {Config{ConfigPaths: []string{os.TempDir()}}, "kubernetes.config_path", "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			_, err := New(test.config)
			contains(t, err, test.says)
			configError, ok := err.(*ConfigError)
			if !ok {
				t.Fatalf("%T is no *ConfigError", err)
			}
			if got := strings.Join(configError.Arguments, " "); got != test.arguments {
				t.Errorf("names %s, want %s", got, test.arguments)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("shows a secret: %v", err)
			}
		})
	}
	_, err := New(Config{})
	contains(t, err, "config_path", "config_paths", "config_context", "host", "cluster_ca_certificate", "token", "exec",
		"client_certificate", "client_key", "username", "password", "in_cluster")
}

// Whatever the environment offers, a connection is what the configuration says.
func TestNothingComesFromTheEnvironment(t *testing.T) {
	home := t.TempDir()
	other := writeKubeconfig(t, filepath.Join(home, ".kube", "config"), twoClusters)
	t.Setenv("HOME", home)
	t.Setenv("KUBECONFIG", other)
	t.Setenv("KUBERNETES_MASTER", "https://elsewhere.test")
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")

	_, err := New(Config{})
	contains(t, err, "nothing names a cluster")

	made, kind, err := Config{Host: "api.test"}.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	if made.Host != "https://api.test" || kind != anonymous || made.BearerToken != "" || made.ExecProvider != nil {
		t.Errorf("connection %v of kind %v", made, kind)
	}

	empty := writeKubeconfig(t, filepath.Join(home, "empty"), "apiVersion: v1\nkind: Config\n")
	_, err = New(Config{ConfigPaths: []string{empty}})
	contains(t, err, "has no current-context", "Contexts there: none")
	_, err = New(Config{ConfigPaths: []string{empty}, Token: "t", ConfigContextAuthInfo: "u"})
	contains(t, err, "has no current-context")

	made, _, err = Config{ConfigPaths: []string{"~/.kube/config"}, ConfigContext: "b"}.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	if made.Host != "https://b.test" || made.BearerToken != "token-b" {
		t.Errorf("~/.kube/config was asked for and gave %v", made)
	}
}

const twoClusters = `
apiVersion: v1
kind: Config
current-context: a
clusters:
- {name: a, cluster: {server: "https://a.test:6443", tls-server-name: kubernetes, insecure-skip-tls-verify: true}}
- {name: b, cluster: {server: "https://b.test"}}
- {name: plain, cluster: {server: "http://plain.test"}}
- {name: nowhere, cluster: {proxy-url: "http://proxy.test"}}
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

func TestKubeconfigChoices(t *testing.T) {
	file := writeKubeconfig(t, filepath.Join(t.TempDir(), "config"), twoClusters)
	second := writeKubeconfig(t, filepath.Join(t.TempDir(), "second"), `
current-context: c
clusters: [{name: a, cluster: {server: "https://never.test"}}, {name: c, cluster: {server: "https://c.test"}}]
users: [{name: c, user: {tokenFile: token}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(second), "token"), []byte("from-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key, err := controlplane.Shared(t).ClientCertificate("jane")
	if err != nil {
		t.Fatal(err)
	}
	ca := controlplane.Shared(t).CA()

	type connection struct {
		Host, ServerName, Token, Username, Command string
		CA, Cert, Insecure, Proxy                  bool
	}
	for name, test := range map[string]struct {
		config Config
		want   connection
	}{
		"current context":            {Config{}, connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "token-a"}},
		"another context":            {Config{ConfigContext: "b"}, connection{Host: "https://b.test", Token: "token-b"}},
		"another cluster and user":   {Config{ConfigContextCluster: "b", ConfigContextAuthInfo: "exec"}, connection{Host: "https://b.test", Command: "aws"}},
		"own host drops server name": {Config{Host: "https://mine.test"}, connection{Host: "https://mine.test", Insecure: true, Token: "token-a"}},
		"own server name":            {Config{TLSServerName: "api"}, connection{Host: "https://a.test:6443", ServerName: "api", Insecure: true, Token: "token-a"}},
		"own CA ends insecure":       {Config{ClusterCACertificate: ca}, connection{Host: "https://a.test:6443", ServerName: "kubernetes", CA: true, Token: "token-a"}},
		"own insecure":               {Config{ConfigContext: "b", Insecure: true}, connection{Host: "https://b.test", Insecure: true, Token: "token-b"}},
		"own proxy":                  {Config{ConfigContext: "b", ProxyURL: "http://proxy.test:3128"}, connection{Host: "https://b.test", Proxy: true, Token: "token-b"}},
		"own token for exec":         {Config{ConfigContextCluster: "b", Token: "mine"}, connection{Host: "https://b.test", Token: "mine"}},
		"own certificate for token":  {Config{ConfigContext: "b", ClientCertificate: cert, ClientKey: key}, connection{Host: "https://b.test", Cert: true}},
		"own password for token":     {Config{ConfigContext: "b", Username: "u", Password: "p"}, connection{Host: "https://b.test", Username: "u"}},
		"own token for no user":      {Config{ConfigContext: "nobody", Token: "mine"}, connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "mine"}},
		"own host for no cluster":    {Config{ConfigContext: "lost", Host: "mine.test/base"}, connection{Host: "https://mine.test/base", Token: "token-a"}},
		"first of two files wins": {
			Config{ConfigPaths: []string{file, second}, ConfigContext: "a"},
			connection{Host: "https://a.test:6443", ServerName: "kubernetes", Insecure: true, Token: "token-a"},
		},
		"second of two files adds": {Config{ConfigPaths: []string{file, second}, ConfigContext: "c"}, connection{Host: "https://c.test", Token: "from-file"}},
		"own exec": {
			Config{ConfigContext: "b", Exec: &Exec{APIVersion: execVersions[0], Command: "mine", Env: map[string]string{"B": "2", "A": "1"}}},
			connection{Host: "https://b.test", Command: "mine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config.ConfigPaths == nil {
				test.config.ConfigPaths = []string{file}
			}
			made, _, err := test.config.restConfig()
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
			if _, err := New(test.config); err != nil {
				t.Error(err)
			}
		})
	}

	for name, test := range map[string]struct {
		config Config
		says   []string
	}{
		"no such context":         {Config{ConfigContext: "prod"}, []string{"kubernetes.config_context: ", `"prod"`, file, "Contexts there: a, b, lost, nobody, nowhere, plain, two."}},
		"no such cluster":         {Config{ConfigContextCluster: "prod"}, []string{"kubernetes.config_context_cluster: ", `"prod"`, "Clusters there: a, b, nowhere, plain."}},
		"no such user":            {Config{ConfigContextAuthInfo: "prod"}, []string{"kubernetes.config_context_auth_info: ", `"prod"`, "Users there: a, b, exec, two."}},
		"context without cluster": {Config{ConfigContext: "lost"}, []string{"kubernetes.config_context: ", `no cluster "gone"`}},
		"context without user":    {Config{ConfigContext: "nobody"}, []string{"kubernetes.config_context: ", `no user "gone"`}},
		"cluster without server":  {Config{ConfigContext: "nowhere"}, []string{"kubernetes.config_path: the server of the cluster in", "not the URL"}},
		"cluster without TLS":     {Config{ConfigContext: "plain"}, []string{"kubernetes.config_path: credentials are never sent to http://plain.test"}},
		"two credentials":         {Config{ConfigContext: "two"}, []string{"kubernetes.config_path: cannot be used", "more than one authentication method"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.config.ConfigPaths = []string{file}
			_, err := New(test.config)
			contains(t, err, test.says...)
		})
	}

	broken := writeKubeconfig(t, filepath.Join(t.TempDir(), "broken"), "current-context: gone\nclusters: []\n")
	_, err = New(Config{ConfigPaths: []string{broken}})
	contains(t, err, `the current-context is "gone", which does not exist`)
	writeKubeconfig(t, broken, "\tnot yaml")
	_, err = New(Config{ConfigPaths: []string{broken}})
	contains(t, err, "kubernetes.config_path: cannot read the kubeconfig", broken)
}

func TestExecEnvironmentIsInAFixedOrder(t *testing.T) {
	config := Config{Exec: &Exec{Env: map[string]string{"C": "", "A": "", "B": ""}}}
	for range 20 {
		var names []string
		for _, variable := range config.user().Exec.Env {
			names = append(names, variable.Name)
		}
		if !slices.Equal(names, []string{"A", "B", "C"}) {
			t.Fatal(names)
		}
	}
}
