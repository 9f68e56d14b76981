package attribute

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// ClaimFiltersType is the type of claim filters: an object or a map of any values that JSON has, or JSON text of an
// object. Both forms, and all ways to write each, are equal when the filters mean the same.
type ClaimFiltersType struct{ basetypes.DynamicType }

// ClaimFilters is a value of ClaimFiltersType. Its zero value is null.
//
// An object may hold unknown values, so known is not the same as fully known; see IsFullyKnown.
type ClaimFilters struct{ basetypes.DynamicValue }

var (
	_ basetypes.DynamicTypable                    = ClaimFiltersType{}
	_ basetypes.DynamicValuableWithSemanticEquals = ClaimFilters{}
)

// Equal tells whether o is the same type.
func (t ClaimFiltersType) Equal(o attr.Type) bool {
	_, ok := o.(ClaimFiltersType)
	return ok
}

// String names the type.
func (t ClaimFiltersType) String() string { return "attribute.ClaimFiltersType" }

// ValueType returns the zero value of the type.
func (t ClaimFiltersType) ValueType(context.Context) attr.Value { return ClaimFilters{} }

// ValueFromDynamic wraps a plain dynamic value.
func (t ClaimFiltersType) ValueFromDynamic(_ context.Context, in basetypes.DynamicValue) (basetypes.DynamicValuable,
	diag.Diagnostics,
) {
	return ClaimFilters{DynamicValue: in}, nil
}

// ValueFromTerraform wraps a value of the protocol.
func (t ClaimFiltersType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.DynamicType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	plain, ok := value.(basetypes.DynamicValue)
	if !ok {
		return nil, fmt.Errorf("%s: unexpected value type %T", t, value)
	}
	return ClaimFilters{DynamicValue: plain}, nil
}

// NewClaimFiltersValue creates the value that a user would write for these filters: an object, in which every list is a
// tuple. Where an object cannot say the same, because a number such as 1.0 is no integer in JSON and one here, it is
// JSON text.
func NewClaimFiltersValue(ctx context.Context, filters claims.Filters) ClaimFilters {
	object, _ := fromJSON(filters.Value())
	value := ClaimFilters{DynamicValue: basetypes.NewDynamicValue(object)}
	if same, err := value.lenient(ctx); err == nil && same.Equal(filters) {
		return value
	}
	return NewClaimFiltersText(filters.JSON())
}

// NewClaimFiltersText creates a known value of JSON text.
func NewClaimFiltersText(text string) ClaimFilters {
	return ClaimFilters{DynamicValue: basetypes.NewDynamicValue(basetypes.NewStringValue(text))}
}

// NewClaimFiltersNull creates a null value.
func NewClaimFiltersNull() ClaimFilters {
	return ClaimFilters{DynamicValue: basetypes.NewDynamicNull()}
}

// NewClaimFiltersUnknown creates an unknown value.
func NewClaimFiltersUnknown() ClaimFilters {
	return ClaimFilters{DynamicValue: basetypes.NewDynamicUnknown()}
}

// Type returns the type of the value.
func (v ClaimFilters) Type(context.Context) attr.Type { return ClaimFiltersType{} }

// Equal tells whether o has the same value in the same form.
func (v ClaimFilters) Equal(o attr.Value) bool {
	other, ok := o.(ClaimFilters)
	return ok && v.DynamicValue.Equal(other.DynamicValue)
}

// DynamicSemanticEquals tells whether both values are filters that mean the same. Values that are not fully known
// are never equal, and what is no filters is equal to itself alone.
func (v ClaimFilters) DynamicSemanticEquals(ctx context.Context, o basetypes.DynamicValuable) (bool, diag.Diagnostics) {
	plain, diags := o.ToDynamicValue(ctx)
	if diags.HasError() {
		return false, diags
	}
	if v.DynamicValue.Equal(plain) && v.IsFullyKnown(ctx) {
		return true, diags // As in most reads and plans, which need not parse anything then.
	}
	left, err := v.lenient(ctx)
	if err != nil {
		return false, diags
	}
	right, err := ClaimFilters{DynamicValue: plain}.lenient(ctx)
	return err == nil && left.Equal(right), diags
}

// IsAbsent tells whether the value is null, with or without a type: null and tostring(null) are the same to a user.
func (v ClaimFilters) IsAbsent() bool { return v.IsNull() || v.IsUnderlyingValueNull() }

// IsFullyKnown tells whether nothing inside of the value is unknown. A null value is known.
func (v ClaimFilters) IsFullyKnown(ctx context.Context) bool {
	value, err := v.ToTerraformValue(ctx)
	return err == nil && value.IsFullyKnown()
}

// Filters returns what the value says, held against the registry's rules as by claims.Parse. It is an error to ask a
// value that is null or not fully known.
func (v ClaimFilters) Filters(ctx context.Context) (claims.Filters, error) {
	text, err := v.text(ctx)
	if err != nil {
		return claims.Filters{}, err
	}
	return claims.Parse(text)
}

// lenient reads what the registry may hold, too.
func (v ClaimFilters) lenient(ctx context.Context) (claims.Filters, error) {
	var filters claims.Filters
	text, err := v.text(ctx)
	if err == nil {
		err = filters.UnmarshalJSON([]byte(text))
	}
	return filters, err
}

func (v ClaimFilters) text(ctx context.Context) (string, error) {
	value, err := v.ToTerraformValue(ctx)
	switch {
	case err != nil:
		return "", err
	case !value.IsFullyKnown():
		return "", errors.New("claim filters are not known yet")
	case value.IsNull():
		return "", errors.New("claim filters are null")
	}
	return jsonText(value)
}

// jsonText returns filters as JSON text: a text is that already, anything else is written as JSON.
func jsonText(value tftypes.Value) (string, error) {
	decoded, err := toJSON(value)
	if err != nil {
		return "", err
	}
	if text, ok := decoded.(string); ok {
		return text, nil
	}
	return strictjson.Encode(decoded)
}
