// Package attribute has attribute types that compare by what a value means, and what goes with them.
//
// A type of this package alone is not enough. The framework asks it on create, read and update, so that a value of the
// other side never replaces an equal one of the user; it does not ask while planning, and it has no place for checks of
// a configuration that do not also hold back a state. An attribute therefore takes three things:
//
//	"static_jwks": schema.StringAttribute{
//		CustomType:    attribute.KeySetType{},
//		PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
//		Validators:    []validator.String{attribute.ValidKeySet()},
//	}
//
// The types do not check their values themselves (xattr.ValidateableAttribute): that check would also meet what the
// other side holds, and an object that somebody else bent could then be neither read nor mended nor deleted.
package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Meaning is a kind of text. Its zero value has to be ready for use.
type Meaning interface {
	// Same tells whether two texts mean the same. A text that is not of the kind only means what it says.
	Same(a, b string) bool
	// Kind names the kind for the developer of a provider, for example "KeySet".
	Kind() string
}

// TextType is a string type whose values are equal when they mean the same. Use it by its names, such as KeySetType.
type TextType[M Meaning] struct{ basetypes.StringType }

// Text is a value of TextType. Its zero value is null.
type Text[M Meaning] struct{ basetypes.StringValue }

var (
	_ basetypes.StringTypable                    = KeySetType{}
	_ basetypes.StringValuableWithSemanticEquals = KeySet{}
)

// Equal tells whether o is the same type.
func (t TextType[M]) Equal(o attr.Type) bool {
	other, ok := o.(TextType[M])
	return ok && t.StringType.Equal(other.StringType)
}

// String names the type.
func (t TextType[M]) String() string {
	var m M
	return "attribute." + m.Kind() + "Type"
}

// ValueType returns the zero value of the type.
func (t TextType[M]) ValueType(context.Context) attr.Value { return Text[M]{} }

// ValueFromString wraps a plain string value.
func (t TextType[M]) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable,
	diag.Diagnostics,
) {
	return Text[M]{StringValue: in}, nil
}

// ValueFromTerraform wraps a value of the protocol.
func (t TextType[M]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	plain, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("%s: unexpected value type %T", t, value)
	}
	return Text[M]{StringValue: plain}, nil
}

// Type returns the type of the value.
func (v Text[M]) Type(context.Context) attr.Type { return TextType[M]{} }

// Equal tells whether o is of the same type and has the same text, letter by letter.
func (v Text[M]) Equal(o attr.Value) bool {
	other, ok := o.(Text[M])
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals tells whether both values mean the same. The framework asks for known values only.
func (v Text[M]) StringSemanticEquals(ctx context.Context, o basetypes.StringValuable) (bool, diag.Diagnostics) {
	other, diags := o.ToStringValue(ctx)
	if diags.HasError() {
		return false, diags
	}
	var m M
	return m.Same(v.ValueString(), other.ValueString()), diags
}
