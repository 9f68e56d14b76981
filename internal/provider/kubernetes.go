package provider

import (
	"context"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
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
	k.server(ctx, s)
	c.ConfigContext = s.text("config_context", k.ConfigContext, "KUBE_CTX")
	c.ConfigContextCluster = s.text("config_context_cluster", k.ConfigContextCluster, "KUBE_CTX_CLUSTER")
	c.ConfigContextAuthInfo = s.text("config_context_auth_info", k.ConfigContextAuthInfo, "KUBE_CTX_AUTH_INFO")
	c.Token = s.text("token", k.Token, "KUBE_TOKEN")
	c.Username = s.text("username", k.Username, "KUBE_USER")
	c.Password = s.text("password", k.Password, "KUBE_PASSWORD")
	c.ClientCertificate = s.text("client_certificate", k.ClientCertificate, "KUBE_CLIENT_CERT_DATA")
	c.ClientKey = s.text("client_key", k.ClientKey, "KUBE_CLIENT_KEY_DATA")
	k.exec(ctx, s)
	if (c.ClientCertificate == "") != (c.ClientKey == "") && len(s.unknown) == 0 && !s.diags.HasError() {
		given, missing := "client_certificate", "client_key"
		if c.ClientCertificate == "" {
			given, missing = missing, given
		}
		s.diags.AddAttributeError(s.path(missing), "Half a client certificate",
			"kubernetes."+given+" is given without kubernetes."+missing+". They are needed together.")
	}
	return s, s.diags
}

// server reads which cluster it is. A cluster that is named in one way in the configuration, known or not, is never
// overlaid with one that a variable names in another way: that would change a cluster nobody meant.
func (k kubernetesModel) server(ctx context.Context, s *clusterSettings) {
	byFile := given(k.ConfigPath, k.ConfigPaths)
	byHost := given(k.Host)
	byAccount := k.InCluster.IsUnknown() || k.InCluster.ValueBool()
	variable := func(name string, otherWay bool) string {
		if otherWay {
			return ""
		}
		return name
	}
	c := &s.config
	files := variable("KUBE_CONFIG_PATHS", byHost || byAccount || given(k.ConfigPath))
	if paths := s.list(ctx, "config_paths", k.ConfigPaths); given(k.ConfigPaths) {
		c.ConfigPaths = paths
	} else if files != "" {
		c.ConfigPaths = filepath.SplitList(s.getenv(files))
	}
	if file := s.text("config_path", k.ConfigPath, variable("KUBE_CONFIG_PATH", byHost || byAccount || given(k.ConfigPaths))); file != "" {
		if len(c.ConfigPaths) > 0 && given(k.ConfigPath, k.ConfigPaths) {
			s.diags.AddAttributeError(s.path("config_path"), "Two ways to name the kubeconfig",
				"kubernetes.config_path and kubernetes.config_paths are both given. Give one of them.")
		}
		c.ConfigPaths = append([]string{file}, c.ConfigPaths...)
	}
	direct := byFile || byAccount
	c.Host = s.text("host", k.Host, variable("KUBE_HOST", direct))
	c.ClusterCACertificate = s.text("cluster_ca_certificate", k.ClusterCACertificate, variable("KUBE_CLUSTER_CA_CERT_DATA", direct))
	c.Insecure = s.flag("insecure", k.Insecure, variable("KUBE_INSECURE", direct))
	c.TLSServerName = s.text("tls_server_name", k.TLSServerName, variable("KUBE_TLS_SERVER_NAME", direct))
	c.ProxyURL = s.text("proxy_url", k.ProxyURL, "KUBE_PROXY_URL")
	c.InCluster = s.flag("in_cluster", k.InCluster, "")
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
