// Package repository serves the data source aktrust_repository: a repository of the registry, looked up by key.
package repository

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

// DataSource is aktrust_repository.
type DataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

type model struct {
	ID          types.String `tfsdk:"id"`
	Key         types.String `tfsdk:"key"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	Format      types.String `tfsdk:"format"`
	RepoType    types.String `tfsdk:"repo_type"`
	IsPublic    types.Bool   `tfsdk:"is_public"`
}

func (m *model) fromAPI(r artifactkeeper.Repository) {
	m.ID = types.StringValue(r.ID)
	m.Key = types.StringValue(r.Key)
	m.Name = types.StringValue(r.Name)
	m.Description = types.StringPointerValue(r.Description)
	m.Format = types.StringValue(r.Format)
	m.RepoType = types.StringValue(r.RepoType)
	m.IsPublic = types.BoolValue(r.IsPublic)
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_repository"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A repository of the registry, looked up by key, for `allowed_repo_ids` of a mapping.",
		Attributes: map[string]schema.Attribute{
			"key": schema.StringAttribute{
				MarkdownDescription: "Key of the repository: the first segment of an image's path, as in `ak.example.com/KEY/app:1.0`.",
				Required:            true,
				Validators:          []validator.String{attribute.NotEmpty("the key of the repository")},
			},
			"id":          schema.StringAttribute{MarkdownDescription: "UUID of the repository.", Computed: true},
			"name":        schema.StringAttribute{MarkdownDescription: "Name for people.", Computed: true},
			"description": schema.StringAttribute{MarkdownDescription: "Description of the repository.", Computed: true},
			"format":      schema.StringAttribute{MarkdownDescription: "Format of its content, such as `docker`.", Computed: true},
			"repo_type":   schema.StringAttribute{MarkdownDescription: "`local`, `remote` or `virtual`.", Computed: true},
			"is_public":   schema.BoolAttribute{MarkdownDescription: "Whether it can be pulled from without a credential.", Computed: true},
		},
	}
}

// Read looks the repository up.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := d.Registry()
	var found artifactkeeper.Repository
	if err == nil {
		found, err = registry.RepositoryByKey(ctx, config.Key.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", "the repository "+strconv.Quote(config.Key.ValueString()), err))
		return
	}
	config.fromAPI(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
