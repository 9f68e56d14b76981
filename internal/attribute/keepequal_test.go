package attribute_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// plan has an attribute of each type; the modifiers look only at its schema.
var plan = tfsdk.Plan{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
	"keys":     schema.StringAttribute{Optional: true, CustomType: attribute.KeySetType{}},
	"id":       schema.StringAttribute{Optional: true, CustomType: attribute.UUIDType{}},
	"filters":  schema.DynamicAttribute{Optional: true, CustomType: attribute.ClaimFiltersType{}},
	"plain":    schema.StringAttribute{Optional: true},
	"untyped":  schema.DynamicAttribute{Optional: true},
	"children": schema.ListNestedAttribute{Optional: true, NestedObject: child},
}}}

var child = schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
	"duration": schema.StringAttribute{Optional: true, CustomType: attribute.DurationType{}},
}}

func TestKeepEqualString(t *testing.T) {
	known, null, unknown := types.StringValue, types.StringNull(), types.StringUnknown()
	tests := map[string]struct {
		at                path.Path
		state, plan, want types.String
	}{
		"key order":       {path.Root("keys"), known(keys), known(swapped), known(keys)},
		"other keys":      {path.Root("keys"), known(keys), known(`{"keys":[` + keyB + `]}`), known(`{"keys":[` + keyB + `]}`)},
		"same text":       {path.Root("keys"), known(keys), known(keys), known(keys)},
		"no key set":      {path.Root("keys"), known(keys), known("x"), known("x")},
		"create":          {path.Root("keys"), null, known(keys), known(keys)},
		"removed":         {path.Root("keys"), known(keys), null, null},
		"unknown":         {path.Root("keys"), known(keys), unknown, unknown},
		"UUID":            {path.Root("id"), known(lower), known(upper), known(lower)},
		"other UUID":      {path.Root("id"), known(lower), known(other), known(other)},
		"nested duration": {path.Root("children").AtListIndex(1).AtName("duration"), known("12h0m0s"), known("12h"), known("12h0m0s")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := planmodifier.StringResponse{PlanValue: test.plan}
			req := planmodifier.StringRequest{Plan: plan, Path: test.at, PlanValue: test.plan, StateValue: test.state}
			attribute.KeepEqualString().PlanModifyString(context.Background(), req, &resp)
			if resp.Diagnostics.HasError() || !resp.PlanValue.Equal(test.want) {
				t.Errorf("got %v, want %v: %v", resp.PlanValue, test.want, resp.Diagnostics)
			}
		})
	}
}

func TestKeepEqualDynamic(t *testing.T) {
	asObject := types.DynamicValue(object(map[string]attr.Value{"a": text("x"), "b": tuple(text("y"), text("z"))}))
	asText := types.DynamicValue(text(`{"b":["z","y"],"a":"x"}`))
	changed := types.DynamicValue(text(`{"b":["z"],"a":"x"}`))
	part := types.DynamicValue(object(map[string]attr.Value{"a": types.StringUnknown(), "b": tuple(text("y"), text("z"))}))
	tests := map[string]struct{ state, plan, want types.Dynamic }{
		"object, then text": {asObject, asText, asObject},
		"text, then object": {asText, asObject, asText},
		"changed":           {asObject, changed, changed},
		"create":            {types.DynamicNull(), asText, asText},
		"unknown":           {asObject, types.DynamicUnknown(), types.DynamicUnknown()},
		"unknown text":      {asObject, types.DynamicValue(types.StringUnknown()), types.DynamicValue(types.StringUnknown())},
		"unknown in part":   {asObject, part, part},
		"typed null":        {asObject, types.DynamicValue(types.StringNull()), types.DynamicValue(types.StringNull())},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := planmodifier.DynamicResponse{PlanValue: test.plan}
			req := planmodifier.DynamicRequest{Plan: plan, Path: path.Root("filters"), PlanValue: test.plan, StateValue: test.state}
			attribute.KeepEqualDynamic().PlanModifyDynamic(context.Background(), req, &resp)
			if resp.Diagnostics.HasError() || !resp.PlanValue.Equal(test.want) {
				t.Errorf("got %v, want %v: %v", resp.PlanValue, test.want, resp.Diagnostics)
			}
		})
	}
}

func uuids(ids ...string) types.Set { return attribute.NewUUIDSetValue(append([]string{}, ids...)) }

func TestKeepEqualUUIDSet(t *testing.T) {
	null, unknown := types.SetNull(attribute.UUIDType{}), types.SetUnknown(attribute.UUIDType{})
	part := types.SetValueMust(attribute.UUIDType{}, []attr.Value{attribute.NewUUIDValue(upper), attribute.NewUUIDUnknown()})
	plainly := types.SetValueMust(types.StringType, []attr.Value{text(upper)})
	tests := map[string]struct{ state, plan, want types.Set }{
		"case":              {uuids(lower, other), uuids(other, upper), uuids(lower, other)},
		"one more":          {uuids(lower), uuids(upper, other), uuids(upper, other)},
		"one less":          {uuids(lower, other), uuids(upper), uuids(upper)},
		"emptied":           {uuids(lower), uuids(), uuids()},
		"removed":           {uuids(lower), null, null},
		"empty, then null":  {uuids(), null, null},
		"null, then empty":  {null, uuids(), uuids()},
		"both empty":        {uuids(), uuids(), uuids()},
		"both null":         {null, null, null},
		"unknown":           {uuids(lower), unknown, unknown},
		"empty, unknown":    {uuids(), unknown, unknown},
		"unknown in part":   {uuids(lower, other), part, part},
		"plain strings too": {uuids(lower), plainly, uuids(lower)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := planmodifier.SetResponse{PlanValue: test.plan}
			req := planmodifier.SetRequest{Plan: plan, PlanValue: test.plan, StateValue: test.state}
			attribute.KeepEqualUUIDSet().PlanModifySet(context.Background(), req, &resp)
			if resp.Diagnostics.HasError() || !resp.PlanValue.Equal(test.want) {
				t.Errorf("got %v, want %v: %v", resp.PlanValue, test.want, resp.Diagnostics)
			}
		})
	}
}

// A modifier on an attribute without such a type is a mistake that shows in the first plan.
func TestKeepEqualNeedsATypeWithMeaning(t *testing.T) {
	ctx := context.Background()
	a, b := types.StringValue("a"), types.StringValue("b")
	texts := planmodifier.StringResponse{PlanValue: b}
	for _, at := range []path.Path{path.Root("plain"), path.Root("filters"), path.Root("nope")} {
		attribute.KeepEqualString().PlanModifyString(ctx, planmodifier.StringRequest{
			Plan: plan, Path: at, PlanValue: b, StateValue: a,
		}, &texts)
	}
	dynamics := planmodifier.DynamicResponse{PlanValue: types.DynamicValue(b)}
	for _, at := range []path.Path{path.Root("untyped"), path.Root("plain")} {
		attribute.KeepEqualDynamic().PlanModifyDynamic(ctx, planmodifier.DynamicRequest{
			Plan: plan, Path: at, PlanValue: types.DynamicValue(b), StateValue: types.DynamicValue(a),
		}, &dynamics)
	}
	if texts.Diagnostics.ErrorsCount() != 3 || dynamics.Diagnostics.ErrorsCount() != 2 {
		t.Errorf("got %v and %v", texts.Diagnostics, dynamics.Diagnostics)
	}
	if !texts.PlanValue.Equal(b) || !dynamics.PlanValue.Equal(types.DynamicValue(b)) {
		t.Error("a value was changed")
	}
}

func TestModifiersDescribeThemselves(t *testing.T) {
	ctx := context.Background()
	for _, d := range []planmodifier.Describer{
		attribute.KeepEqualString(), attribute.KeepEqualDynamic(), attribute.KeepEqualUUIDSet(),
	} {
		if !strings.HasPrefix(d.Description(ctx), "Keeps") || d.Description(ctx) != d.MarkdownDescription(ctx) {
			t.Errorf("%T: %q", d, d.Description(ctx))
		}
	}
}

func TestUUIDs(t *testing.T) {
	element := attribute.UUIDType{}
	tests := map[string]struct {
		set   types.Set
		want  []string
		known bool
	}{
		"null":         {types.SetNull(element), nil, true},
		"nil":          {attribute.NewUUIDSetValue(nil), nil, true},
		"empty":        {uuids(), []string{}, true},
		"sorted":       {uuids(upper, other), []string{other, lower}, true},
		"twice":        {uuids(upper, lower), []string{lower}, true},
		"unknown":      {types.SetUnknown(element), nil, false},
		"part unknown": {types.SetValueMust(element, []attr.Value{attribute.NewUUIDUnknown()}), nil, false},
		"null inside":  {types.SetValueMust(element, []attr.Value{attribute.NewUUIDNull()}), nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := attribute.UUIDs(test.set)
			if known != test.known {
				t.Errorf("got known %v", known)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
