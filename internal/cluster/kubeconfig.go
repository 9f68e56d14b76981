package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// identity is how a client proves who it is, for what errors advise.
type identity int

const (
	anonymous identity = iota
	byToken
	byPassword
	byCertificate
	byExec
	byPod
)

// only is the name of the one context, cluster and user that a connection is made from.
const only = "aktrust"

// restConfig works out the connection. It reads files and dials nothing.
func (c Config) restConfig() (*rest.Config, identity, error) {
	if err := c.Validate(); err != nil {
		return nil, anonymous, err
	}
	if c.InCluster {
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil, anonymous, configError("in_cluster", "this process is not in a pod with a ServiceAccount's token", "").because(err)
		}
		return config, byPod, nil
	}
	files, err := c.load()
	if err != nil {
		return nil, anonymous, err
	}
	cluster, user, err := c.choose(files)
	if err != nil {
		return nil, anonymous, err
	}
	if err := c.overrideCluster(cluster); err != nil {
		return nil, anonymous, err
	}
	if own := c.user(); own != nil {
		user = own
	}
	return c.assemble(cluster, user)
}

// file is a kubeconfig, and the argument that names it.
type file struct{ path, argument string }

// files are all kubeconfigs, in the order of their precedence.
func (c Config) files() []file {
	var files []file
	if c.ConfigPath != "" {
		files = append(files, file{c.ConfigPath, "config_path"})
	}
	for _, path := range c.ConfigPaths {
		files = append(files, file{path, "config_paths"})
	}
	return files
}

// fileArguments are the arguments that name kubeconfigs, for what no single file is to blame for.
func (c Config) fileArguments() string {
	return present(map[string]bool{"config_path": c.ConfigPath != "", "config_paths": len(c.ConfigPaths) > 0})
}

// load merges the kubeconfig files. Without any it returns an empty one.
func (c Config) load() (*api.Config, error) {
	rules := &clientcmd.ClientConfigLoadingRules{} // not the default ones: they look at KUBECONFIG and the home directory
	for _, file := range c.files() {
		expanded, err := expandHome(file.path)
		if err != nil {
			return nil, configError(file.argument, "cannot expand "+file.path, "").because(err)
		}
		// clientcmd skips files that are missing.
		if _, err := os.Stat(expanded); errors.Is(err, fs.ErrNotExist) {
			return nil, configError(file.argument, "there is no file "+expanded, "A kubeconfig that another resource writes does not "+
				"exist while planning: hand its content over in host, cluster_ca_certificate and token or exec instead.")
		}
		rules.Precedence = append(rules.Precedence, expanded)
	}
	if len(rules.Precedence) == 0 {
		return api.NewConfig(), nil
	}
	config, err := rules.Load()
	if err != nil {
		return nil, configError(c.fileArguments(), "cannot read the kubeconfig", "").because(err)
	}
	return config, nil
}

// choose finds the cluster and the user that are meant. Either may be empty when the configuration brings its own.
func (c Config) choose(files *api.Config) (*api.Cluster, *api.AuthInfo, error) {
	cluster, user := api.NewCluster(), api.NewAuthInfo()
	if len(c.files()) == 0 {
		return cluster, user, nil
	}
	context, err := c.context(files)
	if err != nil {
		return nil, nil, err
	}
	argument, name := "config_context", context.Cluster
	if c.ConfigContextCluster != "" {
		argument, name = "config_context_cluster", c.ConfigContextCluster
	}
	if found := files.Clusters[name]; found != nil {
		cluster = found
	} else if c.Host == "" || c.ConfigContextCluster != "" {
		problem := fmt.Sprintf("there is no cluster %q in %s", name, c.where())
		return nil, nil, configError(argument, problem, known("Clusters", files.Clusters))
	}
	argument, name = "config_context", context.AuthInfo
	if c.ConfigContextAuthInfo != "" {
		argument, name = "config_context_auth_info", c.ConfigContextAuthInfo
	}
	if found := files.AuthInfos[name]; found != nil {
		user = found
	} else if c.user() == nil || c.ConfigContextAuthInfo != "" {
		problem := fmt.Sprintf("there is no user %q in %s", name, c.where())
		return nil, nil, configError(argument, problem, known("Users", files.AuthInfos))
	}
	return cluster, user, nil
}

// context is the one that is asked for, or the current one. Where cluster and user are both named, none is needed.
func (c Config) context(files *api.Config) (*api.Context, error) {
	name, what := c.ConfigContext, "there is no context %q in %s"
	if name == "" {
		name, what = files.CurrentContext, "the current-context is %q, which does not exist in %s"
	}
	if found := files.Contexts[name]; found != nil {
		return found, nil
	}
	if name != "" {
		return nil, configError("config_context", fmt.Sprintf(what, name, c.where()), known("Contexts", files.Contexts))
	}
	if (c.ConfigContextCluster != "" || c.Host != "") && (c.ConfigContextAuthInfo != "" || c.user() != nil) {
		return api.NewContext(), nil
	}
	return nil, configError("config_context", "missing, and "+c.where()+" has no current-context", known("Contexts", files.Contexts))
}

func (c Config) where() string {
	var paths []string
	for _, file := range c.files() {
		paths = append(paths, file.path)
	}
	return strings.Join(paths, ", ")
}

// known lists names that could have been meant.
func known[T any](what string, in map[string]T) string {
	if len(in) == 0 {
		return what + " there: none."
	}
	return what + " there: " + strings.Join(slices.Sorted(maps.Keys(in)), ", ") + "."
}

// overrideCluster lays the configuration's own arguments over what a kubeconfig says about the cluster. A server of
// one's own takes a server name of one's own, as with kubectl --server.
func (c Config) overrideCluster(cluster *api.Cluster) error {
	if c.Host != "" {
		cluster.Server, cluster.TLSServerName = c.Host, ""
	}
	server, err := serverURL(cluster.Server)
	if err != nil {
		return configError(c.fileArguments(), "the server of the cluster in "+c.where(), "").because(err)
	}
	cluster.Server = server.String()
	if c.ClusterCACertificate != "" || c.Insecure {
		cluster.CertificateAuthority, cluster.CertificateAuthorityData = "", []byte(c.ClusterCACertificate)
		cluster.InsecureSkipTLSVerify = c.Insecure
	}
	if c.TLSServerName != "" {
		cluster.TLSServerName = c.TLSServerName
	}
	if c.ProxyURL != "" {
		cluster.ProxyURL = c.ProxyURL
	}
	if cluster.ProxyURL != "" && !isProxy(cluster.ProxyURL) { // clientcmd would quote it
		return configError(c.fileArguments(), "the proxy-url of the cluster in "+c.where()+" is "+noProxy, "")
	}
	return nil
}

// user is who the configuration itself says to be; nil when it leaves that to a kubeconfig.
func (c Config) user() *api.AuthInfo {
	user := api.NewAuthInfo()
	user.Token, user.Username, user.Password = c.Token, c.Username, c.Password
	user.ClientCertificateData, user.ClientKeyData = []byte(c.ClientCertificate), []byte(c.ClientKey)
	if c.Exec != nil {
		user.Exec = &api.ExecConfig{APIVersion: c.Exec.APIVersion, Command: c.Exec.Command, Args: c.Exec.Args}
		for _, name := range slices.Sorted(maps.Keys(c.Exec.Env)) { // sorted, so that one process knows the command again
			user.Exec.Env = append(user.Exec.Env, api.ExecEnvVar{Name: name, Value: c.Exec.Env[name]})
		}
		user.Exec.InteractiveMode = api.NeverExecInteractiveMode
	}
	if kindOf(user) == anonymous {
		return nil
	}
	return user
}

// kindOf tells which of a user's credentials counts. Client-go runs no command when there is another one.
func kindOf(user *api.AuthInfo) identity {
	switch {
	case user.Token != "" || user.TokenFile != "":
		return byToken
	case user.Username != "":
		return byPassword
	case len(user.ClientCertificateData) > 0 || user.ClientCertificate != "":
		return byCertificate
	case user.Exec != nil || user.AuthProvider != nil:
		return byExec
	}
	return anonymous
}

// assemble has clientcmd check cluster and user and turn them into a connection.
func (c Config) assemble(cluster *api.Cluster, user *api.AuthInfo) (*rest.Config, identity, error) {
	kind := kindOf(user)
	if strings.HasPrefix(cluster.Server, "http://") && kind != anonymous {
		// clientcmd would leave the credentials out without a word, and the API server would refuse the stranger.
		problem := "credentials are never sent to " + cluster.Server + ", which is not https"
		return nil, kind, configError(c.serverArgument(), problem, "Use https.")
	}
	if user.Exec != nil {
		user.Exec.StdinUnavailable = true
		user.Exec.StdinUnavailableMessage = "the command line tool that runs this provider owns it"
	}
	config := api.NewConfig()
	config.Clusters[only], config.AuthInfos[only] = cluster, user
	config.Contexts[only] = &api.Context{Cluster: only, AuthInfo: only}
	made, err := clientcmd.NewNonInteractiveClientConfig(*config, only, nil, nil).ClientConfig()
	if err != nil {
		return nil, kind, configError(c.serverArgument(), "cannot be used", "").because(err)
	}
	return made, kind, nil
}

// serverArgument names the server: an argument, or those of the files that do.
func (c Config) serverArgument() string {
	if c.Host != "" {
		return "host"
	}
	return c.fileArguments()
}

// expandHome replaces a leading ~ by the home directory.
func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, strings.TrimPrefix(path, "~")), nil
}
