package mappingsexclusive

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// Resource is aktrust_ci_oidc_mappings_exclusive.
type Resource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
)

// NewResource gives the resource to the provider's list.
func NewResource() resource.Resource { return &Resource{} }

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_mappings_exclusive"
}

// Create begins to watch, and deletes what the plan listed. When it gets half way there is no resource yet, and the next plan
// lists the rest.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	listed, diags := r.atCreation(ctx, plan)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.remove(ctx, plan, model{}, listed)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, remember([]foreign{}))...)
}

// Read looks for what is foreign. Which mappings are one's own is not the registry's to say.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	if r.KeepUnread(err, resp) {
		return
	}
	var all []artifactkeeper.Mapping
	if err == nil {
		all, err = registry.Mappings(ctx, state.ProviderID.ValueString())
	}
	switch {
	case artifactkeeper.IsNotFound(err): // The provider is gone, and every mapping with it.
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(diagnose.Error("read", state.describe(), err))
		return
	}
	before := state
	found := remember(state.fromAPI(all))
	known, diags := req.Private.GetKey(ctx, privateKey)
	resp.Diagnostics.Append(diags...)
	if !bytes.Equal(found, known) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, found)...)
	}
	if !reflect.DeepEqual(before, state) {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// Update deletes what the plan took out of foreign_mappings.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	listed, diags := remembered(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.remove(ctx, plan, prior, listed)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateKey, remember([]foreign{}))...)
}

// Delete stops watching.
func (r *Resource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// ImportState takes the id of a provider; the refresh that follows takes every mapping that it has for one's own.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	_, err := r.Registry() // Without it the refresh that follows would not look.
	if err == nil && uuid.Validate(req.ID) != nil {
		err = fmt.Errorf("%q is not an id: give the UUID of the CI OIDC provider", req.ID)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("import", "the identity mappings of a CI OIDC provider", err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provider_id"), artifactkeeper.CanonicalID(req.ID))...)
}

// remove deletes the mappings that a plan listed, unless they turned out to be one's own, were changed since, or are gone.
// What is left and foreign is told; the next plan lists it.
func (r *Resource) remove(ctx context.Context, plan, prior model, listed []foreign) diag.Diagnostics {
	own, _ := attribute.UUIDs(plan.MappingIDs)
	listed = without(listed, own)
	registry, err := r.Registry()
	var all []artifactkeeper.Mapping
	if err == nil {
		all, err = registry.Mappings(ctx, plan.ProviderID.ValueString())
	}
	if err != nil {
		return diag.Diagnostics{diagnose.Error("read", plan.describe(), err)}
	}
	for _, f := range foreignOf(all, own) {
		if !slices.Contains(listed, f) {
			continue
		}
		if err := registry.DeleteMapping(ctx, plan.ProviderID.ValueString(), f.ID); err != nil {
			return diag.Diagnostics{diagnose.Error("delete", "the identity mapping "+f.Text+" ("+f.ID+")", err)}
		}
		own = append(own, f.ID)
	}
	// What just left mapping_ids is its own resource's to delete, perhaps at this moment.
	left, _ := attribute.UUIDs(prior.MappingIDs)
	var diags diag.Diagnostics
	if rest := without(foreignOf(all, own), left); len(rest) > 0 {
		diags.AddWarning("Identity mappings that are not in mapping_ids", fmt.Sprintf("They were not in the plan as they are now, so "+
			"that they are still there. The next plan names them:%s", lines(rest)))
	}
	return diags
}
