package attribute_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

const (
	keyA    = `{"kty":"EC","kid":"a","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`
	keyB    = `{"kid":"b","kty":"RSA","n":"zw","e":"AQAB"}`
	keys    = `{"keys":[` + keyA + `,` + keyB + `]}`
	swapped = `{ "keys": [ ` + keyB + `, ` + keyA + ` ] }`
	lower   = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	upper   = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
	other   = "00000000-4f89-41d3-9a0c-0305e82c3301"
)

func TestMeaningOfTexts(t *testing.T) {
	tests := map[string]struct {
		a, b basetypes.StringValuableWithSemanticEquals
		want bool
	}{
		"key order":            {attribute.NewKeySetValue(keys), attribute.NewKeySetValue(swapped), true},
		"other keys":           {attribute.NewKeySetValue(keys), attribute.NewKeySetValue(`{"keys":[` + keyA + `]}`), false},
		"no key sets, alike":   {attribute.NewKeySetValue("x"), attribute.NewKeySetValue("x"), true},
		"no key sets":          {attribute.NewKeySetValue("{}"), attribute.NewKeySetValue("{ }"), false},
		"key set and other":    {attribute.NewKeySetValue(keys), attribute.NewKeySetValue("x"), false},
		"12h":                  {attribute.NewDurationValue("12h"), attribute.NewDurationValue("12h0m0s"), true},
		"90s":                  {attribute.NewDurationValue("90s"), attribute.NewDurationValue("1.5m"), true},
		"zero":                 {attribute.NewDurationValue("0"), attribute.NewDurationValue("0s"), true},
		"other duration":       {attribute.NewDurationValue("1h"), attribute.NewDurationValue("1m"), false},
		"no durations, alike":  {attribute.NewDurationValue("x"), attribute.NewDurationValue("x"), true},
		"no durations":         {attribute.NewDurationValue("x"), attribute.NewDurationValue("y"), false},
		"duration and other":   {attribute.NewDurationValue("1h"), attribute.NewDurationValue("x"), false},
		"case of a UUID":       {attribute.NewUUIDValue(upper), attribute.NewUUIDValue(lower), true},
		"UUID without hyphens": {attribute.NewUUIDValue("3f2504e04f8941d39a0c0305e82c3301"), attribute.NewUUIDValue(lower), true},
		"UUID in braces":       {attribute.NewUUIDValue("{" + upper + "}"), attribute.NewUUIDValue(lower), true},
		"UUID as URN":          {attribute.NewUUIDValue("urn:uuid:" + upper), attribute.NewUUIDValue(lower), true},
		"UUID in wrong braces": {attribute.NewUUIDValue("x" + lower + "y"), attribute.NewUUIDValue(lower), false},
		"other UUID":           {attribute.NewUUIDValue(lower), attribute.NewUUIDValue(other), false},
		"no UUIDs, alike":      {attribute.NewUUIDValue("x"), attribute.NewUUIDValue("x"), true},
		"no UUIDs, by case":    {attribute.NewUUIDValue("X"), attribute.NewUUIDValue("x"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, pair := range [][2]basetypes.StringValuableWithSemanticEquals{{test.a, test.b}, {test.b, test.a}} {
				got, diags := pair[0].StringSemanticEquals(context.Background(), pair[1])
				if diags.HasError() {
					t.Fatal(diags)
				}
				if got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
			if test.a.Equal(test.b) != (test.a.String() == test.b.String()) {
				t.Error("Equal does not go by the letter")
			}
		})
	}
}

// The framework takes values apart and puts them together again; type and state must come through.
func TestTextRoundTrip(t *testing.T) {
	ctx := context.Background()
	tests := map[string]struct {
		typ   basetypes.StringTypable
		value attr.Value
	}{
		"key set":          {attribute.KeySetType{}, attribute.NewKeySetValue(keys)},
		"key set, null":    {attribute.KeySetType{}, attribute.NewKeySetNull()},
		"key set, unknown": {attribute.KeySetType{}, attribute.NewKeySetUnknown()},
		"zero key set":     {attribute.KeySetType{}, attribute.KeySet{}},
		"duration":         {attribute.DurationType{}, attribute.NewDurationValue("1h")},
		"null duration":    {attribute.DurationType{}, attribute.NewDurationNull()},
		"unknown duration": {attribute.DurationType{}, attribute.NewDurationUnknown()},
		"UUID":             {attribute.UUIDType{}, attribute.NewUUIDValue(lower)},
		"null UUID":        {attribute.UUIDType{}, attribute.NewUUIDNull()},
		"unknown UUID":     {attribute.UUIDType{}, attribute.NewUUIDUnknown()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			raw, err := test.value.ToTerraformValue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			read, err := test.typ.ValueFromTerraform(ctx, raw)
			if err != nil {
				t.Fatal(err)
			}
			plain, diags := test.value.(basetypes.StringValuable).ToStringValue(ctx)
			wrapped, more := test.typ.ValueFromString(ctx, plain)
			if diags.HasError() || more.HasError() {
				t.Fatal(diags, more)
			}
			for _, got := range []attr.Value{read, wrapped} {
				if !got.Equal(test.value) || !got.Type(ctx).Equal(test.typ) {
					t.Errorf("got %v of %v, want %v of %v", got, got.Type(ctx), test.value, test.typ)
				}
			}
			if !test.typ.ValueType(ctx).Type(ctx).Equal(test.typ) {
				t.Errorf("value type %T", test.typ.ValueType(ctx))
			}
		})
	}
}

func TestTypesAreApart(t *testing.T) {
	all := map[string]attr.Type{
		"attribute.KeySetType": attribute.KeySetType{}, "attribute.DurationType": attribute.DurationType{},
		"attribute.UUIDType": attribute.UUIDType{}, "attribute.ClaimFiltersType": attribute.ClaimFiltersType{},
		"basetypes.StringType": types.StringType, "basetypes.DynamicType": types.DynamicType,
	}
	for a, left := range all {
		if left.String() != a {
			t.Errorf("%s is named %s", a, left)
		}
		for b, right := range all {
			if left.Equal(right) != (a == b) {
				t.Errorf("%s and %s: %v", a, b, left.Equal(right))
			}
		}
	}
	if attribute.NewKeySetValue("x").Equal(types.StringValue("x")) {
		t.Error("a key set equals a plain string")
	}
}

func TestTextRefusesOtherTypes(t *testing.T) {
	number := tftypes.NewValue(tftypes.Number, 1)
	if _, err := (attribute.UUIDType{}).ValueFromTerraform(context.Background(), number); err == nil {
		t.Error("a number was taken for a text")
	}
}
