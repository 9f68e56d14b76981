package provider

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// kubernetesModel is the block "kubernetes" as written. Its zero value is the block left out.
type kubernetesModel struct {
	ConfigPath            types.String `tfsdk:"config_path"`
	ConfigPaths           types.List   `tfsdk:"config_paths"`
	ConfigContext         types.String `tfsdk:"config_context"`
	ConfigContextCluster  types.String `tfsdk:"config_context_cluster"`
	ConfigContextAuthInfo types.String `tfsdk:"config_context_auth_info"`
	Host                  types.String `tfsdk:"host"`
	Token                 types.String `tfsdk:"token"`
	Username              types.String `tfsdk:"username"`
	Password              types.String `tfsdk:"password"`
	ClusterCACertificate  types.String `tfsdk:"cluster_ca_certificate"`
	ClientCertificate     types.String `tfsdk:"client_certificate"`
	ClientKey             types.String `tfsdk:"client_key"`
	Insecure              types.Bool   `tfsdk:"insecure"`
	TLSServerName         types.String `tfsdk:"tls_server_name"`
	ProxyURL              types.String `tfsdk:"proxy_url"`
	InCluster             types.Bool   `tfsdk:"in_cluster"`
	Exec                  types.Object `tfsdk:"exec"`
}

// execModel is the block "exec" as written.
type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

// clusterSettings is the cluster's half.
type clusterSettings struct {
	settings
	config cluster.Config
}

// cluster reads the cluster's half; files are read at its first use only.
func (m model) cluster(ctx context.Context, getenv func(string) string) (*clusterSettings, diag.Diagnostics) {
	s := &clusterSettings{settings: settings{at: path.Root("kubernetes"), getenv: getenv}}
	if m.Kubernetes.IsUnknown() {
		s.unknown = []string{"kubernetes"}
		return s, nil
	}
	k := kubernetesModel{ConfigPaths: types.ListNull(types.StringType)}
	if !m.Kubernetes.IsNull() {
		s.diags.Append(m.Kubernetes.As(ctx, &k, basetypes.ObjectAsOptions{})...)
	}
	c := &s.config
	env := k.server(ctx, s)
	c.ProxyURL = s.text("proxy_url", k.ProxyURL, env("KUBE_PROXY_URL"))
	// Likewise, a credential that the configuration names is not joined by one of a variable.
	if given(k.Token, k.Username, k.Password, k.ClientCertificate, k.ClientKey, k.Exec) {
		env = func(string) string { return "" }
	}
	c.Token = s.text("token", k.Token, env("KUBE_TOKEN"))
	c.Username = s.text("username", k.Username, env("KUBE_USER"))
	c.Password = s.text("password", k.Password, env("KUBE_PASSWORD"))
	c.ClientCertificate = s.text("client_certificate", k.ClientCertificate, env("KUBE_CLIENT_CERT_DATA"))
	c.ClientKey = s.text("client_key", k.ClientKey, env("KUBE_CLIENT_KEY_DATA"))
	k.exec(ctx, s)
	if !m.Kubernetes.IsNull() {
		s.check()
	}
	return s, s.diags
}

// check looks at the configuration when all of it is known. Whether anything names a cluster at all waits for the first use:
// not every configuration uses one.
func (s *clusterSettings) check() {
	c := s.config
	if len(s.unknown) > 0 || s.diags.HasError() || !c.NamesCluster() {
		return
	}
	if wrong, ok := errors.AsType[*cluster.ConfigError](c.Validate()); ok {
		s.diags.Append(diagnose.Error("use", strings.Join(wrong.Arguments, ", "), wrong))
	}
}

// server reads which cluster it is, and gives the names of the variables that may still say something about how to log in.
// A cluster that is named in one way in the configuration, known or not, is never overlaid with one that a variable names
// in another way: that would change a cluster nobody meant.
func (k kubernetesModel) server(ctx context.Context, s *clusterSettings) (env func(string) string) {
	byFile := given(k.ConfigPath, k.ConfigPaths)
	byHost := given(k.Host)
	byAccount := k.InCluster.IsUnknown() || k.InCluster.ValueBool()
	unless := func(otherWay bool) func(string) string {
		return func(variable string) string {
			if otherWay {
				return ""
			}
			return variable
		}
	}
	c := &s.config
	c.InCluster = s.flag("in_cluster", k.InCluster, "")

	files := unless(byHost || byAccount)
	k.files(ctx, s, unless(byFile || byHost || byAccount))
	c.ConfigContext = s.text("config_context", k.ConfigContext, files("KUBE_CTX"))
	c.ConfigContextCluster = s.text("config_context_cluster", k.ConfigContextCluster, files("KUBE_CTX_CLUSTER"))
	c.ConfigContextAuthInfo = s.text("config_context_auth_info", k.ConfigContextAuthInfo, files("KUBE_CTX_AUTH_INFO"))

	direct := unless(byFile || byAccount)
	c.Host = s.text("host", k.Host, direct("KUBE_HOST"))
	c.ClusterCACertificate = s.text("cluster_ca_certificate", k.ClusterCACertificate, direct("KUBE_CLUSTER_CA_CERT_DATA"))
	c.Insecure = s.flag("insecure", k.Insecure, direct("KUBE_INSECURE"))
	c.TLSServerName = s.text("tls_server_name", k.TLSServerName, direct("KUBE_TLS_SERVER_NAME"))
	return unless(byAccount)
}

// files reads which kubeconfig files there are.
func (k kubernetesModel) files(ctx context.Context, s *clusterSettings, env func(string) string) {
	c := &s.config
	if given(k.ConfigPath) && given(k.ConfigPaths) && !k.ConfigPath.IsUnknown() && !k.ConfigPaths.IsUnknown() {
		s.refuse("config_path", "Two ways to name the kubeconfig", "It stands beside config_paths. Give one of them.")
		return
	}
	if variable := env("KUBE_CONFIG_PATHS"); variable != "" && s.getenv(variable) != "" {
		c.ConfigPaths = filepath.SplitList(s.getenv(variable))
	}
	if given(k.ConfigPaths) {
		c.ConfigPaths = s.list(ctx, "config_paths", k.ConfigPaths)
	}
	c.ConfigPath = s.text("config_path", k.ConfigPath, env("KUBE_CONFIG_PATH"))
}

func (k kubernetesModel) exec(ctx context.Context, s *clusterSettings) {
	if k.Exec.IsNull() {
		return
	}
	if k.Exec.IsUnknown() {
		s.unknown = append(s.unknown, s.path("exec").String())
		return
	}
	var written execModel
	s.diags.Append(k.Exec.As(ctx, &written, basetypes.ObjectAsOptions{})...)
	inner := settings{at: s.path("exec"), getenv: s.getenv}
	s.config.Exec = &cluster.Exec{
		APIVersion: inner.text("api_version", written.APIVersion, ""),
		Command:    inner.text("command", written.Command, ""),
		Args:       inner.list(ctx, "args", written.Args),
		Env:        inner.texts(ctx, "env", written.Env),
	}
	s.unknown = append(s.unknown, inner.unknown...)
	s.diags.Append(inner.diags...)
}
