package attribute_test

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"testing/quick"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// object makes a value the way Terraform makes one of { name = value, ... }.
func object(members map[string]attr.Value) attr.Value {
	kinds := make(map[string]attr.Type, len(members))
	for name, member := range members {
		kinds[name] = member.Type(context.Background())
	}
	return types.ObjectValueMust(kinds, members)
}

// tuple makes a value the way Terraform makes one of [value, ...].
func tuple(elements ...attr.Value) attr.Value {
	kinds := make([]attr.Type, len(elements))
	for i, element := range elements {
		kinds[i] = element.Type(context.Background())
	}
	return types.TupleValueMust(kinds, elements)
}

// number reads a number the way Terraform does.
func number(t *testing.T, text string) attr.Value {
	t.Helper()
	value, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return types.NumberValue(value)
}

func filtersOf(value attr.Value) attribute.ClaimFilters {
	return attribute.ClaimFilters{DynamicValue: types.DynamicValue(value)}
}

func text(value string) attr.Value { return types.StringValue(value) }

func TestFilters(t *testing.T) {
	texts := []attr.Value{text("a"), text("b")}
	tests := map[string]struct {
		value attr.Value
		want  string
	}{
		"JSON text":       {text(`{"b":1.0,"a":["x"]}`), `{"a":["x"],"b":1.0}`},
		"empty object":    {object(nil), `{}`},
		"empty map":       {types.MapValueMust(types.StringType, nil), `{}`},
		"map of texts":    {types.MapValueMust(types.StringType, map[string]attr.Value{"/a": text("x")}), `{"/a":"x"}`},
		"scalars":         {object(map[string]attr.Value{"a": text("true"), "b": types.BoolValue(true), "c": number(t, "1")}), `{"a":"true","b":true,"c":1}`},
		"mixed list":      {object(map[string]attr.Value{"a": tuple(text("x"), number(t, "1"), types.DynamicNull())}), `{"a":["x",1,null]}`},
		"empty list":      {object(map[string]attr.Value{"a": tuple()}), `{"a":[]}`},
		"list":            {object(map[string]attr.Value{"a": types.ListValueMust(types.StringType, texts)}), `{"a":["a","b"]}`},
		"set":             {object(map[string]attr.Value{"a": types.SetValueMust(types.StringType, texts)}), `{"a":["a","b"]}`},
		"nested object":   {object(map[string]attr.Value{"a": object(map[string]attr.Value{"b": tuple(object(nil))})}), `{"a":{"b":[{}]}}`},
		"null":            {object(map[string]attr.Value{"a": types.DynamicNull()}), `{"a":null}`},
		"typed null":      {object(map[string]attr.Value{"a": types.StringNull(), "b": types.ListNull(types.StringType)}), `{"a":null,"b":null}`},
		"null in a map":   {types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringNull()}), `{"a":null}`},
		"decimal":         {object(map[string]attr.Value{"a": number(t, "0.1")}), `{"a":0.1}`},
		"whole decimal":   {object(map[string]attr.Value{"a": number(t, "1.0")}), `{"a":1}`},
		"negative":        {object(map[string]attr.Value{"a": number(t, "-12.50")}), `{"a":-12.5}`},
		"float64":         {object(map[string]attr.Value{"a": types.NumberValue(big.NewFloat(0.1))}), `{"a":0.1}`},
		"large integer":   {object(map[string]attr.Value{"a": number(t, "123456789012345678901234567890")}), `{"a":123456789012345678901234567890}`},
		"many digits":     {object(map[string]attr.Value{"a": number(t, "0.1234567890123456789012345678901234567890")}), `{"a":0.123456789012345678901234567890123456789}`},
		"exponent":        {object(map[string]attr.Value{"a": number(t, "1e22")}), `{"a":10000000000000000000000}`},
		"tiny":            {object(map[string]attr.Value{"a": number(t, "1e-400")}), `{"a":1e-400}`},
		"names with dots": {object(map[string]attr.Value{"kubernetes.io": object(map[string]attr.Value{"a b": text("")})}), `{"kubernetes.io":{"a b":""}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			value := filtersOf(test.value)
			got, err := value.Filters(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got.JSON() != test.want {
				t.Errorf("got %s, want %s", got.JSON(), test.want)
			}
			if !value.IsFullyKnown(ctx) || value.IsAbsent() {
				t.Error("taken for unknown or null")
			}
			again := roundTrip(t, value)
			if !again.Equal(value) {
				t.Errorf("%v came back as %v", value, again)
			}
		})
	}
}

// roundTrip takes a value to the protocol and back, as it goes into a plan and out of it.
func roundTrip(t *testing.T, value attribute.ClaimFilters) attribute.ClaimFilters {
	t.Helper()
	ctx := context.Background()
	raw, err := value.ToTerraformValue(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, raw)
	if err != nil {
		t.Fatal(err)
	}
	received, err := sent.Unmarshal(tftypes.DynamicPseudoType)
	if err != nil {
		t.Fatal(err)
	}
	read, err := attribute.ClaimFiltersType{}.ValueFromTerraform(ctx, received)
	if err != nil {
		t.Fatal(err)
	}
	return read.(attribute.ClaimFilters)
}

func TestFiltersRefuses(t *testing.T) {
	unknown := object(map[string]attr.Value{"a": tuple(text("x"), types.StringUnknown())})
	tests := map[string]struct {
		value attribute.ClaimFilters
		want  string
	}{
		"null":           {attribute.NewClaimFiltersNull(), "are null"},
		"typed null":     {filtersOf(types.StringNull()), "are null"},
		"unknown":        {attribute.NewClaimFiltersUnknown(), "not known yet"},
		"unknown text":   {filtersOf(types.StringUnknown()), "not known yet"},
		"unknown inside": {filtersOf(unknown), "not known yet"},
		"list":           {filtersOf(tuple(text("a"))), "this is an array"},
		"boolean":        {filtersOf(types.BoolValue(true)), "this is a boolean"},
		"plain text":     {filtersOf(text("sub")), "not valid JSON"},
		"empty text":     {filtersOf(text("")), "the text is empty"},
		"JSON list":      {filtersOf(text("[]")), "this is an array"},
		"pointer":        {filtersOf(object(map[string]attr.Value{"/a~2": text("x")})), `claim filter "/a~2" is not a JSON Pointer`},
		"pointer, JSON":  {attribute.NewClaimFiltersText(`{"/a~2":1}`), `claim filter "/a~2" is not a JSON Pointer`},
		"duplicate":      {attribute.NewClaimFiltersText(`{"a":1,"a":2}`), `duplicate member "a"`},
		"out of range":   {filtersOf(object(map[string]attr.Value{"a": number(t, "1e1000000")})), "out of range"},
		"infinite":       {filtersOf(object(map[string]attr.Value{"a": tuple(types.NumberValue(new(big.Float).SetInf(true)))})), "infinite"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.value.Filters(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestFiltersKnown(t *testing.T) {
	ctx := context.Background()
	tests := map[string]struct {
		value         attribute.ClaimFilters
		known, absent bool
	}{
		"zero":           {attribute.ClaimFilters{}, true, true},
		"null":           {attribute.NewClaimFiltersNull(), true, true},
		"typed null":     {filtersOf(types.MapNull(types.StringType)), true, true},
		"unknown":        {attribute.NewClaimFiltersUnknown(), false, false},
		"typed unknown":  {filtersOf(types.StringUnknown()), false, false},
		"unknown member": {filtersOf(object(map[string]attr.Value{"a": types.DynamicUnknown()})), false, false},
		"unknown deeper": {filtersOf(object(map[string]attr.Value{"a": object(map[string]attr.Value{"b": types.StringUnknown()})})), false, false},
		"unknown list":   {filtersOf(object(map[string]attr.Value{"a": types.ListUnknown(types.StringType)})), false, false},
		"object":         {filtersOf(object(map[string]attr.Value{"a": text("x")})), true, false},
		"null member":    {filtersOf(object(map[string]attr.Value{"a": types.DynamicNull()})), true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			value := roundTrip(t, test.value)
			if value.IsFullyKnown(ctx) != test.known || value.IsAbsent() != test.absent {
				t.Errorf("got known %v, absent %v", value.IsFullyKnown(ctx), value.IsAbsent())
			}
			if value.IsUnknown() && !value.Equal(test.value) {
				t.Errorf("%v came back as %v", test.value, value)
			}
		})
	}
}

func TestNewClaimFiltersValue(t *testing.T) {
	tests := map[string]struct {
		json string
		want attr.Value
	}{
		"empty":          {`{}`, object(map[string]attr.Value{})},
		"scalars":        {`{"a":"x","b":true,"c":1}`, object(map[string]attr.Value{"a": text("x"), "b": types.BoolValue(true), "c": number(t, "1")})},
		"list":           {`{"/a":["x","y"]}`, object(map[string]attr.Value{"/a": tuple(text("x"), text("y"))})},
		"mixed list":     {`{"a":["x",1,null]}`, object(map[string]attr.Value{"a": tuple(text("x"), number(t, "1"), types.DynamicNull())})},
		"null":           {`{"a":null}`, object(map[string]attr.Value{"a": types.DynamicNull()})},
		"nested":         {`{"a":{"b":[[]]}}`, object(map[string]attr.Value{"a": object(map[string]attr.Value{"b": tuple(tuple())})})},
		"decimal":        {`{"a":0.1}`, object(map[string]attr.Value{"a": number(t, "0.1")})},
		"large":          {`{"a":18446744073709551615}`, object(map[string]attr.Value{"a": number(t, "18446744073709551615")})},
		"whole decimal":  {`{"a":1.0}`, text(`{"a":1.0}`)},
		"whole, deeper":  {`{"b":"x","a":[{"c":-0}]}`, text(`{"a":[{"c":-0}],"b":"x"}`)},
		"one with zeros": {`{"a":1.50}`, object(map[string]attr.Value{"a": number(t, "1.5")})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			filters, err := claims.Parse(test.json)
			if err != nil {
				t.Fatal(err)
			}
			got := attribute.NewClaimFiltersValue(ctx, filters)
			if !got.Equal(filtersOf(test.want)) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			back, err := roundTrip(t, got).Filters(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !back.Equal(filters) {
				t.Errorf("%s came back as %s", filters.JSON(), back.JSON())
			}
		})
	}
}

// What the registry holds is shown whatever it is, and never refused: a state has to be readable.
func TestNewClaimFiltersValueOfBadPointer(t *testing.T) {
	var filters claims.Filters
	if err := filters.UnmarshalJSON([]byte(`{"/a~2":1}`)); err != nil {
		t.Fatal(err)
	}
	value := roundTrip(t, attribute.NewClaimFiltersValue(context.Background(), filters))
	same, diags := value.DynamicSemanticEquals(context.Background(), attribute.NewClaimFiltersText(` {"/a~2" : 1}`))
	if !same || diags.HasError() {
		t.Errorf("got %v, %v", same, diags)
	}
}

func TestMeaningOfFilters(t *testing.T) {
	list := func(texts ...string) attr.Value {
		elements := make([]attr.Value, len(texts))
		for i := range texts {
			elements[i] = text(texts[i])
		}
		return types.ListValueMust(types.StringType, elements)
	}
	unknown := filtersOf(object(map[string]attr.Value{"a": types.StringUnknown()}))
	tests := map[string]struct {
		a, b attribute.ClaimFilters
		want bool
	}{
		"object and text":   {filtersOf(object(map[string]attr.Value{"b": types.BoolValue(true), "a": tuple(text("x"))})), attribute.NewClaimFiltersText(`{"a":["x"],"b":true}`), true},
		"object and map":    {filtersOf(object(map[string]attr.Value{"a": text("x")})), filtersOf(types.MapValueMust(types.StringType, map[string]attr.Value{"a": text("x")})), true},
		"tuple and list":    {filtersOf(object(map[string]attr.Value{"a": tuple(text("x"), text("y"))})), filtersOf(object(map[string]attr.Value{"a": list("y", "x")})), true},
		"two texts":         {attribute.NewClaimFiltersText(`{"a":1,"b":2}`), attribute.NewClaimFiltersText("{\n\"b\": 2, \"a\": 1}"), true},
		"null of two types": {filtersOf(object(map[string]attr.Value{"a": types.StringNull()})), attribute.NewClaimFiltersText(`{"a":null}`), true},
		"number and text":   {filtersOf(object(map[string]attr.Value{"a": number(t, "1")})), attribute.NewClaimFiltersText(`{"a":"1"}`), false},
		"1 and 1.0":         {filtersOf(object(map[string]attr.Value{"a": number(t, "1.0")})), attribute.NewClaimFiltersText(`{"a":1.0}`), false},
		"other value":       {attribute.NewClaimFiltersText(`{"a":1}`), attribute.NewClaimFiltersText(`{"a":2}`), false},
		"unknown":           {unknown, unknown, false},
		"no filters":        {filtersOf(text("x")), filtersOf(text("y")), false},
		"no filters, twice": {filtersOf(text("x")), filtersOf(text("x")), true},
		"null":              {attribute.NewClaimFiltersNull(), attribute.NewClaimFiltersText("{}"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, pair := range [][2]attribute.ClaimFilters{{test.a, test.b}, {test.b, test.a}} {
				got, diags := pair[0].DynamicSemanticEquals(context.Background(), pair[1])
				if got != test.want || diags.HasError() {
					t.Errorf("%v and %v: got %v, %v", pair[0], pair[1], got, diags)
				}
			}
		})
	}
}

func TestClaimFiltersTypeConverts(t *testing.T) {
	ctx := context.Background()
	typ := attribute.ClaimFiltersType{}
	plain := types.DynamicValue(text("{}"))
	wrapped, diags := typ.ValueFromDynamic(ctx, plain)
	if diags.HasError() || !wrapped.Equal(attribute.NewClaimFiltersText("{}")) {
		t.Errorf("got %v, %v", wrapped, diags)
	}
	if wrapped.Equal(plain) || !wrapped.Type(ctx).Equal(typ) || !typ.ValueType(ctx).Type(ctx).Equal(typ) {
		t.Error("the type got lost")
	}
	var _ basetypes.DynamicTypable = typ
	known := tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	if value, err := typ.ValueFromTerraform(ctx, known); err != nil || !value.IsNull() {
		t.Errorf("got %v, %v", value, err)
	}
}

// Any filters survive the way into a state and back.
func TestFiltersSurviveTheState(t *testing.T) {
	property := func(names []string, numbers []float64, truth bool) bool {
		members := map[string]any{"numbers": numbers, "names": names, "truth": []any{truth, nil}}
		for i, name := range names {
			members["x"+name] = map[string]any{name: i}
		}
		filters, err := claims.FromValue(members)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		back, err := roundTrip(t, attribute.NewClaimFiltersValue(ctx, filters)).Filters(ctx)
		return err == nil && back.Equal(filters)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}
