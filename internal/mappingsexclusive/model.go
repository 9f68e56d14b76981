package mappingsexclusive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

type model struct {
	ID              types.String   `tfsdk:"id"`
	ProviderID      attribute.UUID `tfsdk:"provider_id"`
	MappingIDs      types.Set      `tfsdk:"mapping_ids"`
	ForeignMappings types.List     `tfsdk:"foreign_mappings"`
}

// describe names the object in an error.
func (m model) describe() string {
	return "the identity mappings of the CI OIDC provider " + m.ProviderID.ValueString()
}

// ownID is the id of the resource, which follows from the provider's.
func (m model) ownID() types.String {
	if m.ProviderID.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(artifactkeeper.CanonicalID(m.ProviderID.ValueString()))
}

// fromAPI takes over what was read, and gives what is foreign in it. Right after an import, every mapping is one's own.
func (m *model) fromAPI(all []artifactkeeper.Mapping) []foreign {
	if m.MappingIDs.IsNull() {
		ids := make([]string, len(all))
		for i, mapping := range all {
			ids[i] = mapping.ID
		}
		m.MappingIDs = attribute.NewUUIDSetValue(ids)
	}
	own, _ := attribute.UUIDs(m.MappingIDs)
	found := foreignOf(all, own)
	m.ID = m.ownID()
	m.ForeignMappings = texts(found)
	return found
}

// foreign is a mapping that is not in mapping_ids, as a plan shows it. The private state holds it as JSON.
type foreign struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// foreignOf gives the mappings that are not among own, which are canonical ids, sorted by text.
func foreignOf(all []artifactkeeper.Mapping, own []string) []foreign {
	found := []foreign{}
	for _, mapping := range all {
		if id := artifactkeeper.CanonicalID(mapping.ID); !slices.Contains(own, id) {
			found = append(found, foreign{ID: id, Text: text(mapping)})
		}
	}
	slices.SortFunc(found, func(a, b foreign) int { return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID)) })
	return found
}

// text shows whom a mapping lets in.
func text(mapping artifactkeeper.Mapping) string {
	var filters claims.Filters
	shown := fmt.Sprintf("filters that cannot be read, %s", mapping.ClaimFilters)
	if err := filters.UnmarshalJSON(mapping.ClaimFilters); err == nil {
		shown = filters.Describe()
	}
	if !mapping.IsEnabled {
		shown += " (disabled)"
	}
	return mapping.Name + ": " + shown
}

// texts is the value of foreign_mappings.
func texts(found []foreign) types.List {
	values := make([]attr.Value, len(found))
	for i, f := range found {
		values[i] = types.StringValue(f.Text)
	}
	return types.ListValueMust(types.StringType, values)
}

// without leaves out those that are among own.
func without(found []foreign, own []string) []foreign {
	return slices.DeleteFunc(slices.Clone(found), func(f foreign) bool { return slices.Contains(own, f.ID) })
}

// lines is a list for a diagnostic.
func lines(found []foreign) string {
	var out strings.Builder
	for _, f := range found {
		fmt.Fprintf(&out, "\n  - %s (%s)", f.Text, f.ID)
	}
	return out.String()
}
