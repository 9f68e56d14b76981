package cioidcmapping

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

type model struct {
	ID                     types.String           `tfsdk:"id"`
	ProviderID             attribute.UUID         `tfsdk:"provider_id"`
	Name                   types.String           `tfsdk:"name"`
	ClaimFilters           attribute.ClaimFilters `tfsdk:"claim_filters"`
	Priority               types.Number           `tfsdk:"priority"`
	AllowedRepoIDs         types.Set              `tfsdk:"allowed_repo_ids"`
	GroupBindingIDs        types.Set              `tfsdk:"group_binding_ids"`
	IsEnabled              types.Bool             `tfsdk:"is_enabled"`
	ServiceAccountID       types.String           `tfsdk:"service_account_id"`
	ServiceAccountUsername types.String           `tfsdk:"service_account_username"`
}

// identity is what identifies the object.
type identity struct {
	ProviderID types.String `tfsdk:"provider_id"`
	ID         types.String `tfsdk:"id"`
}

func (m model) identity() identity {
	return identity{ProviderID: types.StringValue(artifactkeeper.CanonicalID(m.ProviderID.ValueString())), ID: m.ID}
}

// describe names the object in an error.
func (m model) describe() string {
	if m.Name.ValueString() == "" {
		return "the identity mapping " + m.ID.ValueString()
	}
	return "the identity mapping " + strconv.Quote(m.Name.ValueString())
}

// filters gives the claim filters, unless a part of them is not known yet or cannot be one.
func (m model) filters(ctx context.Context) (claims.Filters, bool) {
	if m.ClaimFilters.IsAbsent() || !m.ClaimFilters.IsFullyKnown(ctx) {
		return claims.Filters{}, false
	}
	filters, err := m.ClaimFilters.Filters(ctx)
	return filters, err == nil
}

// toAPI gives the request that turns prior into m; prior is the zero model for a create.
func (m model) toAPI(ctx context.Context, prior model) (artifactkeeper.MappingInput, diag.Diagnostics) {
	var diags diag.Diagnostics
	in := artifactkeeper.MappingInput{
		Name:            m.Name.ValueString(),
		Priority:        int32(attribute.Whole(m.Priority)), // #nosec G115 -- the schema has seen to it.
		IsEnabled:       m.IsEnabled.ValueBool(),
		AllowedRepoIDs:  list("allowed_repo_ids", m.AllowedRepoIDs, prior.AllowedRepoIDs, &diags),
		GroupBindingIDs: list("group_binding_ids", m.GroupBindingIDs, prior.GroupBindingIDs, &diags),
	}
	filters, err := m.ClaimFilters.Filters(ctx)
	if err != nil {
		diags.AddAttributeError(path.Root("claim_filters"), "Invalid claim filters",
			fmt.Sprintf("Nothing was sent for %s: %s.", m.describe(), err))
		return in, diags
	}
	in.ClaimFilters = json.RawMessage(filters.JSON())
	return in, diags
}

// list says what to send of a list: null after a list is said, null after null is not.
func list(name string, plan, prior types.Set, diags *diag.Diagnostics) artifactkeeper.IDList {
	ids, known := attribute.UUIDs(plan)
	switch {
	case !known:
		diags.AddAttributeError(path.Root(name), "Invalid set", "An element of "+name+" turned out null during apply. "+
			"Nothing was sent, because the set would not be the one that is meant.")
		return artifactkeeper.IDList{}
	case ids != nil:
		return artifactkeeper.IDs(ids...)
	case !prior.IsNull():
		return artifactkeeper.Cleared()
	}
	return artifactkeeper.IDList{}
}

// fromAPI takes over what was read. What means the same as what m holds keeps its form.
func (m *model) fromAPI(ctx context.Context, out artifactkeeper.Mapping) diag.Diagnostics {
	var diags diag.Diagnostics
	m.ID = types.StringValue(out.ID)
	m.Name = types.StringValue(out.Name)
	m.Priority = attribute.NewWholeValue(int64(out.Priority))
	m.IsEnabled = types.BoolValue(out.IsEnabled)
	m.ServiceAccountID = types.StringPointerValue(out.ServiceAccountID)
	m.ServiceAccountUsername = types.StringPointerValue(out.ServiceAccountUsername)
	if artifactkeeper.CanonicalID(m.ProviderID.ValueString()) != artifactkeeper.CanonicalID(out.ProviderID) {
		m.ProviderID = attribute.NewUUIDValue(out.ProviderID)
	}
	m.AllowedRepoIDs = readList(m.AllowedRepoIDs, out.AllowedRepoIDs)
	m.GroupBindingIDs = readList(m.GroupBindingIDs, out.GroupBindingIDs)

	var filters claims.Filters
	if err := filters.UnmarshalJSON(out.ClaimFilters); err != nil {
		diags.AddAttributeError(path.Root("claim_filters"), "Unreadable claim filters",
			fmt.Sprintf("The registry's filters of %s cannot be read: %s.", m.describe(), err))
		return diags
	}
	if was, known := m.filters(ctx); !known || !was.Equal(filters) {
		m.ClaimFilters = attribute.NewClaimFiltersValue(ctx, filters)
	}
	return diags
}

// readList gives the set that the registry holds: prior where it has the same elements.
func readList(prior types.Set, raw *[]string) types.Set {
	if raw == nil {
		return types.SetNull(attribute.UUIDType{})
	}
	read := attribute.NewUUIDSetValue(append([]string{}, *raw...))
	was, _ := attribute.UUIDs(prior)
	if now, _ := attribute.UUIDs(read); was != nil && slices.Equal(was, now) {
		return prior
	}
	return read
}
