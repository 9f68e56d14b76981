package cioidcmapping

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// ModifyPlan warns of what a change may not be meant to do. The CLI plans again during apply, so that what is unknown now
// is warned of then.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.warnings(ctx, prior, r.typeOf(ctx, plan))...)
}

// warnings lists what a change from prior to m is worth a warning for. prior is the zero model for a create, and
// providerType is empty while it is not known.
func (m model) warnings(ctx context.Context, prior model, providerType string) diag.Diagnostics {
	var w diag.Diagnostics
	if filters, known := m.filters(ctx); known {
		for _, warning := range filters.Warnings() {
			w.AddAttributeWarning(path.Root("claim_filters"), "Claim filters to look at", warning.Text)
		}
	}
	if providerType == artifactkeeper.TypeKubernetes && m.GroupBindingIDs.IsNull() {
		w.AddAttributeWarning(path.Root("group_binding_ids"), "The mapping grants nothing",
			"Without group_binding_ids a token of this mapping authenticates, and may read only what its account is granted elsewhere: "+
				"by rules for the account itself, or by a group that somebody else puts it in. allowed_repo_ids is a ceiling and grants "+
				"nothing. Give the groups, for example [data.aktrust_group.NAME.id].")
	}
	if m.IsEnabled.ValueBool() && isEmpty(m.AllowedRepoIDs) {
		w.AddAttributeWarning(path.Root("allowed_repo_ids"), "Every repository is denied",
			"allowed_repo_ids is an empty set, and the ceiling holds whatever is granted: tokens of this mapping pull nothing at all. "+
				"Leave it out for no ceiling, or say is_enabled = false to shut the mapping.")
	}
	if !prior.ID.IsNull() && !m.ProviderID.Equal(prior.ProviderID) {
		w.AddAttributeWarning(path.Root("provider_id"), "The account is replaced with the mapping",
			"The account "+prior.ServiceAccountUsername.ValueString()+" goes with the old mapping, and so do the rules that were "+
				"granted to it directly. The new mapping has a new account, which must be granted them again.")
	}
	return w
}

// isEmpty reports whether a set is known to be empty, which is not the same as none.
func isEmpty(set types.Set) bool {
	return !set.IsNull() && !set.IsUnknown() && len(set.Elements()) == 0
}

// typeOf gives the type of the mapping's provider, or nothing when it cannot be told: it decides about a warning only,
// and the write or the refresh reports what is wrong.
func (r *Resource) typeOf(ctx context.Context, m model) string {
	if m.ProviderID.IsUnknown() {
		return ""
	}
	registry, err := r.Registry()
	if err != nil {
		return ""
	}
	found, err := registry.Provider(ctx, m.ProviderID.ValueString())
	if err != nil {
		return ""
	}
	return found.ProviderType
}
