package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// defaultPriority is the registry's.
const defaultPriority = 100

// mapping is an element of the argument.
type mapping struct {
	name     string
	filters  claims.Filters
	priority int64
	enabled  bool
}

// mappingMembers are the members that a mapping may have: those that count, and what else the resource and the registry's API
// call so. Another name is a slip, such as "enabled", that would make the answer a wrong one.
var mappingMembers = []string{
	"name", "claim_filters", "priority", "is_enabled", "id", "provider_id", "allowed_repo_ids", "group_binding_ids",
	"service_account_id", "service_account_username", "created_at", "updated_at",
}

// readMappings reads the list. The error is about the first element that cannot be used.
func readMappings(ctx context.Context, argument types.Dynamic) ([]mapping, error) {
	var elements []attr.Value
	switch list := argument.UnderlyingValue().(type) {
	case types.List:
		elements = list.Elements()
	case types.Tuple:
		elements = list.Elements()
	case types.Set:
		return nil, errors.New("have to be a list, because of equal priorities the earlier one wins, and a set has no order")
	default:
		return nil, fmt.Errorf("have to be a list of objects, but their type is %s", typeName(ctx, argument))
	}
	out := make([]mapping, len(elements))
	for i, element := range elements {
		var err error
		if out[i], err = readMapping(ctx, element); err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return out, nil
}

func readMapping(ctx context.Context, element attr.Value) (mapping, error) {
	var members map[string]attr.Value
	switch object := known(element).(type) {
	case nil:
		return mapping{}, errors.New("is null")
	case types.Object:
		members = object.Attributes()
	case types.Map:
		members = object.Elements()
	default:
		return mapping{}, fmt.Errorf("has to be an object such as { name = \"team\", claim_filters = { sub = \"x\" } }, but its type is %s",
			typeName(ctx, element))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(mappingMembers, name) {
			return mapping{}, fmt.Errorf("a mapping has no %q; it has %s", name, strings.Join(mappingMembers, ", "))
		}
	}
	m := mapping{priority: defaultPriority, enabled: true}
	for _, read := range []struct {
		name     string
		required bool
		from     func(value attr.Value) error
	}{
		{"name", true, func(v attr.Value) error { return m.readName(ctx, v) }},
		{"claim_filters", true, func(v attr.Value) error { return m.readFilters(ctx, v) }},
		{"priority", false, func(v attr.Value) error { return m.readPriority(ctx, v) }},
		{"is_enabled", false, func(v attr.Value) error { return m.readEnabled(ctx, v) }},
	} {
		value := known(members[read.name])
		switch {
		case value == nil && read.required:
			return mapping{}, fmt.Errorf("%s is missing or null", read.name)
		case value == nil:
			continue
		}
		if err := read.from(value); err != nil {
			return mapping{}, fmt.Errorf("%s %w", read.name, err)
		}
	}
	return m, nil
}

// known takes the value out of a dynamic one; nil stands for what is null or not there.
func known(value attr.Value) attr.Value {
	if dynamic, ok := value.(types.Dynamic); ok {
		value = dynamic.UnderlyingValue()
	}
	if value == nil || value.IsNull() {
		return nil
	}
	return value
}

func (m *mapping) readName(ctx context.Context, value attr.Value) error {
	text, ok := value.(types.String)
	if !ok {
		return fmt.Errorf("has to be a string, but its type is %s", typeName(ctx, value))
	}
	m.name = text.ValueString()
	return nil
}

func (m *mapping) readFilters(ctx context.Context, value attr.Value) (err error) {
	m.filters, err = attribute.ClaimFilters{DynamicValue: types.DynamicValue(value)}.Filters(ctx)
	if err != nil {
		return fmt.Errorf("are refused: %w", err)
	}
	return nil
}

// readPriority takes what the registry does, an integer of 32 bits.
func (m *mapping) readPriority(ctx context.Context, value attr.Value) error {
	number, ok := value.(types.Number)
	if !ok {
		return fmt.Errorf("has to be a number, but its type is %s", typeName(ctx, value))
	}
	priority, accuracy := number.ValueBigFloat().Int64()
	if accuracy != big.Exact || priority < math.MinInt32 || priority > math.MaxInt32 {
		return fmt.Errorf("is %s, and has to be a whole number between %d and %d", number, math.MinInt32, math.MaxInt32)
	}
	m.priority = priority
	return nil
}

func (m *mapping) readEnabled(ctx context.Context, value attr.Value) error {
	enabled, ok := value.(types.Bool)
	if !ok {
		return fmt.Errorf("has to be a bool, but its type is %s", typeName(ctx, value))
	}
	m.enabled = enabled.ValueBool()
	return nil
}
