package attribute

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// The modifiers below plan the value of the state when the configured one means the same, so that a plan shows no
// change. Terraform accepts that: the planned value of an argument is either the configured or the prior one. Put them
// first, before one that compares the plan with the state, such as RequiresReplace.
//
// A null or unknown value, in whole or in part, is never equal to another one.

const keepEqual = "Keeps the value of the state when the configured one means the same."

// KeepEqualString is the modifier of a string attribute whose custom type compares by meaning.
func KeepEqualString() planmodifier.String { return keepEqualString{} }

type keepEqualString struct{}

func (keepEqualString) Description(context.Context) string         { return keepEqual }
func (keepEqualString) MarkdownDescription(context.Context) string { return keepEqual }

func (keepEqualString) PlanModifyString(ctx context.Context, req planmodifier.StringRequest,
	resp *planmodifier.StringResponse,
) {
	if !allKnown(req.PlanValue, req.StateValue) {
		return
	}
	typ, diags := typeAt[basetypes.StringTypable](ctx, req.Plan, req.Path)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		return
	}
	plan, diags := typ.ValueFromString(ctx, req.PlanValue)
	resp.Diagnostics.Append(diags...)
	state, diags := typ.ValueFromString(ctx, req.StateValue)
	resp.Diagnostics.Append(diags...)
	meant, ok := plan.(basetypes.StringValuableWithSemanticEquals)
	if !ok {
		resp.Diagnostics.Append(noMeaning(req.Path, typ))
		return
	}
	same, diags := meant.StringSemanticEquals(ctx, state)
	resp.Diagnostics.Append(diags...)
	if same {
		resp.PlanValue = req.StateValue
	}
}

// KeepEqualDynamic is the modifier of a dynamic attribute whose custom type compares by meaning.
func KeepEqualDynamic() planmodifier.Dynamic { return keepEqualDynamic{} }

type keepEqualDynamic struct{}

func (keepEqualDynamic) Description(context.Context) string         { return keepEqual }
func (keepEqualDynamic) MarkdownDescription(context.Context) string { return keepEqual }

func (keepEqualDynamic) PlanModifyDynamic(ctx context.Context, req planmodifier.DynamicRequest,
	resp *planmodifier.DynamicResponse,
) {
	if !allKnown(req.PlanValue, req.StateValue) {
		return
	}
	typ, diags := typeAt[basetypes.DynamicTypable](ctx, req.Plan, req.Path)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		return
	}
	plan, diags := typ.ValueFromDynamic(ctx, req.PlanValue)
	resp.Diagnostics.Append(diags...)
	state, diags := typ.ValueFromDynamic(ctx, req.StateValue)
	resp.Diagnostics.Append(diags...)
	meant, ok := plan.(basetypes.DynamicValuableWithSemanticEquals)
	if !ok {
		resp.Diagnostics.Append(noMeaning(req.Path, typ))
		return
	}
	same, diags := meant.DynamicSemanticEquals(ctx, state)
	resp.Diagnostics.Append(diags...)
	if same {
		resp.PlanValue = req.StateValue
	}
}

// KeepEqualUUIDSet is the modifier of a set attribute of UUIDType: sets of the same UUIDs are equal.
func KeepEqualUUIDSet() planmodifier.Set { return keepEqualUUIDSet{} }

type keepEqualUUIDSet struct{}

func (keepEqualUUIDSet) Description(context.Context) string         { return keepEqual }
func (keepEqualUUIDSet) MarkdownDescription(context.Context) string { return keepEqual }

func (keepEqualUUIDSet) PlanModifySet(_ context.Context, req planmodifier.SetRequest, resp *planmodifier.SetResponse) {
	if !allKnown(req.PlanValue, req.StateValue) {
		return
	}
	plan, known := UUIDs(req.PlanValue)
	if !known {
		return
	}
	if state, known := UUIDs(req.StateValue); known && slices.Equal(plan, state) {
		resp.PlanValue = req.StateValue
	}
}

// allKnown tells whether every value is there; it does not look into them.
func allKnown(values ...attr.Value) bool {
	for _, value := range values {
		if value.IsNull() || value.IsUnknown() {
			return false
		}
	}
	return true
}

// typeAt returns the custom type of the attribute, which the framework unwraps before it calls a modifier.
func typeAt[T attr.Type](ctx context.Context, plan tfsdk.Plan, at path.Path) (T, diag.Diagnostics) {
	var want T
	found, diags := plan.Schema.TypeAtPath(ctx, at)
	if diags.HasError() {
		return want, diags
	}
	typ, ok := found.(T)
	if !ok {
		diags.Append(noMeaning(at, found))
	}
	return typ, diags
}

func noMeaning(at path.Path, typ attr.Type) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, "Provider error",
		fmt.Sprintf("The values of type %s do not compare by meaning, but the attribute asks for it. Please report this to the"+
			" provider's developers.", typ))
}
