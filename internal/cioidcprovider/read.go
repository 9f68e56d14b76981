package cioidcprovider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// readModel is everything that the registry tells of a provider.
type readModel struct {
	ID           types.String `tfsdk:"id"`
	Name         types.String `tfsdk:"name"`
	ProviderType types.String `tfsdk:"provider_type"`
	IssuerURL    types.String `tfsdk:"issuer_url"`
	Audience     types.String `tfsdk:"audience"`
	IsEnabled    types.Bool   `tfsdk:"is_enabled"`
	StaticJWKS   types.String `tfsdk:"static_jwks"`
	KeySource    types.String `tfsdk:"key_source"`
	KeyIDs       types.List   `tfsdk:"key_ids"`
	MappingCount types.Int64  `tfsdk:"mapping_count"`
	CreatedAt    types.String `tfsdk:"created_at"`
	UpdatedAt    types.String `tfsdk:"updated_at"`
}

// read gives what the registry tells, in the terms of the resource.
func read(p artifactkeeper.Provider) readModel {
	var m model
	m.fromAPI(p)
	return readModel{
		ID: m.ID, Name: m.Name, ProviderType: m.ProviderType, IssuerURL: m.IssuerURL, Audience: m.Audience, IsEnabled: m.IsEnabled,
		StaticJWKS: m.StaticJWKS.StringValue, KeySource: m.KeySource, KeyIDs: m.KeyIDs,
		MappingCount: types.Int64Value(int64(p.MappingCount)),
		CreatedAt:    types.StringValue(p.CreatedAt), UpdatedAt: types.StringValue(p.UpdatedAt),
	}
}

// readAttributes describe readModel, all of it computed.
func readAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return map[string]schema.Attribute{
		"id":            text("UUID of the provider."),
		"name":          text("Name for people."),
		"provider_type": text("`kubernetes`, `gitlab`, `github` or `generic`. Registries before 1.11 give what somebody wrote."),
		"issuer_url":    text("The `iss` of the tokens."),
		"audience":      text("Audience that a token must be made for."),
		"is_enabled": schema.BoolAttribute{
			MarkdownDescription: "Whether tokens of this issuer are accepted.", Computed: true,
		},
		"static_jwks": text("The keys that tokens are verified with, as JSON text in a canonical form. Null with discovery."),
		"key_source":  text("`static` or `discovery`."),
		"key_ids": schema.ListAttribute{
			MarkdownDescription: "The `kid`s of `static_jwks`, sorted.", ElementType: types.StringType, Computed: true,
		},
		"mapping_count": schema.Int64Attribute{MarkdownDescription: "How many identity mappings it has.", Computed: true},
		"created_at":    text("When it was made (RFC 3339)."),
		"updated_at":    text("When it was last changed (RFC 3339)."),
	}
}
