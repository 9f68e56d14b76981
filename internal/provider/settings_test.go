package provider

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// written is a configuration with some arguments; the others are null. Arguments of kubernetes begin with "kubernetes.".
func written(t *testing.T, arguments map[string]attr.Value) model {
	t.Helper()
	var schema provider.SchemaResponse
	New("test").Schema(t.Context(), provider.SchemaRequest{}, &schema)
	empty := tftypes.NewValue(schema.Schema.Type().TerraformType(t.Context()), nil)
	plan := tfsdk.Plan{Schema: schema.Schema, Raw: empty}
	for name, value := range arguments {
		at := path.Empty()
		for step := range strings.SplitSeq(name, ".") {
			at = at.AtName(step)
		}
		if diags := plan.SetAttribute(t.Context(), at, value); diags.HasError() {
			t.Fatal(diags)
		}
	}
	var m model
	config := tfsdk.Config{Schema: schema.Schema, Raw: plan.Raw}
	if plan.Raw.IsNull() {
		return model{Kubernetes: types.ObjectNull(schema.Schema.Attributes["kubernetes"].GetType().(types.ObjectType).AttrTypes)}
	}
	if diags := config.Get(t.Context(), &m); diags.HasError() {
		t.Fatal(diags)
	}
	return m
}

func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func texts(diags diag.Diagnostics) string {
	var all []string
	for _, d := range diags.Errors() {
		all = append(all, d.Summary()+": "+d.Detail())
	}
	return strings.Join(all, "\n")
}

var str = types.StringValue

// testCA is some certificate.
var testCA = func() string {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}()

// Argument beats environment beats nothing, for every argument that has a variable.
func TestRegistryArguments(t *testing.T) {
	variables := map[string]string{
		"ARTIFACT_KEEPER_ENDPOINT": "https://env.example.com", "ARTIFACT_KEEPER_TOKEN": "env-token",
		"ARTIFACT_KEEPER_TOKEN_FILE": "/env/token", "ARTIFACT_KEEPER_USERNAME": "env-user", "ARTIFACT_KEEPER_PASSWORD": "env-password",
		"ARTIFACT_KEEPER_CA_CERTIFICATE": testCA, "ARTIFACT_KEEPER_INSECURE_SKIP_VERIFY": "true",
	}
	without := func(names ...string) map[string]string {
		rest := map[string]string{}
		for name, value := range variables {
			if !slices.Contains(names, name) {
				rest[name] = value
			}
		}
		return rest
	}
	env := artifactkeeper.Config{Endpoint: "https://env.example.com", Token: "env-token", CACertificate: testCA,
		InsecureSkipVerify: true, RequestTimeout: 30 * time.Second, MaxRetries: 4}
	change := func(f func(*artifactkeeper.Config)) artifactkeeper.Config { c := env; f(&c); return c }
	cases := []struct {
		name      string
		arguments map[string]attr.Value
		variables map[string]string
		want      artifactkeeper.Config
	}{
		{"nothing", nil, nil, artifactkeeper.Config{RequestTimeout: 30 * time.Second, MaxRetries: 4}},
		{"environment", nil, variables, env},
		{"endpoint", map[string]attr.Value{"endpoint": str("ak.example.com")}, variables,
			change(func(c *artifactkeeper.Config) { c.Endpoint = "ak.example.com" })},
		{"token", map[string]attr.Value{"token": str("arg")}, variables, change(func(c *artifactkeeper.Config) { c.Token = "arg" })},
		{"token file keeps the variables of other credentials out", map[string]attr.Value{"token_file": str("/arg")}, variables,
			change(func(c *artifactkeeper.Config) { c.Token, c.TokenFile = "", "/arg" })},
		{"username does too, and takes its password", map[string]attr.Value{"username": str("arg")}, variables,
			change(func(c *artifactkeeper.Config) { c.Token, c.Username, c.Password = "", "arg", "env-password" })},
		{"password", map[string]attr.Value{"password": str("arg")}, variables,
			change(func(c *artifactkeeper.Config) { c.Token, c.Username, c.Password = "", "env-user", "arg" })},
		{"variable of the file", nil, without("ARTIFACT_KEEPER_TOKEN"),
			change(func(c *artifactkeeper.Config) { c.Token, c.TokenFile = "", "/env/token" })},
		{"variables of the user", nil, without("ARTIFACT_KEEPER_TOKEN", "ARTIFACT_KEEPER_TOKEN_FILE"),
			change(func(c *artifactkeeper.Config) { c.Token, c.Username, c.Password = "", "env-user", "env-password" })},
		{"false beats true", map[string]attr.Value{"insecure_skip_verify": types.BoolValue(false)}, variables,
			change(func(c *artifactkeeper.Config) { c.InsecureSkipVerify = false })},
		{"the rest", map[string]attr.Value{"allow_http": types.BoolValue(true), "request_timeout": str("5s"),
			"max_retries": attribute.NewWholeValue(0), "headers": types.MapValueMust(types.StringType, map[string]attr.Value{"X-A": str("b")})},
			variables, change(func(c *artifactkeeper.Config) {
				c.AllowHTTP, c.RequestTimeout, c.MaxRetries, c.Headers = true, 5*time.Second, 0, map[string]string{"X-A": "b"}
			})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, diags := written(t, c.arguments).registry(t.Context(), environment(c.variables))
			if diags.HasError() || len(got.unknown) > 0 {
				t.Fatalf("%s; unknown: %v", texts(diags), got.unknown)
			}
			if !reflect.DeepEqual(got.config, c.want) {
				t.Errorf("got %+v, want %+v", got.config, c.want)
			}
		})
	}
}

// An unknown argument is neither absent nor replaced by its variable.
func TestUnknownArguments(t *testing.T) {
	variables := environment(map[string]string{"ARTIFACT_KEEPER_ENDPOINT": "https://env.example.com",
		"ARTIFACT_KEEPER_TOKEN": "env", "ARTIFACT_KEEPER_CA_CERTIFICATE": testCA, "KUBE_HOST": "https://env.example.com",
		"KUBE_CONFIG_PATH": "/env", "KUBE_TOKEN": "env", "KUBE_CLUSTER_CA_CERT_DATA": "env"})
	for name, value := range map[string]attr.Value{
		"endpoint": types.StringUnknown(), "token": types.StringUnknown(), "token_file": types.StringUnknown(),
		"username": types.StringUnknown(), "password": types.StringUnknown(), "ca_certificate": types.StringUnknown(),
		"client_certificate": types.StringUnknown(), "client_key": types.StringUnknown(),
		"insecure_skip_verify": types.BoolUnknown(), "allow_http": types.BoolUnknown(),
		"headers": types.MapUnknown(types.StringType), "request_timeout": types.StringUnknown(), "max_retries": types.NumberUnknown(),
	} {
		got, diags := written(t, map[string]attr.Value{name: value}).registry(t.Context(), variables)
		err := got.unknownError("registry")
		if diags.HasError() || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %s", name, err, texts(diags))
		}
		if name == "token" && got.config.TokenFile+got.config.Username != "" {
			t.Errorf("an unknown token is replaced: %+v", got.config)
		}
	}
	for name, value := range map[string]attr.Value{
		"host": types.StringUnknown(), "token": types.StringUnknown(), "config_path": types.StringUnknown(),
		"config_paths": types.ListUnknown(types.StringType), "config_context": types.StringUnknown(),
		"cluster_ca_certificate": types.StringUnknown(), "insecure": types.BoolUnknown(), "in_cluster": types.BoolUnknown(),
		"client_certificate": types.StringUnknown(), "proxy_url": types.StringUnknown(),
	} {
		got, diags := written(t, map[string]attr.Value{"kubernetes." + name: value}).cluster(t.Context(), variables)
		err := got.unknownError("cluster")
		if diags.HasError() || err == nil || !strings.Contains(err.Error(), "kubernetes."+name) {
			t.Errorf("kubernetes.%s: %v, %s", name, err, texts(diags))
		}
	}
	block := written(t, nil).Kubernetes.AttributeTypes(context.Background())
	got, _ := model{Kubernetes: types.ObjectUnknown(block)}.cluster(t.Context(), variables)
	if err := got.unknownError("cluster"); err == nil || !reflect.DeepEqual(got.config, cluster.Config{}) {
		t.Errorf("an unknown block: %v, %+v", err, got.config)
	}
}

// What is wrong whatever comes later is said at once, and names the argument.
func TestRefusedArguments(t *testing.T) {
	for name, c := range map[string]struct {
		arguments map[string]attr.Value
		says      string
	}{
		"http":            {map[string]attr.Value{"endpoint": str("http://ak.example.com")}, "allow_http"},
		"two credentials": {map[string]attr.Value{"token": str("a"), "token_file": str("b")}, "Two credentials"},
		"token and user":  {map[string]attr.Value{"token": str("a"), "username": str("b")}, "Two credentials"},
		"timeout":         {map[string]attr.Value{"request_timeout": str("30")}, "Not a duration"},
		"no timeout":      {map[string]attr.Value{"request_timeout": str("0s")}, "Not a duration"},
		"half a user":     {map[string]attr.Value{"endpoint": str("ak"), "username": str("b")}, "password"},
		"half a pair":     {map[string]attr.Value{"endpoint": str("ak"), "token": str("a"), "client_certificate": str("b")}, "client_key"},
		"header": {map[string]attr.Value{"headers": types.MapValueMust(types.StringType,
			map[string]attr.Value{"X A": str("hunter22")})}, "Not a header"},
		"null header": {map[string]attr.Value{"headers": types.MapValueMust(types.StringType,
			map[string]attr.Value{"X-A": types.StringNull()})}, "Null element"},
		"half a client certificate": {map[string]attr.Value{"kubernetes.host": str("https://a"),
			"kubernetes.client_key": str("b")}, "kubernetes.client_certificate"},
		"two files": {map[string]attr.Value{"kubernetes.config_path": str("a"),
			"kubernetes.config_paths": types.ListValueMust(types.StringType, []attr.Value{str("b")})}, "Two ways"},
		"own header": {map[string]attr.Value{"headers": types.MapValueMust(types.StringType,
			map[string]attr.Value{"authorization": str("Basic hunter22")})}, "A header of the provider's own"},
	} {
		m := written(t, c.arguments)
		_, diags := m.registry(t.Context(), environment(nil))
		_, more := m.cluster(t.Context(), environment(nil))
		if said := texts(append(diags, more...)); !strings.Contains(said, c.says) || strings.Contains(said, "hunter22") {
			t.Errorf("%s: %q does not say %q", name, said, c.says)
		}
	}
	_, diags := written(t, nil).registry(t.Context(), environment(map[string]string{"ARTIFACT_KEEPER_INSECURE_SKIP_VERIFY": "maybe"}))
	if !strings.Contains(texts(diags), "ARTIFACT_KEEPER_INSECURE_SKIP_VERIFY") {
		t.Errorf("a variable that is no switch: %s", texts(diags))
	}
}

// An empty text is nothing, unless a variable would stand in for it: which of the two is meant cannot be told.
func TestEmptyArguments(t *testing.T) {
	empty := map[string]attr.Value{"endpoint": str(""), "token": str(""), "ca_certificate": str(""), "client_key": str(""),
		"kubernetes.host": str(""), "kubernetes.token": str(""), "kubernetes.config_path": str("")}
	m := written(t, empty)
	registry, diags := m.registry(t.Context(), environment(nil))
	kubernetes, more := m.cluster(t.Context(), environment(nil))
	if said := texts(append(diags, more...)); said != "" || registry.config.Endpoint != "" || kubernetes.config.Host != "" {
		t.Errorf("without variables: %s", said)
	}
	_, diags = m.registry(t.Context(), environment(map[string]string{"ARTIFACT_KEEPER_ENDPOINT": "https://env"}))
	if !strings.Contains(texts(diags), "endpoint: It is an empty text") {
		t.Errorf("beside a variable: %s", texts(diags))
	}
	_, diags = m.cluster(t.Context(), environment(map[string]string{"KUBE_HOST": "https://env"}))
	if said := texts(diags); strings.Contains(said, "kubernetes.host: It is an empty text") != false {
		t.Errorf("a file is named, so that the variable does not count: %s", said)
	}
}

// Every variable of the cluster counts where the configuration says nothing.
func TestClusterVariables(t *testing.T) {
	got, diags := written(t, nil).cluster(t.Context(), environment(map[string]string{
		"KUBE_HOST": "https://env", "KUBE_CONFIG_PATH": "/a", "KUBE_CONFIG_PATHS": "/b:/c", "KUBE_CTX": "ctx", "KUBE_CTX_CLUSTER": "cluster",
		"KUBE_CTX_AUTH_INFO": "user", "KUBE_TOKEN": "token", "KUBE_USER": "name", "KUBE_PASSWORD": "password",
		"KUBE_CLUSTER_CA_CERT_DATA": "ca", "KUBE_CLIENT_CERT_DATA": "certificate", "KUBE_CLIENT_KEY_DATA": "key",
		"KUBE_INSECURE": "true", "KUBE_TLS_SERVER_NAME": "tls", "KUBE_PROXY_URL": "http://proxy"}))
	want := cluster.Config{Host: "https://env", ConfigPath: "/a", ConfigPaths: []string{"/b", "/c"}, ConfigContext: "ctx",
		ConfigContextCluster: "cluster", ConfigContextAuthInfo: "user", Token: "token", Username: "name", Password: "password",
		ClusterCACertificate: "ca", ClientCertificate: "certificate", ClientKey: "key", Insecure: true, TLSServerName: "tls",
		ProxyURL: "http://proxy"}
	if diags.HasError() || !reflect.DeepEqual(got.config, want) {
		t.Errorf("got %+v, want %+v; %s", got.config, want, texts(diags))
	}
}

// A cluster that the configuration names in one way is never overlaid with one that a variable names in another.
func TestWhichCluster(t *testing.T) {
	variables := environment(map[string]string{"KUBE_HOST": "https://env", "KUBE_CONFIG_PATH": "/env", "KUBE_CLUSTER_CA_CERT_DATA": testCA,
		"KUBE_TLS_SERVER_NAME": "env-name", "KUBE_CTX": "env-ctx", "KUBECONFIG": "/wrong", "HOME": "/wrong"})
	cases := []struct {
		name      string
		arguments map[string]attr.Value
		want      cluster.Config
	}{
		{"environment alone", nil, cluster.Config{Host: "https://env", ConfigPath: "/env", ClusterCACertificate: testCA,
			TLSServerName: "env-name", ConfigContext: "env-ctx"}},
		{"a file", map[string]attr.Value{"kubernetes.config_path": str("/arg")},
			cluster.Config{ConfigPath: "/arg", ConfigContext: "env-ctx"}},
		{"files", map[string]attr.Value{"kubernetes.config_paths": types.ListValueMust(types.StringType, []attr.Value{str("/a"), str("/b")})},
			cluster.Config{ConfigPaths: []string{"/a", "/b"}, ConfigContext: "env-ctx"}},
		{"a host", map[string]attr.Value{"kubernetes.host": str("https://arg")},
			cluster.Config{Host: "https://arg", ClusterCACertificate: testCA, TLSServerName: "env-name"}},
		{"the pod's account", map[string]attr.Value{"kubernetes.in_cluster": types.BoolValue(true)},
			cluster.Config{InCluster: true}},
		{"not the pod's account", map[string]attr.Value{"kubernetes.in_cluster": types.BoolValue(false)},
			cluster.Config{Host: "https://env", ConfigPath: "/env", ClusterCACertificate: testCA,
				TLSServerName: "env-name", ConfigContext: "env-ctx"}},
	}
	for _, c := range cases {
		got, diags := written(t, c.arguments).cluster(t.Context(), variables)
		if diags.HasError() || !reflect.DeepEqual(got.config, c.want) {
			t.Errorf("%s: got %+v, want %+v; %s", c.name, got.config, c.want, texts(diags))
		}
	}
}

func TestExec(t *testing.T) {
	got, diags := written(t, map[string]attr.Value{
		"kubernetes.host": str("https://arg"), "kubernetes.exec.api_version": str("client.authentication.k8s.io/v1"),
		"kubernetes.exec.command": str("aws"), "kubernetes.exec.args": types.ListValueMust(types.StringType, []attr.Value{str("eks")}),
		"kubernetes.exec.env": types.MapValueMust(types.StringType, map[string]attr.Value{"AWS_PROFILE": str("p")}),
	}).cluster(t.Context(), environment(map[string]string{"KUBE_TOKEN": "env", "KUBE_USER": "env", "KUBE_PASSWORD": "env"}))
	want := &cluster.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "aws", Args: []string{"eks"}, Env: map[string]string{"AWS_PROFILE": "p"}}
	if diags.HasError() || !reflect.DeepEqual(got.config.Exec, want) || got.config.Token+got.config.Username != "" {
		t.Errorf("got %+v; %s", got.config, texts(diags))
	}
}
