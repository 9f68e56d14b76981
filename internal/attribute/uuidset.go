package attribute

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// NewUUIDSetValue creates a set of UUIDType: null for nil, empty for a list without elements. A UUID that is in the list
// twice is in the set once.
func NewUUIDSetValue(ids []string) types.Set {
	if ids == nil {
		return types.SetNull(UUIDType{})
	}
	seen := make(map[string]bool, len(ids))
	elements := make([]attr.Value, 0, len(ids))
	for _, id := range ids {
		if canonical := artifactkeeper.CanonicalID(id); !seen[canonical] {
			seen[canonical] = true
			elements = append(elements, NewUUIDValue(id))
		}
	}
	return types.SetValueMust(UUIDType{}, elements)
}

// UUIDs returns the elements of a set of UUIDType in the form of artifactkeeper.CanonicalID, sorted and each once: nil for a null set,
// an empty list for an empty one. A set that is not fully known, or has a null in it, has no such list, and known is
// false.
func UUIDs(set types.Set) (ids []string, known bool) {
	if set.IsNull() {
		return nil, true
	}
	if set.IsUnknown() {
		return nil, false
	}
	ids = make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		if !allKnown(element) {
			return nil, false
		}
		ids = append(ids, artifactkeeper.CanonicalID(plain(element).ValueString()))
	}
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// plain returns the text of a set's element: a UUID, or a plain string where the framework has unwrapped it. Any other
// value has no text, and is null.
func plain(element attr.Value) basetypes.StringValue {
	switch element := element.(type) {
	case UUID:
		return element.StringValue
	case basetypes.StringValue:
		return element
	}
	return basetypes.NewStringNull()
}
