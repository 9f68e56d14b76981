package cioidcmapping

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// ListDataSource is the data source aktrust_ci_oidc_mappings: every identity mapping of a provider.
type ListDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*ListDataSource)(nil)

// NewListDataSource gives the data source to the provider's list.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	ProviderID types.String `tfsdk:"provider_id"`
	Mappings   []readModel  `tfsdk:"mappings"`
}

// readModel is everything that the registry tells of a mapping.
type readModel struct {
	ID                     types.String `tfsdk:"id"`
	ProviderID             types.String `tfsdk:"provider_id"`
	Name                   types.String `tfsdk:"name"`
	ClaimFilters           types.String `tfsdk:"claim_filters"`
	Priority               types.Int32  `tfsdk:"priority"`
	AllowedRepoIDs         types.List   `tfsdk:"allowed_repo_ids"`
	GroupBindingIDs        types.List   `tfsdk:"group_binding_ids"`
	IsEnabled              types.Bool   `tfsdk:"is_enabled"`
	ServiceAccountID       types.String `tfsdk:"service_account_id"`
	ServiceAccountUsername types.String `tfsdk:"service_account_username"`
	CreatedAt              types.String `tfsdk:"created_at"`
	UpdatedAt              types.String `tfsdk:"updated_at"`
}

// read gives what the registry tells: the same for the same mapping, whatever the order in which it lists ids and members.
func read(m artifactkeeper.Mapping) readModel {
	return readModel{
		ID: types.StringValue(m.ID), ProviderID: types.StringValue(m.ProviderID), Name: types.StringValue(m.Name),
		ClaimFilters: types.StringValue(canonical(m.ClaimFilters)), Priority: types.Int32Value(m.Priority),
		AllowedRepoIDs: sorted(m.AllowedRepoIDs), GroupBindingIDs: sorted(m.GroupBindingIDs), IsEnabled: types.BoolValue(m.IsEnabled),
		ServiceAccountID:       types.StringPointerValue(m.ServiceAccountID),
		ServiceAccountUsername: types.StringPointerValue(m.ServiceAccountUsername),
		CreatedAt:              types.StringValue(m.CreatedAt), UpdatedAt: types.StringValue(m.UpdatedAt),
	}
}

// canonical is one text for filters that mean the same. What is no object, as an old registry may hold, stays as it is.
func canonical(raw json.RawMessage) string {
	var filters claims.Filters
	if filters.UnmarshalJSON(raw) == nil {
		return filters.Canonical()
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// sorted is a list of ids; null is not empty.
func sorted(ids *[]string) types.List {
	if ids == nil {
		return types.ListNull(types.StringType)
	}
	values := make([]attr.Value, 0, len(*ids))
	for _, id := range slices.Sorted(slices.Values(*ids)) {
		values = append(values, types.StringValue(id))
	}
	return types.ListValueMust(types.StringType, values)
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_mappings"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	ids := func(description string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every identity mapping of a provider, whoever made it. `evaluate_mappings` takes the list and says which " +
			"of them lets a token in.",
		Attributes: map[string]schema.Attribute{
			"provider_id": schema.StringAttribute{
				MarkdownDescription: "Id of the provider.",
				Required:            true,
				Validators:          []validator.String{attribute.ValidUUID()},
			},
			"mappings": schema.ListNestedAttribute{
				MarkdownDescription: "The mappings, in the order in which the registry tries them: by priority, then by age.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":          text("UUID of the mapping."),
					"provider_id": text("Id of its provider."),
					"name":        text("Name for people."),
					"claim_filters": text("What a token must say, as JSON text in a canonical form: members and alternatives are sorted, " +
						"and there is no white space. `jsondecode` gives the object."),
					"priority": schema.Int32Attribute{MarkdownDescription: "The lowest that matches wins.", Computed: true},
					"allowed_repo_ids": ids("Ceiling: the only repositories that may be pulled from, sorted. Null is no ceiling; an " +
						"empty list denies every repository."),
					"group_binding_ids": ids("Grant: the groups that the account is in, and no others, sorted. Null says nothing; an " +
						"empty list strips every membership."),
					"is_enabled": schema.BoolAttribute{
						MarkdownDescription: "Whether the mapping takes part.", Computed: true,
					},
					"service_account_id":       text("UUID of the account. Null on mappings that are older than registry 1.11."),
					"service_account_username": text("Name of the account. Null on mappings that are older than registry 1.11."),
					"created_at":               text("When it was made (RFC 3339)."),
					"updated_at":               text("When it was last changed (RFC 3339)."),
				}},
			},
		},
	}
}

// Read lists the mappings.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := d.Registry()
	var all []artifactkeeper.Mapping
	if err == nil {
		all, err = registry.Mappings(ctx, config.ProviderID.ValueString())
	}
	if err != nil {
		what := "the identity mappings of the CI OIDC provider " + config.ProviderID.ValueString()
		resp.Diagnostics.Append(diagnose.Error("read", what, err))
		return
	}
	config.Mappings = make([]readModel, len(all))
	for i, m := range all {
		config.Mappings[i] = read(m)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
