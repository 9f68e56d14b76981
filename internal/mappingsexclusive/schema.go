// Package mappingsexclusive serves aktrust_ci_oidc_mappings_exclusive: the identity mappings of a provider, and nobody else's.
package mappingsexclusive

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The identity mappings of a provider, and nobody else's. Other resources see only what they made; a " +
			"mapping that somebody adds behind their back lets tokens in unseen. With this resource it shows in the next plan by name " +
			"and filters, and the apply of that plan deletes it, together with its account. A disabled mapping counts too.\n\n" +
			"An apply deletes only what `foreign_mappings` of its plan names. What appears after the plan stays, and so does a " +
			"mapping that leaves `mapping_ids` in this plan: unless its own resource deletes it, the next plan names it. When the " +
			"resource is created, the plan names what is foreign if it knows `mapping_ids`; if somebody adds or removes a mapping before " +
			"that plan is applied, the apply stops with \"inconsistent final plan\" and deletes nothing: plan again.\n\n" +
			"Have one for each provider. Two of the same provider delete each other's mappings. Destroying it stops watching, and " +
			"deletes nothing.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The provider's id.",
				Computed:            true,
			},
			"provider_id": schema.StringAttribute{
				MarkdownDescription: "Id of the `aktrust_ci_oidc_provider`. Another one replaces this resource, which deletes nothing.",
				CustomType:          attribute.UUIDType{},
				Required:            true,
				Validators:          []validator.String{attribute.ValidUUID()},
				PlanModifiers: []planmodifier.String{
					attribute.KeepEqualString(), // First, so that another case of the letters replaces nothing.
					stringplanmodifier.RequiresReplace(),
				},
			},
			"mapping_ids": schema.SetAttribute{
				MarkdownDescription: "Ids of all mappings that may be there. With `[]` none may, and nobody gets in by this provider.",
				ElementType:         attribute.UUIDType{},
				Required:            true,
				Validators:          []validator.Set{attribute.ValidUUIDs()},
				PlanModifiers:       []planmodifier.Set{attribute.KeepEqualUUIDSet()},
			},
			"foreign_mappings": schema.ListAttribute{
				MarkdownDescription: "The mappings that are there and not in `mapping_ids`, each as `name: filters`, sorted. A plan that " +
					"takes one out of this list deletes it. A plan that creates the resource lists those that it deletes, and they stay " +
					"listed until the next refresh.",
				ElementType: types.StringType,
				Computed:    true,
			},
		},
	}
}
