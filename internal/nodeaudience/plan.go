package nodeaudience

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// ValidateConfig takes note of the audience; the validators of the attributes check all the rest.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.ExpectAudiences(config.end(false))
}

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
	changes := !resp.Plan.Raw.Equal(req.State.Raw)
	resp.Diagnostics.Append(r.CompareAudiences(plan.end(changes), path.Root("audience"))...)
	if resp.Diagnostics.HasError() || !changes {
		return
	}
	resp.Diagnostics.Append(plan.warnings(ctx)...)
	resp.Diagnostics.Append(r.warnOfIssuer(plan)...)
}

// warnOfIssuer warns of the cluster's issuer as audience, which the API server accepts unless it is told otherwise. An audience
// that cannot be an issuer is none, so that the cluster is asked for the few that can.
func (r *Resource) warnOfIssuer(plan model) diag.Diagnostics {
	var diags diag.Diagnostics
	audience := plan.Audience.ValueString() // empty before it is known
	if issuer.Invalid(audience) != "" || cluster.IsAPIServerAudience(audience) || r.ClusterIssuer() != audience {
		return diags
	}
	diags.AddAttributeWarning(path.Root("audience"), "An audience of the API server",
		fmt.Sprintf("%q is the issuer of the cluster's tokens, which its API server accepts as audience unless --api-audiences says "+
			"otherwise. A token for it opens the API server as the pod's ServiceAccount, whoever holds it, and nodes could ask for it on "+
			"behalf of every pod. Choose an audience that only the registry takes.", audience))
	return diags
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
	grant := domain.Grant{Audience: m.Audience.ValueString()}
	var diags diag.Diagnostics
	for _, set := range []struct {
		from types.Set
		to   *[]string
	}{{m.Namespaces, &grant.Namespaces}, {m.ServiceAccountNames, &grant.ServiceAccountNames}, {m.Groups, &grant.Groups}} {
		known, more := knownOf(ctx, set.from)
		*set.to = known
		diags.Append(more...)
	}
	for _, warning := range grant.Warnings() {
		diags.AddAttributeWarning(path.Root(warning.Field), warning.Summary, warning.Text)
	}
	return diags
}

// end is what nodes may request: nothing where nobody is granted anything. An audience that is not known yet is empty.
func (m model) end(changes bool) audience.End {
	end := audience.End{Kind: audience.Nodes, Name: m.describe(), Changes: changes}
	if !isEmpty(m.Groups) && !isEmpty(m.Namespaces) {
		end.Audiences = []string{m.Audience.ValueString()}
	}
	return end
}

// isEmpty reports whether a set is known to be empty, which is not the same as none.
func isEmpty(set types.Set) bool {
	return !set.IsNull() && !set.IsUnknown() && len(set.Elements()) == 0
}

// knownOf gives the elements of a set that are known yet. It is nil when none is, which is not an empty set.
func knownOf(ctx context.Context, set types.Set) ([]string, diag.Diagnostics) {
	if set.IsNull() || set.IsUnknown() {
		return nil, nil
	}
	var elements []types.String
	diags := set.ElementsAs(ctx, &elements, false)
	var known []string
	for _, element := range elements {
		if !element.IsUnknown() {
			known = append(known, element.ValueString())
		}
	}
	if len(elements) == 0 {
		known = []string{}
	}
	return known, diags
}
