package credentialproviderconfig

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// The types below are those of attributes that are Required in an element of a list. Where an element is unknown as a
// whole, such as what a function makes of unknown arguments, the framework (1.19) still looks at its attributes, finds
// no value on the way to them, and asks their types what to make of that: the zero tftypes.Value. The types of the
// framework make null of it, and the argument would be reported as missing. It is as unknown as its element. An argument
// that is left out or null comes as a null of its type, and is missing.
//
// The values are those of the types within.
type (
	elementText     struct{ basetypes.StringType }
	elementTexts    struct{ basetypes.ListType }
	elementDuration struct{ attribute.DurationType }
)

var (
	_ basetypes.StringTypable = elementText{}
	_ basetypes.ListTypable   = elementTexts{}
	_ basetypes.StringTypable = elementDuration{}
)

// isNowhere reports whether there is no value at all.
func isNowhere(in tftypes.Value) bool { return in.Type() == nil }

// ValueFromTerraform wraps a value of the protocol.
func (t elementText) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if isNowhere(in) {
		return types.StringUnknown(), nil
	}
	return t.StringType.ValueFromTerraform(ctx, in)
}

// Equal tells whether o is the same type, or the one whose values it has.
func (t elementText) Equal(o attr.Type) bool {
	if other, ok := o.(elementText); ok {
		o = other.StringType
	}
	return t.StringType.Equal(o)
}

// ValueFromTerraform wraps a value of the protocol.
func (t elementTexts) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if isNowhere(in) {
		return types.ListUnknown(t.ElemType), nil
	}
	return t.ListType.ValueFromTerraform(ctx, in)
}

// Equal tells whether o is the same type, or the one whose values it has.
func (t elementTexts) Equal(o attr.Type) bool {
	if other, ok := o.(elementTexts); ok {
		o = other.ListType
	}
	return t.ListType.Equal(o)
}

// ValueFromTerraform wraps a value of the protocol.
func (t elementDuration) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if isNowhere(in) {
		return attribute.NewDurationUnknown(), nil
	}
	return t.DurationType.ValueFromTerraform(ctx, in)
}

// Equal tells whether o is the same type, or the one whose values it has.
func (t elementDuration) Equal(o attr.Type) bool {
	if other, ok := o.(elementDuration); ok {
		o = other.DurationType
	}
	return t.DurationType.Equal(o)
}
