package nodeaudience

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// Resource is aktrust_node_audience.
type Resource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource gives the resource to the provider's list.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_node_audience"
}

// Create makes role and bindings, unless somebody else's are there. When it gets half way, what is there goes into the
// state, so that it is not lost.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	applied, diags := r.apply(ctx, plan, nil, "create")
	resp.Diagnostics.Append(diags...)
	if !applied {
		return
	}
	if diags.HasError() {
		plan = r.reread(ctx, plan)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Read takes over what is there.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(connection.Identify(ctx, resp.Identity, state.identity())...)
	client, err := r.Cluster()
	if r.KeepUnread(err, resp) {
		return
	}
	var last *domain.Grant
	if !state.Audience.IsNull() { // it is null right after an import
		grant, diags := state.toGrant(ctx)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		last = &grant
	}
	var found *domain.Finding
	if err == nil {
		found, err = domain.Read(ctx, client, state.Name.ValueString(), last)
	}
	switch {
	case err != nil:
		resp.Diagnostics.Append(diagnose.Error("read", state.describe(), err))
		return
	case found == nil:
		resp.State.RemoveResource(ctx)
		return
	}
	state.fromFinding(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update makes role and bindings what the plan says, and deletes the bindings that it does not name any more.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	last, diags := prior.toGrant(ctx)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	_, diags = r.apply(ctx, plan, &last, "update")
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Delete deletes what is ours of role and bindings.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	grant, diags := state.toGrant(ctx)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	client, err := r.Cluster()
	if err == nil {
		err = domain.Delete(ctx, client, grant.Name, grant.Namespaces)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("delete", state.describe(), err))
	}
}

// ImportState takes a ClusterRole's name, or the identity.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	name := types.StringValue(req.ID)
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("name"), &name)...)
	}
	client, err := r.Cluster() // Without it the refresh that follows would leave a state without an audience.
	if err == nil {
		err = domain.Misnamed(ctx, client, name.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("import", "a node audience", err))
		return
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("name"), path.Root("name"), req, resp)
}

// apply brings the plan about and reports whether the ClusterRole is ours now. last is what was there before.
func (r *Resource) apply(ctx context.Context, plan model, last *domain.Grant, action string) (bool, diag.Diagnostics) {
	want, diags := plan.toGrant(ctx)
	if diags.HasError() {
		return false, diags
	}
	client, err := r.Cluster()
	applied := false
	if err == nil {
		applied, err = domain.Apply(ctx, client, want, domain.Options{Last: last, Force: plan.ForceConflicts.ValueBool()})
	}
	if err != nil {
		diags.Append(failure(action, plan, err))
	}
	return applied, diags
}

// reread gives what is there after an apply that failed half way; the plan, when that cannot be learned.
func (r *Resource) reread(ctx context.Context, plan model) model {
	want, diags := plan.toGrant(ctx)
	client, err := r.Cluster()
	if err != nil || diags.HasError() {
		return plan
	}
	if found, err := domain.Read(ctx, client, want.Name, &want); err == nil && found != nil {
		plan.fromFinding(found)
	}
	return plan
}

// failure is the diagnostic of an apply. It has the command that takes over a ClusterRole that is somebody's.
func failure(action string, plan model, err error) diag.Diagnostic {
	diagnostic := diagnose.Error(action, plan.describe(), err)
	var foreign *domain.ForeignError
	if !errors.As(err, &foreign) || !foreign.Importable {
		return diagnostic
	}
	return diag.NewErrorDiagnostic(diagnostic.Summary(), fmt.Sprintf("%s The command is, with the address of this resource:\n\n"+
		"  tofu import aktrust_node_audience.NAME %s\n\n(terraform import, with Terraform). Look at the next plan before applying it.",
		diagnostic.Detail(), plan.Name.ValueString()))
}
