package attribute

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The framework's types of integers cannot hold a number with a fraction, or one that is too large, and report it as a fault
// of the provider before any validator is asked. An attribute for whole numbers is therefore a NumberAttribute with ValidWhole.

// NewWholeValue creates a known whole number.
func NewWholeValue(n int64) types.Number { return types.NumberValue(new(big.Float).SetInt64(n)) }

// Whole gives a number that ValidWhole has passed; 0 for null and unknown.
func Whole(number types.Number) int64 {
	if number.IsNull() || number.IsUnknown() {
		return 0
	}
	n, _ := number.ValueBigFloat().Int64()
	return n
}

// ValidWhole refuses a number that has a fraction, is less than least or more than most.
func ValidWhole(least, most int64) validator.Number { return wholeValidator{least, most} }

type wholeValidator struct{ least, most int64 }

func (v wholeValidator) Description(context.Context) string {
	return fmt.Sprintf("has to be a whole number from %d to %d", v.least, v.most)
}

func (v wholeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v wholeValidator) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	n := req.ConfigValue.ValueBigFloat()
	if n.IsInt() && n.Cmp(new(big.Float).SetInt64(v.least)) >= 0 && n.Cmp(new(big.Float).SetInt64(v.most)) <= 0 {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
		fmt.Sprintf("%s %s, and is %s.", req.Path, v.Description(ctx), n.Text('g', 20)))
}
