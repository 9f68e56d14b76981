// Package credentialproviderconfig serves aktrust_credential_provider_config: the kubelet's file.
package credentialproviderconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

// Resource is aktrust_credential_provider_config. It talks to nobody and needs no connection; what it takes from the provider's
// data is what the other ends of its chain say.
type Resource struct {
	connection.Resource
	disk *file.Disk
}

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource gives the resource to the provider's list.
func NewResource() resource.Resource { return &Resource{disk: file.NewDisk(file.OS{})} }

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_credential_provider_config"
}

// Create writes the file where none is, or puts entries into the one that is there.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	permissions, diags := plan.settle(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	var known memory
	var err error
	if plan.managesEntries() {
		known, err = r.createEntries(ctx, &plan, permissions)
	} else {
		known, err = r.create(plan, permissions)
	}
	if err != nil {
		resp.Diagnostics.Append(plan.explain("create", err)...)
		return
	}
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// settle resolves at apply what the plan had to leave open, and looks at all of it once more.
func (m *model) settle(ctx context.Context) (file.Permissions, diag.Diagnostics) {
	diags := m.refusals(ctx)
	if m.Content.IsUnknown() && !m.managesEntries() {
		diags.Append(m.fill(ctx, model{}, "")...)
	}
	m.derive()
	permissions, more := m.permissions()
	return permissions, append(diags, more...)
}

// create writes the whole file. One that holds the very same already is taken over.
func (r *Resource) create(plan model, permissions file.Permissions) (memory, error) {
	content := []byte(plan.Content.ValueString())
	known := memory{Accepted: plan.ConfigHash.ValueString(), Created: true}
	err := r.disk.Create(plan.Path.ValueString(), content, permissions)
	if errors.Is(err, fs.ErrExist) {
		known.Created = false
		err = r.adopt(plan, content, permissions)
	}
	return known, err
}

// adopt takes over a file that holds what is to be written, and refuses any other.
func (r *Resource) adopt(plan model, content []byte, permissions file.Permissions) error {
	found, err := r.disk.Read(plan.Path.ValueString())
	if err != nil {
		return err
	}
	if !bytes.Equal(found.Content, content) {
		return &takenError{path: plan.Path.ValueString()}
	}
	if found.Mode == permissions.File {
		return nil
	}
	return r.disk.Replace(plan.Path.ValueString(), content, permissions)
}

// explain gives the diagnostics of what could not be done.
func (m model) explain(action string, err error) diag.Diagnostics {
	if changed, ok := errors.AsType[*file.ChangedError](err); ok {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Cannot "+action+" "+m.describe(),
			sentence(changed.Error())+" It was left as it is, so that nobody's work is lost.\n\n"+
				"Plan again to see what is in it now, and apply that plan; or remove the file by hand.")}
	}
	return m.explainEntries(action, err)
}

// takenError says that a file of someone else stands at the path.
type takenError struct{ path string }

func (e *takenError) Error() string {
	return fmt.Sprintf("%s is there already and holds something else; it was left as it is", e.path)
}

// Advice says what to do.
func (e *takenError) Advice() string {
	return fmt.Sprintf("To manage that file, import it, with an import block or with:\n"+
		"  import aktrust_credential_provider_config.NAME %q\n"+
		"The plan then shows what would change in it. Otherwise choose another path, or remove the file.", e.path)
}

// Read takes over what stands on the disk.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(connection.Identify(ctx, resp.Identity, state.identity())...)
	known, diags := recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := r.disk.Read(state.Path.ValueString())
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case gone && (known.Created || !state.managesEntries()):
		resp.State.RemoveResource(ctx)
		return
	case gone:
		resp.Diagnostics.Append(state.warnOfLoss(errGone)...)
		return
	case err != nil:
		resp.Diagnostics.Append(diagnose.Error("read", state.describe(), err))
		return
	}
	switch imported := state.ConfigHash.IsNull(); {
	case state.managesEntries():
		resp.Diagnostics.Append(state.takeEntries(ctx, found, known)...)
	case imported:
		resp.Diagnostics.Append(state.take(ctx, found)...)
		known.Accepted = state.ConfigHash.ValueString()
		resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	default:
		resp.Diagnostics.Append(state.take(ctx, found)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update writes the file unless it stands there as planned, so that a change of bin_dir alone does not touch it.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	known, diags := recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	permissions, diags := plan.settle(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	var err error
	if plan.managesEntries() {
		known, err = r.updateEntries(ctx, &plan, prior, known, permissions)
	} else {
		known.Accepted, known.Names = plan.ConfigHash.ValueString(), nil
		err = r.update(plan, permissions)
	}
	if err != nil {
		resp.Diagnostics.Append(plan.explain("update", err)...)
		return
	}
	resp.Diagnostics.Append(known.keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

func (r *Resource) update(plan model, permissions file.Permissions) error {
	content := []byte(plan.Content.ValueString())
	found, err := r.disk.Read(plan.Path.ValueString())
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && plan.holds(found.Content):
		if !file.HasPermissions || found.Mode == permissions.File {
			return nil
		}
		// The content in the state may lack bytes that are not Unicode.
		content = found.Content
	}
	return r.disk.Replace(plan.Path.ValueString(), content, permissions)
}

// holds reports whether these bytes are those that the model knows of.
func (m model) holds(content []byte) bool {
	return kubeletconfig.Hash(content) == m.ConfigHash.ValueString()
}

// Delete removes the file, or the entries in it, if it is as the state knows it, which is what the plan has shown.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	known, diags := recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	var err error
	if state.managesEntries() {
		err = r.deleteEntries(ctx, state, known)
	} else {
		err = r.disk.Remove(state.Path.ValueString(), state.holds)
	}
	if err != nil {
		resp.Diagnostics.Append(state.explain("delete", err)...)
	}
}

// ImportState takes the path of a file that is there, or the identity.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	at := req.ID
	if at == "" && req.Identity != nil {
		var given types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("path"), &given)...)
		at = given.ValueString()
	}
	if err := r.importable(at); err != nil {
		resp.Diagnostics.Append(err)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("path"), at)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("path"), at)...)
}

func (r *Resource) importable(at string) diag.Diagnostic {
	const object = "a credential provider config"
	if err := file.CheckPath(at); err != nil {
		return diagnose.Error("import", object, err)
	}
	if _, err := r.disk.Read(at); err != nil {
		return diagnose.Error("import", object, err)
	}
	return nil
}
