package nodeaudience

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// text checks a known text by a rule of the domain. A null, which only an element of a collection can be here, is none.
type text struct {
	description string
	check       func(string) error
}

func valid(description string, check func(string) error) text { return text{description, check} }

func (v text) Description(context.Context) string         { return "has to be " + v.description }
func (v text) MarkdownDescription(context.Context) string { return "has to be " + v.description }

func (v text) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() && len(req.Path.Steps()) == 1 {
		return
	}
	if req.ConfigValue.IsNull() {
		resp.Diagnostics.Append(noNulls(req.Path))
		return
	}
	if req.ConfigValue.ValueString() == "" {
		return // attribute.NotEmpty says it in words of its own
	}
	if err := v.check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid value", "This "+v.Description(context.Background())+": "+err.Error()+".")
	}
}

func noNulls(at path.Path) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, "Null in a collection", "An element is null. Leave it out, or give it a value.")
}

// notEmpty refuses an empty set of ServiceAccounts. One that is unknown, or has unknown elements, may turn out to be
// anything; it is looked at again when it is known.
type notEmpty struct{}

func (notEmpty) Description(context.Context) string { return "has to name something, or be left out" }
func (notEmpty) MarkdownDescription(context.Context) string {
	return "has to name something, or be left out"
}

func (v notEmpty) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || len(req.ConfigValue.Elements()) > 0 {
		return
	}
	if err := domain.ValidServiceAccountNames([]string{}); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "An empty set", req.Path.String()+" "+v.Description(ctx)+": "+err.Error()+".")
	}
}

// labels and annotations check what is known of a map.
type (
	labels      struct{}
	annotations struct{}
)

func (labels) Description(context.Context) string              { return "has to be valid labels" }
func (labels) MarkdownDescription(context.Context) string      { return "has to be valid labels" }
func (annotations) Description(context.Context) string         { return "has to be valid annotations" }
func (annotations) MarkdownDescription(context.Context) string { return "has to be valid annotations" }

func (labels) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	checkPairs(req, resp, "Invalid label", func(key string, value types.String) error {
		return domain.ValidLabel(key, value.ValueString()) // an unknown value is "" here, which is valid
	})
}

func (annotations) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	checkPairs(req, resp, "Invalid annotation", func(key string, _ types.String) error { return domain.ValidAnnotation(key) })
}

func checkPairs(req validator.MapRequest, resp *validator.MapResponse, summary string, check func(string, types.String) error) {
	elements := req.ConfigValue.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		at := req.Path.AtMapKey(key)
		value, ok := elements[key].(types.String)
		if !ok || value.IsNull() {
			resp.Diagnostics.Append(noNulls(at))
			continue
		}
		if err := check(key, value); err != nil {
			resp.Diagnostics.AddAttributeError(at, summary, "The API server would refuse it: "+err.Error()+".")
		}
	}
}
