package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// NotEmpty refuses an empty text, and names the argument that it stands in.
func NotEmpty() validator.String { return notEmpty{} }

type notEmpty struct{}

func (notEmpty) Description(context.Context) string         { return "must not be empty" }
func (notEmpty) MarkdownDescription(context.Context) string { return "must not be empty" }

func (notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !allKnown(req.ConfigValue) || req.ConfigValue.ValueString() != "" {
		return
	}
	steps := req.Path.Steps()
	name := steps[0].String()
	if len(steps) > 1 {
		name = "A text in " + name
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Empty text", fmt.Sprintf(
		"%s is \"\". Give it a value; an argument that is optional may be left out, or be null.", name))
}
