package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// NotEmpty refuses an empty text. write says in the error what to write instead: "the name of the group".
func NotEmpty(write string) validator.String { return notEmptyValidator{write} }

type notEmptyValidator struct{ write string }

func (notEmptyValidator) Description(context.Context) string         { return "must not be empty" }
func (notEmptyValidator) MarkdownDescription(context.Context) string { return "must not be empty" }

func (v notEmptyValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !allKnown(req.ConfigValue) || req.ConfigValue.ValueString() != "" {
		return
	}
	what := req.Path.String()
	if step, _ := req.Path.Steps().LastStep(); isElement(step) { // an element of a set is named by its value, which is nothing
		what = "An element of " + req.Path.ParentPath().String()
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Empty text", what+" "+v.Description(ctx)+". Write "+v.write+".")
}

func isElement(step path.PathStep) bool {
	_, set := step.(path.PathStepElementKeyValue)
	return set
}
