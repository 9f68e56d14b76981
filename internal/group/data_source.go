// Package group serves the data source aktrust_group: a group of accounts, looked up by name.
package group

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// DataSource is aktrust_group.
type DataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

type model struct {
	ID             types.String `tfsdk:"id"`
	Name           types.String `tfsdk:"name"`
	Description    types.String `tfsdk:"description"`
	ExternalSource types.String `tfsdk:"external_source"`
	MemberCount    types.Int64  `tfsdk:"member_count"`
}

func (m *model) fromAPI(g artifactkeeper.Group) {
	m.ID = types.StringValue(g.ID)
	m.Name = types.StringValue(g.Name)
	m.Description = types.StringPointerValue(g.Description)
	m.ExternalSource = types.StringPointerValue(g.ExternalSource)
	m.MemberCount = types.Int64PointerValue(g.MemberCount)
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_group"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A group of the registry, looked up by name, for `group_binding_ids` of a mapping. What its members may " +
			"pull is granted to the group by a permission of the registry.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				MarkdownDescription: "Name of the group, compared exactly.",
				Required:            true,
				Validators:          []validator.String{attribute.NotEmpty("the name of the group")},
			},
			"id":          schema.StringAttribute{MarkdownDescription: "UUID of the group.", Computed: true},
			"description": schema.StringAttribute{MarkdownDescription: "Description of the group.", Computed: true},
			"external_source": schema.StringAttribute{
				MarkdownDescription: "Where the group comes from, when it is not the registry's own.", Computed: true,
			},
			"member_count": schema.Int64Attribute{MarkdownDescription: "How many accounts are in it.", Computed: true},
		},
	}
}

// Read looks the group up.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := d.Registry()
	var found artifactkeeper.Group
	if err == nil {
		found, err = registry.GroupByName(ctx, config.Name.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", "the group "+strconv.Quote(config.Name.ValueString()), err))
		return
	}
	config.fromAPI(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
