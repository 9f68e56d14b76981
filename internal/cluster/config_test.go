package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const apiHost = "https://api.test"

var aCommand = &Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "get-token"}

// wrongConfigs are by what is wrong; arguments are without their common prefix.
var wrongConfigs = map[string]struct {
	config    Config
	arguments string
	says      string
}{
	"nothing":          {Config{}, "", "nothing names a cluster"},
	"only credentials": {Config{Token: "t"}, "", "nothing names a cluster"},
	"only a context":   {Config{ConfigContext: "a"}, "config_context", "no kubeconfig to choose from"},
	"a host and a context": {
		Config{Host: apiHost, ConfigContextCluster: "a", ConfigContextAuthInfo: "b"},
		"config_context_auth_info config_context_cluster", "of which none is given",
	},
	"no pod around":   {Config{InCluster: true}, "in_cluster", "not in a pod"},
	"pod and host":    {Config{InCluster: true, Host: apiHost}, "in_cluster host", "the pod's account says all"},
	"pod and context": {Config{InCluster: true, ConfigContext: "a"}, "in_cluster config_context", "the pod's account says all"},
	"certificate without key": {
		Config{Host: apiHost, ClientCertificate: "c"}, "client_key", "missing, though kubernetes.client_certificate is given",
	},
	"key without certificate": {
		Config{Host: apiHost, ClientKey: "k"}, "client_certificate", "missing, though kubernetes.client_key is given",
	},
	"a file's name for certificate": {
		Config{Host: apiHost, ClientCertificate: "a.crt", ClientKey: "a.key"}, "client_certificate client_key", "not a certificate and its key",
	},
	"a file's name for CA": {
		Config{Host: apiHost, ClusterCACertificate: "/etc/ca.crt"}, "cluster_ca_certificate", "no PEM certificate",
	},
	"user without password": {Config{Host: apiHost, Username: "u"}, "password", "missing, though kubernetes.username is given"},
	"password without user": {Config{Host: apiHost, Password: "p"}, "username", "missing, though kubernetes.password is given"},
	"token and user":        {Config{Host: apiHost, Token: "t", Username: "u", Password: "p"}, "token username", "two credentials"},
	"exec and token":        {Config{Host: apiHost, Token: "t", Exec: aCommand}, "exec token", "would never run"},
	"exec without command":  {Config{Host: apiHost, Exec: &Exec{APIVersion: aCommand.APIVersion}}, "exec.command", "missing"},
	"exec of an old version": {
		Config{Host: apiHost, Exec: &Exec{APIVersion: "client.authentication.k8s.io/v1alpha1", Command: "x"}}, "exec.api_version", "v1alpha1",
	},
	"insecure with CA": {
		Config{Host: apiHost, Insecure: true, ClusterCACertificate: "x"}, "insecure cluster_ca_certificate", "unchecked and checked",
	},
	"a proxy that is none":       {Config{Host: apiHost, ProxyURL: "u:secret@proxy:80"}, "proxy_url", "not the URL of"},
	"a host that is none":        {Config{Host: "https://"}, "host", "not the URL of an API server"},
	"a host with another scheme": {Config{Host: "tcp://api.test"}, "host", "scheme tcp"},
	"a host with credentials":    {Config{Host: "https://u:secret@api.test"}, "host", "do not belong in the URL"},
	"a host with a query":        {Config{Host: "https://api.test?a=b"}, "host", "no query"},
	"credentials without TLS":    {Config{Host: "http://api.test", Token: "secret"}, "host", "never sent to http://api.test"},
	"no such file":               {Config{ConfigPath: "/nonexistent/config"}, "config_path", "there is no file /nonexistent/config"},
	"no such file of several": {
		Config{ConfigPath: os.DevNull, ConfigPaths: []string{os.DevNull, "/nonexistent/config"}}, "config_paths", "there is no file /nonexistent/config",
	},
	"no such first file": {
		Config{ConfigPath: "/nonexistent/config", ConfigPaths: []string{os.DevNull}}, "config_path", "there is no file /nonexistent/config",
	},
	"a directory":            {Config{ConfigPath: os.TempDir()}, "config_path", "is a directory"},
	"a directory of several": {Config{ConfigPaths: []string{os.DevNull, os.TempDir()}}, "config_paths", "is a directory"},
	"a directory of both": {
		Config{ConfigPath: os.DevNull, ConfigPaths: []string{os.TempDir()}}, "config_path config_paths", "is a directory",
	},
	"pod and file":  {Config{InCluster: true, ConfigPath: "a"}, "in_cluster config_path", "the pod's account says all"},
	"pod and files": {Config{InCluster: true, ConfigPaths: []string{"a"}}, "in_cluster config_paths", "the pod's account says all"},
}

func TestConfigErrorsNameTheArgument(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for name, test := range wrongConfigs {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.config)
			contains(t, err, test.says)
			var configError *ConfigError
			if !errors.As(err, &configError) {
				t.Fatalf("%T is no *ConfigError", err)
			}
			want := []string{"kubernetes"}
			if test.arguments != "" {
				want = strings.Fields("kubernetes." + strings.ReplaceAll(test.arguments, " ", " kubernetes."))
			}
			if diff := cmp.Diff(want, configError.Arguments); diff != "" {
				t.Error(diff)
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
	_, err = New(Config{ConfigPath: empty})
	contains(t, err, "has no current-context", "Contexts there: none")
	_, err = New(Config{ConfigPath: empty, Token: "t", ConfigContextAuthInfo: "u"})
	contains(t, err, "has no current-context")

	made, _, err = Config{ConfigPath: "~/.kube/config", ConfigContext: "b"}.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	if made.Host != "https://b.test" || made.BearerToken != "token-b" {
		t.Errorf("~/.kube/config was asked for and gave %v", made)
	}
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
