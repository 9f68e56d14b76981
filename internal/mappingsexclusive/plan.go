package mappingsexclusive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// ModifyPlan plans foreign_mappings and warns.
//
// What an apply may delete has to be what its plan showed, and the CLI plans again during apply. For an object that is in
// the state, the refresh has put what is foreign into the state and its ids into the private state, both of which the apply
// gets unchanged: the plan empties the list, and what stood in it goes. Of an object that is not there yet nothing but the
// planned values gets into the apply, where the CLI compares them with those planned again. So a new one plans the list of
// what it deletes, and never an unknown list: if the second list is another one, the CLI refuses the apply.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	isNew := req.State.Raw.IsNull()
	if !isNew {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var goes []foreign
	var diags diag.Diagnostics
	plan.ID, plan.ForeignMappings = plan.ownID(), texts(nil)
	if isNew {
		goes, diags = r.atCreation(ctx, plan)
		plan.ForeignMappings = texts(goes)
	} else {
		goes, diags = remembered(ctx, req.Private)
	}
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	// What is replaced is planned again as a new one, with its warnings.
	replaced := !isNew && !plan.ProviderID.Equal(prior.ProviderID)
	if resp.Diagnostics.HasError() || replaced || resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	own, known := attribute.UUIDs(plan.MappingIDs)
	if known {
		goes = without(goes, own)
	}
	resp.Diagnostics.Append(warnings(plan, prior, goes, r.missing(ctx, plan))...)
}

// atCreation gives the mappings that the creation of a resource deletes: those that are foreign, as far as a plan could know.
// A plan knows nothing while the provider, the set or the registry is unknown. In the apply they are all known; that the set
// was not while planning shows in a mapping that was not there when the apply began.
func (r *Resource) atCreation(ctx context.Context, plan model) ([]foreign, diag.Diagnostics) {
	own, known := attribute.UUIDs(plan.MappingIDs)
	if !known || plan.ProviderID.IsUnknown() {
		return nil, nil
	}
	all, err := r.MappingsAtStart(ctx, plan.ProviderID.ValueString())
	if _, unknown := errors.AsType[*connection.UnknownError](err); unknown {
		return nil, nil
	}
	if err != nil {
		return nil, diag.Diagnostics{diagnose.Error("read", plan.describe(), err)}
	}
	if len(absent(own, all)) > 0 {
		return nil, nil
	}
	return foreignOf(all, own), nil
}

// missing gives the ids of a plan that its provider has no mapping of. They decide about a warning only, so that what cannot be
// told is none.
func (r *Resource) missing(ctx context.Context, plan model) []string {
	own, known := attribute.UUIDs(plan.MappingIDs)
	registry, err := r.Registry()
	if !known || plan.ProviderID.IsUnknown() || err != nil {
		return nil
	}
	all, err := registry.Mappings(ctx, plan.ProviderID.ValueString())
	if err != nil {
		return nil
	}
	return absent(own, all)
}

// absent gives the canonical ids that no mapping has.
func absent(ids []string, all []artifactkeeper.Mapping) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(all, func(m artifactkeeper.Mapping) bool { return artifactkeeper.CanonicalID(m.ID) == id })
	})
}

// warnings lists what a change from prior to plan is worth a warning for. prior is the zero model for a create; goes are the
// mappings that the apply deletes, and missing the ids that lead to none.
func warnings(plan, prior model, goes []foreign, missing []string) diag.Diagnostics {
	var w diag.Diagnostics
	at := path.Root("mapping_ids")
	changed := !plan.MappingIDs.Equal(prior.MappingIDs)
	if own, known := attribute.UUIDs(plan.MappingIDs); changed && known && len(own) == 0 {
		w.AddAttributeWarning(at, "Nobody gets in by this provider", "mapping_ids is empty, so that every identity mapping of the "+
			"provider is foreign. Each is deleted by the apply of a plan that names it, and its account goes with it.")
	}
	if len(goes) > 0 {
		detail := fmt.Sprintf("The provider has identity mappings that are not in mapping_ids. The apply deletes them, and their "+
			"accounts go with them:%s\n\nTo keep one, add its id to mapping_ids.", lines(goes))
		if prior.ID.IsNull() {
			detail += " When a mapping is added or removed before the apply, the CLI stops it with \"inconsistent final plan\", and " +
				"nothing is deleted: plan again."
		}
		w.AddAttributeWarning(at, "Identity mappings are deleted", detail)
	}
	if changed && len(missing) > 0 {
		w.AddAttributeWarning(at, "Mappings that are not there", fmt.Sprintf("The provider has no identity mapping with the id %s. An id "+
			"of another provider's mapping keeps nothing here.", strings.Join(missing, ", ")))
	}
	return w
}

// privateKey is where the private state holds the foreign mappings that the last refresh found.
const privateKey = "foreign"

// private is the private state of a request.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// remembered gives what the last refresh found to be foreign: what a plan that empties the list takes out of it.
func remembered(ctx context.Context, state private) ([]foreign, diag.Diagnostics) {
	raw, diags := state.GetKey(ctx, privateKey)
	var found []foreign
	if len(raw) == 0 {
		return nil, diags
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		diags.AddError("Unreadable private state", "What the last refresh found cannot be read: "+err.Error()+". Refresh again.")
	}
	return found, diags
}

// remember gives what remembered reads.
func remember(found []foreign) []byte {
	raw, err := json.Marshal(found)
	if err != nil {
		panic(err) // Texts cannot fail.
	}
	return raw
}
