// Package provider is the front door: the provider's schema, its configuration, and the list of everything it serves.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cioidcmapping"
	"github.com/aktrust/terraform-provider-aktrust/internal/cioidcprovider"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/clusterjwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/credentialproviderconfig"
	ephemerals "github.com/aktrust/terraform-provider-aktrust/internal/ephemeral"
	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
	"github.com/aktrust/terraform-provider-aktrust/internal/group"
	"github.com/aktrust/terraform-provider-aktrust/internal/mappingsexclusive"
	"github.com/aktrust/terraform-provider-aktrust/internal/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/publishedissuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/pullcheck"
	"github.com/aktrust/terraform-provider-aktrust/internal/repository"
)

// Provider declares the trust between clusters and the registry.
type Provider struct {
	version string
	// getenv is how the environment is read; tests hand in their own.
	getenv func(string) string
}

var (
	_ provider.Provider                       = (*Provider)(nil)
	_ provider.ProviderWithEphemeralResources = (*Provider)(nil)
	_ provider.ProviderWithFunctions          = (*Provider)(nil)
)

// New gives a provider of this version, which reads its defaults from the process' environment.
func New(version string) *Provider { return &Provider{version: version, getenv: os.Getenv} }

// Factory gives a function that makes providers of this version, as the plugin server wants it.
func Factory(version string) func() provider.Provider {
	return func() provider.Provider { return New(version) }
}

// Metadata names the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aktrust"
	resp.Version = p.version
}

// Configure checks the configuration as far as it is known and prepares both connections. It dials nothing.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, diags := config.registry(ctx, p.getenv)
	resp.Diagnostics.Append(diags...)
	kubernetes, diags := config.cluster(ctx, p.getenv)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	agent := "terraform-provider-aktrust/" + p.version
	registry.config.UserAgent, kubernetes.config.UserAgent = agent, agent
	kubernetes.config.Warn = func(ctx context.Context, text string) { tflog.Warn(ctx, "API server: "+text) }
	// The logger lives in the context of this call, and serves the requests of all later ones.
	registry.config.Log = func(message string, fields map[string]any) { tflog.Debug(ctx, message, fields) }

	data := connection.New(
		func() (*artifactkeeper.Client, error) {
			if err := registry.unknownError("registry"); err != nil {
				return nil, err
			}
			return artifactkeeper.New(registry.config)
		},
		func() (*cluster.Client, error) {
			if err := kubernetes.unknownError("cluster"); err != nil {
				return nil, err
			}
			return cluster.New(kubernetes.config)
		},
	)
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = data, data, data
}

// Resources lists the resources.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		cioidcmapping.NewResource,
		cioidcprovider.NewResource,
		credentialproviderconfig.NewResource,
		mappingsexclusive.NewResource,
		nodeaudience.NewResource,
	}
}

// DataSources lists the data sources.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		cioidcmapping.NewListDataSource,
		cioidcprovider.NewDataSource,
		cioidcprovider.NewListDataSource,
		clusterjwks.NewDataSource,
		credentialproviderconfig.NewDataSource,
		group.NewDataSource,
		publishedissuer.NewDataSource,
		pullcheck.Factory(),
		repository.NewDataSource,
	}
}

// EphemeralResources lists the ephemeral resources.
func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		ephemerals.NewRegistryCredentials,
		ephemerals.NewServiceAccountToken,
	}
}

// Functions lists the functions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		functions.NewAKKubeletProvider,
		functions.NewEvaluateMappings,
		functions.NewImageMatches,
		functions.NewIssuerDocuments,
		functions.NewMatchingProviders,
		functions.NewParseCredentialProviderConfig,
	}
}
