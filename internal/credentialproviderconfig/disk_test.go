package credentialproviderconfig

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

// denied is a system on which files can be neither read, made nor removed.
type denied struct{ file.OS }

func (denied) ReadFile(name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func (denied) CreateTemp(directory, _ string) (file.Temporary, error) {
	return nil, &fs.PathError{Op: "open", Path: directory, Err: fs.ErrPermission}
}

func (denied) User() string { return `user "tester" (1000)` }

// fixture is a resource on a system, and its schemas.
type fixture struct {
	*Resource
	schema   resource.SchemaResponse
	identity resource.IdentitySchemaResponse
}

func newFixture(ctx context.Context, system file.System) fixture {
	f := fixture{Resource: &Resource{disk: file.NewDisk(system)}}
	f.Schema(ctx, resource.SchemaRequest{}, &f.schema)
	f.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &f.identity)
	return f
}

func (f fixture) state(ctx context.Context) tfsdk.State {
	return tfsdk.State{Schema: f.schema.Schema, Raw: tftypes.NewValue(f.schema.Schema.Type().TerraformType(ctx), nil)}
}

func (f fixture) noIdentity(ctx context.Context) *tfsdk.ResourceIdentity {
	return &tfsdk.ResourceIdentity{
		Schema: f.identity.IdentitySchema, Raw: tftypes.NewValue(f.identity.IdentitySchema.Type().TerraformType(ctx), nil),
	}
}

// planned is a plan of a sound file at a path.
func planned(t *testing.T, at string) model {
	t.Helper()
	m := model{
		Path: pathValue{StringValue: types.StringValue(at)}, Providers: listOf(t, sound()), APIVersion: types.StringValue(kubeletconfig.FileV1),
		Manage: types.StringValue(manageFile), FilePermission: newPermission("0644"), DirectoryPermission: newPermission("0755"),
	}
	m.derive()
	if diags := m.fill(t.Context(), model{}, ""); diags.HasError() {
		t.Fatal(diags)
	}
	return m
}

func TestWhatTheDiskDeniesIsNamed(t *testing.T) {
	ctx := t.Context()
	at := filepath.Join(t.TempDir(), "config.yaml")
	f := newFixture(ctx, denied{})
	m := planned(t, at)
	plan, state := tfsdk.Plan(f.state(ctx)), f.state(ctx)
	if err := errors.Join(asError(plan.Set(ctx, m)), asError(state.Set(ctx, m))); err != nil {
		t.Fatal(err)
	}

	created := resource.CreateResponse{State: f.state(ctx)}
	f.Create(ctx, resource.CreateRequest{Plan: plan}, &created)
	expectError(t, created.Diagnostics.Errors(), "Cannot create the credential provider config "+at,
		"Cannot create a file in directory "+filepath.Dir(at)+` as user "tester" (1000): permission denied.`)
	if !created.State.Raw.IsNull() {
		t.Error("a file that could not be made is in the state")
	}

	if err := os.WriteFile(at, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	denial := "Cannot read " + at + ` as user "tester" (1000): permission denied.`
	readBack := resource.ReadResponse{State: state, Identity: f.noIdentity(ctx)}
	f.Read(ctx, resource.ReadRequest{State: state}, &readBack)
	expectError(t, readBack.Diagnostics.Errors(), "Cannot read the credential provider config "+at, denial)
	if readBack.State.Raw.IsNull() {
		t.Error("a file that cannot be read was taken for gone")
	}
	updated := resource.UpdateResponse{State: state}
	f.Update(ctx, resource.UpdateRequest{Plan: plan, State: state}, &updated)
	expectError(t, updated.Diagnostics.Errors(), "Cannot update the credential provider config "+at, denial)
	deleted := resource.DeleteResponse{State: state}
	f.Delete(ctx, resource.DeleteRequest{State: state}, &deleted)
	expectError(t, deleted.Diagnostics.Errors(), "Cannot delete the credential provider config "+at, denial)
}

func TestImportTakesTheIdentity(t *testing.T) {
	ctx := t.Context()
	at := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(at, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(ctx, file.OS{})
	given := f.noIdentity(ctx)
	if err := asError(given.SetAttribute(ctx, path.Root("path"), at)); err != nil {
		t.Fatal(err)
	}
	resp := resource.ImportStateResponse{State: f.state(ctx), Identity: f.noIdentity(ctx)}
	f.ImportState(ctx, resource.ImportStateRequest{Identity: given}, &resp)
	if err := asError(resp.Diagnostics); err != nil {
		t.Fatal(err)
	}
	var got pathValue
	var identity types.String
	if err := errors.Join(asError(resp.State.GetAttribute(ctx, path.Root("path"), &got)),
		asError(resp.Identity.GetAttribute(ctx, path.Root("path"), &identity))); err != nil {
		t.Fatal(err)
	}
	if got.ValueString() != at || identity.ValueString() != at {
		t.Errorf("the state has %s, the identity %s", got, identity)
	}
}

// readOnly is a system with directories in which nothing can be made.
type readOnly struct{ denied }

func (readOnly) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// A directory that cannot be written to is named, and the file of others in it stays as it is.
func TestEntriesInAReadOnlyDirectory(t *testing.T) {
	ctx := t.Context()
	at := filepath.Join(t.TempDir(), "config.yaml")
	theirs := sound()
	theirs.Name = "theirs"
	before, err := render(kubeletconfig.Config{APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{theirs}}, at)
	if err == nil {
		err = os.WriteFile(at, []byte(before), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(ctx, readOnly{})
	m := planned(t, at)
	m.Manage = types.StringValue(manageEntries)
	plan, state := tfsdk.Plan(f.state(ctx)), f.state(ctx)
	if err := asError(plan.Set(ctx, m)); err != nil {
		t.Fatal(err)
	}
	created := resource.CreateResponse{State: state}
	f.Create(ctx, resource.CreateRequest{Plan: plan}, &created)
	expectError(t, created.Diagnostics.Errors(), "Cannot create the credential provider config "+at,
		"Cannot create a file in directory "+filepath.Dir(at)+` as user "tester" (1000): permission denied.`)
	after, err := os.ReadFile(at)
	if err != nil || string(after) != before || !created.State.Raw.IsNull() {
		t.Errorf("%v, the file holds\n%s\nthe state is %s", err, after, created.State.Raw)
	}
}

func asError(diags diag.Diagnostics) error {
	for _, d := range diags.Errors() {
		return errors.New(d.Summary() + ": " + d.Detail())
	}
	return nil
}

func expectError(t *testing.T, errs diag.Diagnostics, summary, detail string) {
	t.Helper()
	if len(errs) != 1 || errs[0].Summary() != summary || !strings.Contains(errs[0].Detail(), detail) {
		t.Errorf("got %v\nwant %s: %s", errs, summary, detail)
	}
}
