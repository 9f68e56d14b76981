package cioidcprovider

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// DataSource is the data source aktrust_ci_oidc_provider: one provider, found by id, name or issuer.
type DataSource struct{ connection.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_provider"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := readAttributes()
	for name, way := range map[string]schema.StringAttribute{
		"id": {
			MarkdownDescription: "UUID of the provider.",
			Validators:          []validator.String{attribute.ValidUUID()},
		},
		"name": {
			MarkdownDescription: "Name of the provider, compared exactly. Names need not be unique; that of several is an error.",
			Validators:          []validator.String{attribute.NotEmpty("the name of the provider, or leave it out")},
		},
		"issuer_url": {
			MarkdownDescription: "The `iss` of its tokens, compared exactly. That of several providers is an error.",
			Validators:          []validator.String{attribute.NotEmpty("the iss of its tokens, or leave it out")},
		},
	} {
		way.Optional, way.Computed = true, true
		attributes[name] = way
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "An issuer of tokens that the registry trusts, looked up by exactly one of `id`, `name` and " +
			"`issuer_url`, which has to lead to one provider.",
		Attributes: attributes,
	}
}

// ConfigValidators asks for one way to look the provider up. An unknown one is possibly given.
func (d *DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"), path.MatchRoot("issuer_url")),
	}
}

// lookup is how a provider is looked for. One member is given.
type lookup struct{ id, name, issuer string }

func (l lookup) describe() string {
	switch {
	case l.id != "":
		return "the CI OIDC provider " + l.id
	case l.name != "":
		return "the CI OIDC provider " + strconv.Quote(l.name)
	}
	return "the CI OIDC provider of issuer " + strconv.Quote(l.issuer)
}

func (l lookup) find(ctx context.Context, registry *artifactkeeper.Client) (artifactkeeper.Provider, error) {
	switch {
	case l.id != "":
		return registry.Provider(ctx, l.id)
	case l.name != "":
		return registry.ProviderByName(ctx, l.name)
	}
	all, err := registry.Providers(ctx)
	if err != nil {
		return artifactkeeper.Provider{}, err
	}
	return byIssuer(all, l.issuer)
}

// byIssuer finds the one provider of exactly this issuer, or says why there is none.
func byIssuer(all []artifactkeeper.Provider, issuer string) (artifactkeeper.Provider, error) {
	failure := &artifactkeeper.LookupError{What: fmt.Sprintf("CI OIDC provider of issuer %q", issuer)}
	var found artifactkeeper.Provider
	for _, p := range all {
		switch {
		case p.IssuerURL == issuer:
			found = p
			failure.Candidates = append(failure.Candidates, p.ID)
		case strings.EqualFold(strings.TrimRight(p.IssuerURL, "/"), strings.TrimRight(issuer, "/")):
			failure.Similar = append(failure.Similar, strconv.Quote(p.IssuerURL))
		}
	}
	if len(failure.Candidates) != 1 {
		return artifactkeeper.Provider{}, failure
	}
	return found, nil
}

// Read looks the provider up.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config readModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	way := lookup{id: config.ID.ValueString(), name: config.Name.ValueString(), issuer: config.IssuerURL.ValueString()}
	registry, err := d.Registry()
	var found artifactkeeper.Provider
	if err == nil {
		found, err = way.find(ctx, registry)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", way.describe(), err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, read(found))...)
}
