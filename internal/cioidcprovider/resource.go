package cioidcprovider

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// Resource is aktrust_ci_oidc_provider.
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
	resp.TypeName = req.ProviderTypeName + "_ci_oidc_provider"
}

// Create makes the provider, unless the registry already has an enabled one of its issuer and audience.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("create", plan.describe(), err))
		return
	}
	out, err := registry.CreateProvider(ctx, plan.toAPI(model{}))
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("create", plan.describe(), err))
		if !artifactkeeper.Remains(err) {
			return
		}
	}
	plan.fromAPI(out)
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
	var out artifactkeeper.Provider
	if err == nil {
		out, err = registry.Provider(ctx, state.ID.ValueString())
	}
	switch {
	case artifactkeeper.IsNotFound(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(diagnose.Error("read", state.describe(), err))
		return
	}
	state.fromAPI(out)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update sends what the plan says.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	var out artifactkeeper.Provider
	if err == nil {
		out, err = registry.UpdateProvider(ctx, prior.ID.ValueString(), plan.toAPI(prior))
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("update", plan.describe(), err))
		return
	}
	plan.fromAPI(out)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Delete deletes the provider, and with it its mappings.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	registry, err := r.Registry()
	if err == nil {
		err = registry.DeleteProvider(ctx, state.ID.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("delete", state.describe(), err))
	}
}

// ImportState takes an id, or name:NAME when exactly one provider has that name, or the identity.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := req.ID
	if id == "" && req.Identity != nil {
		var given types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &given)...)
		id = given.ValueString()
	}
	registry, err := r.Registry() // Without it the refresh that follows would take over an object unseen.
	if name, byName := strings.CutPrefix(id, "name:"); err == nil && byName {
		var found artifactkeeper.Provider
		found, err = registry.ProviderByName(ctx, name)
		id = found.ID
	}
	if err == nil && uuid.Validate(id) != nil {
		err = fmt.Errorf("%q is not an id: give the provider's UUID, or name:NAME when one provider has that name", id)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("import", "the CI OIDC provider", err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), artifactkeeper.CanonicalID(id))...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), artifactkeeper.CanonicalID(id))...)
}
