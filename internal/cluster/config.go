package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// DefaultTimeout bounds one call with all its retries.
const DefaultTimeout = 30 * time.Second

// Config says which cluster to talk to and as whom. Its fields are the arguments of the provider's kubernetes block,
// and its errors name them so.
//
// A cluster is named by ConfigPath or ConfigPaths, by Host, or by InCluster. Host, ClusterCACertificate, Insecure,
// TLSServerName and ProxyURL replace what a kubeconfig says about the cluster. Token, Username with Password,
// ClientCertificate with ClientKey, and Exec replace its user as a whole.
type Config struct {
	// ConfigPath and ConfigPaths are kubeconfig files, merged in this order as kubectl merges them: of two entries of one
	// name the first wins. A leading ~ is the home directory. A file that does not exist is an error.
	ConfigPath  string
	ConfigPaths []string
	// ConfigContext, ConfigContextCluster and ConfigContextAuthInfo choose a context of the files, or another cluster
	// or user than the context's; empty means current-context and what it says.
	ConfigContext, ConfigContextCluster, ConfigContextAuthInfo string

	// Host is the API server's URL; without a scheme it is https.
	Host string
	// ClusterCACertificate is the PEM text of the authorities that may have signed the API server's certificate;
	// empty means the system's.
	ClusterCACertificate string
	// Insecure leaves the API server's certificate unchecked.
	Insecure bool
	// TLSServerName is the name to expect in the certificate, instead of Host's.
	TLSServerName string
	// ProxyURL is an http, https or socks5 proxy; empty means HTTPS_PROXY and NO_PROXY of the environment.
	ProxyURL string

	// Token is a bearer token.
	Token string
	// Username and Password are for basic authentication, which API servers themselves do not offer any more, but
	// proxies in front of them do.
	Username, Password string
	// ClientCertificate and ClientKey are PEM texts.
	ClientCertificate, ClientKey string
	// Exec is a command that prints credentials; nil means none.
	Exec *Exec

	// InCluster is the account of the pod that this process runs in. Nothing else may be set with it.
	InCluster bool

	// UserAgent is sent with every request; empty means "terraform-provider-aktrust".
	UserAgent string
	// Timeout bounds one call; 0 means DefaultTimeout.
	Timeout time.Duration
	// Warn receives warnings of the API server, such as that of a deprecated API; nil drops them.
	Warn func(ctx context.Context, text string)
}

// Exec is a command that prints an ExecCredential, as in the users of a kubeconfig. It runs when a connection needs a
// credential and when the last one has expired or was refused, without standard input.
type Exec struct {
	// APIVersion is client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1.
	APIVersion string
	Command    string
	Args       []string
	// Env is added to the environment of this process.
	Env map[string]string
}

// ConfigError says what is wrong with a Config. No network is needed to find it.
type ConfigError struct {
	// Arguments are those at fault, as the user writes them: "kubernetes.config_context".
	Arguments []string
	problem   string
	advice    string
	cause     error
}

func (e *ConfigError) Error() string {
	text := strings.Join(e.Arguments, ", ") + ": " + e.problem
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns what the problem was found by, if anything.
func (e *ConfigError) Unwrap() error { return e.cause }

// Advice says what to do about it; it may be empty.
func (e *ConfigError) Advice() string { return e.advice }

// configError names arguments without their common prefix, separated by spaces.
func configError(arguments, problem, advice string) *ConfigError {
	e := &ConfigError{problem: problem, advice: advice}
	for argument := range strings.FieldsSeq(arguments) {
		e.Arguments = append(e.Arguments, "kubernetes."+argument)
	}
	return e
}

// because keeps the error that was met.
func (e *ConfigError) because(cause error) *ConfigError {
	e.cause = cause
	return e
}

// sources is the advice of whoever has named no cluster.
const sources = "Give kubernetes = { ... } one of: config_path or config_paths (kubeconfig files, with config_context), " +
	"host (with cluster_ca_certificate, and token, exec, client_certificate and client_key, or username and password), " +
	"or in_cluster = true. Nothing is taken from KUBECONFIG, ~/.kube/config or the pod this runs in unless it is asked for."

// NamesCluster tells whether the configuration says which cluster it is about, in whatever way.
func (c Config) NamesCluster() bool { return c.Host != "" || c.InCluster || len(c.files()) > 0 }

// Validate checks what needs no file and no network; what is wrong is a *ConfigError.
func (c Config) Validate() error {
	switch {
	case c.InCluster:
		return c.validateInCluster()
	case !c.NamesCluster():
		if context := c.contextArguments(); context != "" {
			return configError(context, "there is no kubeconfig to choose from", sources)
		}
		return &ConfigError{Arguments: []string{"kubernetes"}, problem: "nothing names a cluster", advice: sources}
	case len(c.files()) == 0 && c.contextArguments() != "":
		return configError(c.contextArguments(), "a choice within a kubeconfig, of which none is given",
			"Remove it, or name a kubeconfig with kubernetes.config_path.")
	}
	for _, check := range []func() error{c.validateServer, c.validateCredentials, c.validateExec} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Config) contextArguments() string {
	return present(map[string]bool{
		"config_context":           c.ConfigContext != "",
		"config_context_cluster":   c.ConfigContextCluster != "",
		"config_context_auth_info": c.ConfigContextAuthInfo != "",
	})
}

func (c Config) validateInCluster() error {
	others := present(map[string]bool{
		"config_path": c.ConfigPath != "", "config_paths": len(c.ConfigPaths) > 0, "host": c.Host != "", "token": c.Token != "",
		"username": c.Username != "", "password": c.Password != "", "exec": c.Exec != nil,
		"client_certificate": c.ClientCertificate != "", "client_key": c.ClientKey != "",
		"cluster_ca_certificate": c.ClusterCACertificate != "", "insecure": c.Insecure,
		"tls_server_name": c.TLSServerName != "", "proxy_url": c.ProxyURL != "",
	})
	if others = strings.TrimSpace(others + " " + c.contextArguments()); others != "" {
		return configError("in_cluster "+others, "the pod's account says all about the connection", "Keep one of the two ways.")
	}
	return nil
}

func (c Config) validateServer() error {
	if c.Host != "" {
		if _, err := serverURL(c.Host); err != nil {
			return configError("host", err.Error(), "Write it as https://HOST:PORT.")
		}
	}
	if c.Insecure && c.ClusterCACertificate != "" {
		return configError("insecure cluster_ca_certificate", "a certificate cannot be both unchecked and checked",
			"Remove insecure.")
	}
	if c.ClusterCACertificate != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(c.ClusterCACertificate)) {
		return configError("cluster_ca_certificate", "no PEM certificate in it",
			"It is the certificate's text, not a file's name; base64decode() what a kubeconfig or a cloud's API holds as base64.")
	}
	if c.ProxyURL != "" && !isProxy(c.ProxyURL) {
		return configError("proxy_url", noProxy, "Write it as http://HOST:PORT.")
	}
	return nil
}

const noProxy = "not the URL of an http, https or socks5 proxy"

// isProxy reads a proxy's address. It gives no error, which would quote a password.
func isProxy(address string) bool {
	proxy, err := url.Parse(address)
	return err == nil && proxy.Host != "" && slices.Contains([]string{"http", "https", "socks5"}, proxy.Scheme)
}

func (c Config) validateCredentials() error {
	if (c.ClientCertificate == "") != (c.ClientKey == "") {
		given, missing := "client_certificate", "client_key"
		if c.ClientCertificate == "" {
			given, missing = missing, given
		}
		return configError(missing, "missing, though kubernetes."+given+" is given", "They are needed together.")
	}
	if c.ClientCertificate != "" {
		if _, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientKey)); err != nil {
			return configError("client_certificate client_key", "not a certificate and its key",
				"Both are PEM texts, not files' names.").because(err)
		}
	}
	if (c.Username == "") != (c.Password == "") {
		given, missing := "username", "password"
		if c.Username == "" {
			given, missing = missing, given
		}
		return configError(missing, "missing, though kubernetes."+given+" is given", "They are needed together.")
	}
	if c.Token != "" && c.Username != "" {
		return configError("token username", "two credentials for one header", "Give one of them.")
	}
	return nil
}

func (c Config) validateExec() error {
	if c.Exec == nil {
		return nil
	}
	if others := present(map[string]bool{
		"token": c.Token != "", "username": c.Username != "", "client_certificate": c.ClientCertificate != "",
	}); others != "" {
		return configError("exec "+others, "the command would never run, because other credentials are given", "Give one of them.")
	}
	if c.Exec.Command == "" {
		return configError("exec.command", "missing", "")
	}
	if !slices.Contains(execVersions, c.Exec.APIVersion) {
		return configError("exec.api_version", fmt.Sprintf("%q is none of %s", c.Exec.APIVersion, strings.Join(execVersions, ", ")),
			"It is the version that the command prints.")
	}
	return nil
}

// execVersions are what client-go understands.
var execVersions = []string{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}

// serverURL reads an API server's address; without a scheme it is https.
func serverURL(host string) (*url.URL, error) {
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	u, err := url.Parse(host)
	switch {
	case err != nil, u.Host == "":
		return nil, errors.New("not the URL of an API server")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the scheme %s is not https", u.Scheme)
	case u.User != nil:
		return nil, errors.New("credentials do not belong in the URL")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("an API server's URL has no query and no fragment")
	}
	return u, nil
}

// present lists the names that are set, sorted.
func present(set map[string]bool) string {
	var names []string
	for name, there := range set {
		if there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
