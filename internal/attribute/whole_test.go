package attribute_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

func TestWholeNumbers(t *testing.T) {
	number := func(text string) types.Number {
		n, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return types.NumberValue(n)
	}
	for name, test := range map[string]struct {
		value types.Number
		whole int64
		want  []string
	}{
		"null":             {types.NumberNull(), 0, nil},
		"unknown":          {types.NumberUnknown(), 0, nil},
		"zero":             {number("0"), 0, nil},
		"negative":         {number("-7"), -7, nil},
		"made":             {attribute.NewWholeValue(42), 42, nil},
		"with a point":     {number("7.0"), 7, nil},
		"the least":        {number("-2147483648"), math.MinInt32, nil},
		"the most":         {number("2147483647"), math.MaxInt32, nil},
		"a fraction":       {number("1.5"), 0, []string{"x has to be a whole number from -2147483648 to 2147483647, and is 1.5."}},
		"a small fraction": {number("1e-30"), 0, []string{"and is 1e-30."}},
		"too little":       {number("-2147483649"), 0, []string{"and is -2147483649."}},
		"too much":         {number("2147483648"), 0, []string{"and is 2147483648."}},
		"far too much":     {number("1e40"), 0, []string{"and is 1e+40."}},
	} {
		t.Run(name, func(t *testing.T) {
			var resp validator.NumberResponse
			attribute.ValidWhole(math.MinInt32, math.MaxInt32).ValidateNumber(t.Context(),
				validator.NumberRequest{Path: at, ConfigValue: test.value}, &resp)
			expect(t, resp.Diagnostics, test.want...)
			if got := attribute.Whole(test.value); test.want == nil && got != test.whole {
				t.Errorf("got %d, want %d", got, test.whole)
			}
		})
	}
}
