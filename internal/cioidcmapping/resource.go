package cioidcmapping

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// Resource is aktrust_ci_oidc_mapping.
type Resource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
)

// NewResource gives the resource to the provider's list.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_mapping"
}

// Create makes the mapping and, by it, its account.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	in, diags := plan.toAPI(ctx, model{})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	var out artifactkeeper.Mapping
	if err == nil {
		r.beforeWrite(ctx, plan.ProviderID.ValueString())
		out, err = registry.CreateMapping(ctx, plan.ProviderID.ValueString(), in)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("create", plan.describe(), err))
		if !artifactkeeper.Remains(err) {
			return
		}
	}
	resp.Diagnostics.Append(plan.fromAPI(ctx, out)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Read takes over what the registry holds.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(connection.Identify(ctx, resp.Identity, state.identity())...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	if r.KeepUnread(err, resp) {
		return
	}
	var out artifactkeeper.Mapping
	if err == nil {
		out, err = registry.Mapping(ctx, state.ProviderID.ValueString(), state.ID.ValueString())
	}
	switch {
	case artifactkeeper.IsNotFound(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(diagnose.Error("read", state.describe(), err))
		return
	}
	before := state
	resp.Diagnostics.Append(state.fromAPI(ctx, out)...)
	if !reflect.DeepEqual(before, state) { // Setting what is there already takes a tenth of the time of a large refresh.
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// Update sends what the plan says; a list that is null now and was not is cleared.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	in, diags := plan.toAPI(ctx, prior)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	var out artifactkeeper.Mapping
	if err == nil {
		r.beforeWrite(ctx, prior.ProviderID.ValueString())
		out, err = registry.UpdateMapping(ctx, prior.ProviderID.ValueString(), prior.ID.ValueString(), in)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("update", plan.describe(), err))
		return
	}
	resp.Diagnostics.Append(plan.fromAPI(ctx, out)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Delete deletes the mapping; the registry deactivates its account.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	if err == nil {
		r.beforeWrite(ctx, state.ProviderID.ValueString())
		err = registry.DeleteMapping(ctx, state.ProviderID.ValueString(), state.ID.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("delete", state.describe(), err))
	}
}

// beforeWrite keeps what was there before this apply, by which aktrust_ci_oidc_mappings_exclusive tells what its plan could
// show. When that fails, so does the write, or there is no such resource.
func (r *Resource) beforeWrite(ctx context.Context, providerID string) {
	_, _ = r.MappingsAtStart(ctx, providerID)
}
