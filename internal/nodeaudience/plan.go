package nodeaudience

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// ModifyPlan works out the name, plans a replacement where it changes, and warns. Whether it changes shows here only: an
// attribute's own plan modifier would see it unknown whenever anything else changes. The CLI plans again during apply,
// so that what is unknown now is warned of then.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var config, plan, prior model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Name = plannedName(config)
	plan.ID = plan.Name
	if !req.State.Raw.IsNull() && !plan.Name.Equal(prior.Name) {
		resp.RequiresReplace.Append(path.Root("name"))
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	if resp.Diagnostics.HasError() || resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(plan.warnings(ctx)...)
}

// plannedName is the name that is written, or the one that follows from the audience.
func plannedName(config model) types.String {
	switch {
	case !config.Name.IsNull():
		return config.Name
	case config.Audience.IsUnknown():
		return types.StringUnknown()
	}
	return types.StringValue(domain.DefaultName(config.Audience.ValueString()))
}

// warnings lists what is worth a warning, of what is known.
func (m model) warnings(ctx context.Context) diag.Diagnostics {
	var names []types.String
	diags := m.ServiceAccountNames.ElementsAs(ctx, &names, false)
	if m.ServiceAccountNames.IsUnknown() || m.ServiceAccountNames.IsNull() {
		names, diags = nil, nil
	}
	grant := domain.Grant{Audience: m.Audience.ValueString()}
	for _, name := range names {
		if !name.IsUnknown() {
			grant.ServiceAccountNames = append(grant.ServiceAccountNames, name.ValueString())
		}
	}
	for _, warning := range grant.Warnings() {
		diags.AddAttributeWarning(path.Root(warning.Field), warning.Summary, warning.Text)
	}
	return diags
}
