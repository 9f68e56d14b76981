// Package cioidcmapping serves aktrust_ci_oidc_mapping: whose tokens become which account.
package cioidcmapping

import (
	"context"
	"maps"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/numberdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// defaultPriority is the registry's own default.
const defaultPriority = 100

const filtersDescription = "What a token must say, as a map from claims to JSON values, or as JSON text. All must hold. " +
	"A key is the name of a top-level claim or, with a leading `/`, a JSON Pointer (RFC 6901), such as " +
	"`\"/kubernetes.io/namespace\"`; dots mean nothing. A list holds when any of its elements equals the claim, an object only " +
	"when it is the whole claim. Values keep their type: `\"true\"` is not `true`. There are no globs. `{}` holds for " +
	"every token of the issuer. The plan warns of filters that no token of a Kubernetes cluster meets, and of the name of a " +
	"ServiceAccount without its namespace."

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tokens of a trusted issuer that match the filters become the account that is made together with the " +
			"mapping.\n\n" +
			"What the account may pull comes from `group_binding_ids`, or from rules for the account itself. `allowed_repo_ids` is a " +
			"ceiling on top and grants nothing. The account lives and dies with the mapping: a replaced mapping has a new account, " +
			"without the rules of the old one.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "UUID that the registry gave.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"provider_id": schema.StringAttribute{
				MarkdownDescription: "Id of the `aktrust_ci_oidc_provider`. Another one replaces the mapping, and with it the account.",
				CustomType:          attribute.UUIDType{},
				Required:            true,
				Validators:          []validator.String{attribute.ValidUUID()},
				PlanModifiers: []planmodifier.String{
					attribute.KeepEqualString(), // First, so that another case of the letters replaces nothing.
					stringplanmodifier.RequiresReplace(),
				},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "Name for people. The registry does not ask for it to be unique.",
				Required:            true,
				Validators:          []validator.String{attribute.NotEmpty("a name for people")},
			},
			"claim_filters": schema.DynamicAttribute{
				MarkdownDescription: filtersDescription,
				CustomType:          attribute.ClaimFiltersType{},
				Required:            true,
				Validators:          []validator.Dynamic{attribute.ValidClaimFilters()},
				PlanModifiers:       []planmodifier.Dynamic{attribute.KeepEqualDynamic()},
			},
			"priority": schema.NumberAttribute{
				MarkdownDescription: "Order among the mappings of a provider: the lowest that matches wins. A whole number, also a " +
					"negative one. Default `100`.",
				Optional:   true,
				Computed:   true,
				Default:    numberdefault.StaticBigFloat(big.NewFloat(defaultPriority)),
				Validators: []validator.Number{attribute.ValidWhole(math.MinInt32, math.MaxInt32)},
			},
			"is_enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether the mapping takes part. Default `true`.",
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(true),
			},
			"service_account_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the account. Null on mappings that are older than registry 1.11.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"service_account_username": schema.StringAttribute{
				MarkdownDescription: "Name of the account. Null on mappings that are older than registry 1.11.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
		},
	}
	maps.Copy(resp.Schema.Attributes, listAttributes())
}

// listAttributes describe the lists of which null, empty and filled are three things.
func listAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"allowed_repo_ids": schema.SetAttribute{
			MarkdownDescription: "Ceiling: the only repositories that may be pulled from, whatever is granted. Left out, there is no " +
				"ceiling; `[]` denies every repository, and the plan warns of it. It grants nothing.",
			ElementType:   attribute.UUIDType{},
			Optional:      true,
			PlanModifiers: []planmodifier.Set{attribute.KeepEqualUUIDSet()},
			Validators:    []validator.Set{attribute.ValidUUIDs()},
		},
		"group_binding_ids": schema.SetAttribute{
			MarkdownDescription: "Grant: the groups that the account is in, and no others. Left out, its memberships are nobody's " +
				"business here; `[]` strips every one.",
			ElementType:   attribute.UUIDType{},
			Optional:      true,
			PlanModifiers: []planmodifier.Set{attribute.KeepEqualUUIDSet()},
			Validators:    []validator.Set{attribute.ValidUUIDs()},
		},
	}
}

// IdentitySchema describes what identifies a mapping in its registry.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"provider_id": identityschema.StringAttribute{Description: "Id of the CI OIDC provider.", RequiredForImport: true},
			"id":          identityschema.StringAttribute{Description: "UUID that the registry gave.", RequiredForImport: true},
		},
	}
}
