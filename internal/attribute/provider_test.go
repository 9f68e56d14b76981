package attribute_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// note is what the resource of the tests manages: a record on a server that writes everything in its own way.
type note struct {
	keys     *string
	filters  claims.Filters
	ids      []string
	duration *time.Duration
}

// server keeps notes and counts the writes.
type server struct {
	mu     sync.Mutex
	notes  map[string]note
	writes int
}

func (s *server) put(id string, n note) note {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.notes[id] = n
	return n
}

func (s *server) get(id string) note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notes[id]
}

func (s *server) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// meaning is a provider with that one resource, served to the CLI.
type meaning struct{ server *server }

func serve(s *server) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"meaning": providerserver.NewProtocol6WithError(meaning{s})}
}

func (meaning) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "meaning"
}
func (meaning) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (meaning) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (meaning) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (p meaning) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return noteResource(p) }}
}

type noteResource struct{ server *server }

type noteModel struct {
	Name     types.String           `tfsdk:"name"`
	Keys     attribute.KeySet       `tfsdk:"keys"`
	Filters  attribute.ClaimFilters `tfsdk:"filters"`
	IDs      types.Set              `tfsdk:"ids"`
	Duration attribute.Duration     `tfsdk:"duration"`
}

func (noteResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "meaning_note"
}

func (noteResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true},
		"keys": schema.StringAttribute{
			Optional: true, CustomType: attribute.KeySetType{},
			PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
			Validators:    []validator.String{attribute.ValidKeySet()},
		},
		"filters": schema.DynamicAttribute{
			Required: true, CustomType: attribute.ClaimFiltersType{},
			PlanModifiers: []planmodifier.Dynamic{attribute.KeepEqualDynamic()},
			Validators:    []validator.Dynamic{attribute.ValidClaimFilters()},
		},
		"ids": schema.SetAttribute{
			Optional: true, ElementType: attribute.UUIDType{},
			PlanModifiers: []planmodifier.Set{attribute.KeepEqualUUIDSet()},
			Validators:    []validator.Set{attribute.ValidUUIDs()},
		},
		"duration": schema.StringAttribute{
			Optional: true, CustomType: attribute.DurationType{},
			PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
		},
	}}
}

func (r noteResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	n, err := plan.note(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Invalid plan", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, answer(ctx, plan.Name, r.server.put(plan.Name.ValueString(), n)))...)
}

func (r noteResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	n, err := plan.note(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Invalid plan", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, answer(ctx, plan.Name, r.server.put(plan.Name.ValueString(), n)))...)
}

func (r noteResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, answer(ctx, state.Name, r.server.get(state.Name.ValueString())))...)
}

func (noteResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (noteResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// note is what goes to the server.
func (m noteModel) note(ctx context.Context) (note, error) {
	filters, err := m.Filters.Filters(ctx)
	if err != nil {
		return note{}, err
	}
	n := note{keys: m.Keys.ValueStringPointer(), filters: filters}
	n.ids, _ = attribute.UUIDs(m.IDs)
	if !m.Duration.IsNull() {
		length, err := time.ParseDuration(m.Duration.ValueString())
		if err != nil {
			return note{}, err
		}
		n.duration = &length
	}
	return n, nil
}

// answer is the note in the server's own words. The user's are nowhere looked at: keeping them is what is tested.
func answer(ctx context.Context, name types.String, n note) noteModel {
	m := noteModel{Name: name, Filters: attribute.NewClaimFiltersValue(ctx, n.filters), IDs: attribute.NewUUIDSetValue(n.ids)}
	if n.keys != nil {
		set, err := jwks.Parse(*n.keys)
		if err != nil {
			panic(err)
		}
		m.Keys = attribute.NewKeySetValue(set.Canonical())
	}
	if n.duration != nil {
		m.Duration = attribute.NewDurationValue(n.duration.String())
	}
	return m
}
