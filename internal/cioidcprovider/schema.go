// Package cioidcprovider serves aktrust_ci_oidc_provider: which issuer the registry trusts.
package cioidcprovider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// defaultAudience is the registry's own default.
const defaultAudience = "artifact-keeper"

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "An issuer of tokens that the registry trusts, such as a Kubernetes cluster. On its own it lets " +
			"nobody in: `aktrust_ci_oidc_mapping` says whose tokens become which account.\n\n" +
			"The registry has one enabled provider of an issuer and audience. A second one is refused by apply, with the id of the first " +
			"to import; the plan warns of it when the registry answers.\n\n" +
			"Deleting it deletes its mappings and deactivates their accounts. A plan that deletes or disables a provider of the type " +
			"`kubernetes` warns when the cluster of the provider configuration still issues tokens of its issuer, as its discovery " +
			"document says; it waits for that five seconds at most, and says nothing when there is no answer.\n\n" +
			"A plan that takes keys out of `static_jwks` says whose tokens that cuts off. For the type `kubernetes`, when the provider " +
			"configuration names the issuer's cluster, the plan asks its API server which keys it serves, and has it sign a token for " +
			"the ServiceAccount `default` in the namespace `default`, to see with which key (verb `create` on " +
			"`serviceaccounts/token` there). Nobody accepts that token, and it is written nowhere. " +
			"What cannot be looked at is said in the warning, and fails nothing. " +
			"[Rotating the keys without an outage](../guides/rotating-keys.md) has the order of the steps.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "UUID that the registry gave.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "Name for people, up to 255 characters. The registry does not ask for it to be unique.",
				Required:            true,
				Validators:          []validator.String{attribute.NotEmpty("a name for people"), stringvalidator.UTF8LengthAtMost(255)},
			},
			"provider_type": schema.StringAttribute{
				MarkdownDescription: "`kubernetes`, `gitlab`, `github` or `generic`. Credentials of a `kubernetes` provider are " +
					"read-only; those of the other types may write.",
				Required: true,
				Validators: []validator.String{
					stringvalidator.OneOf("gitlab", "github", artifactkeeper.TypeKubernetes, "generic"),
				},
			},
			"issuer_url": schema.StringAttribute{
				MarkdownDescription: "The `iss` of the tokens, character for character: one trailing slash more or less and the " +
					"registry refuses every token. An https URL without query and fragment. Changed in place, the registry refuses all " +
					"tokens of the old issuer: [a change without an outage](../guides/changing-the-issuer.md) takes a second provider.",
				Required:   true,
				Validators: []validator.String{attribute.ValidIssuer()},
			},
			"audience": schema.StringAttribute{
				MarkdownDescription: "Audience that a token must be made for. Default `" + defaultAudience + "`. For `kubernetes` never " +
					"an audience of the API server, of which every pod holds a token. `aktrust_node_audience` and the kubelet's file " +
					"need the same one: refer to this attribute there.",
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(defaultAudience),
				Validators: []validator.String{attribute.NotEmpty("the audience of the tokens, or leave it out for the default")},
			},
			"is_enabled": schema.BoolAttribute{
				MarkdownDescription: "Whether tokens of this issuer are accepted. Default `true`.",
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(true),
			},
		},
	}
	maps.Copy(resp.Schema.Attributes, keyAttributes())
}

// keyAttributes describe what tokens are verified with.
func keyAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"static_jwks": schema.StringAttribute{
			MarkdownDescription: "The keys to verify tokens with, as the JSON text of a key set, such as `jwks` of " +
				"`aktrust_cluster_jwks`. Compared as a set of keys: order and white space are no change. Without it, the registry " +
				"fetches the keys from the issuer.",
			CustomType:    attribute.KeySetType{},
			Optional:      true,
			Validators:    []validator.String{attribute.ValidKeySet()},
			PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
		},
		"key_source": schema.StringAttribute{
			MarkdownDescription: "`static` or `discovery`. Follows from `static_jwks` when left out. Going from `static` to " +
				"`discovery` takes `key_source = \"discovery\"` written out, so that no missing value unpins the keys.",
			Optional:   true,
			Computed:   true,
			Validators: []validator.String{stringvalidator.OneOf(artifactkeeper.KeySourceDiscovery, artifactkeeper.KeySourceStatic)},
		},
		"key_ids": schema.ListAttribute{
			MarkdownDescription: "The `kid`s of `static_jwks`, sorted: the readable part of a rotation in a plan.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}
}

// IdentitySchema describes what identifies a provider in its registry.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{
				Description:       "UUID that the registry gave.",
				RequiredForImport: true,
			},
		},
	}
}
