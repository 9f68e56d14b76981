package cioidcprovider

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// ListDataSource is the data source aktrust_ci_oidc_providers: every issuer that the registry trusts.
type ListDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)

// NewListDataSource gives the data source to the provider's list.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	Providers []readModel `tfsdk:"providers"`
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_providers"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every issuer of tokens that the registry trusts, enabled or not.",
		Attributes: map[string]schema.Attribute{
			"providers": schema.ListNestedAttribute{
				MarkdownDescription: "The providers, sorted by name and then id.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: readAttributes()},
			},
		},
	}
}

// Read lists the providers.
func (d *ListDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	registry, err := d.Registry()
	var all []artifactkeeper.Provider
	if err == nil {
		all, err = registry.Providers(ctx)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", "the CI OIDC providers", err))
		return
	}
	out := listModel{Providers: make([]readModel, len(all))}
	for i, p := range all {
		out.Providers[i] = read(p)
	}
	slices.SortFunc(out.Providers, func(a, b readModel) int {
		return cmp.Or(cmp.Compare(a.Name.ValueString(), b.Name.ValueString()), cmp.Compare(a.ID.ValueString(), b.ID.ValueString()))
	})
	resp.Diagnostics.Append(resp.State.Set(ctx, out)...)
}
