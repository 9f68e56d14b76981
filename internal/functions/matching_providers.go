package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// NewMatchingProviders gives the function matching_providers.
func NewMatchingProviders() function.Function { return matchingProviders{} }

type matchingProviders struct{}

// Metadata names the function.
func (matchingProviders) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "matching_providers"
}

// Definition describes the function.
func (matchingProviders) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Names the credential providers that the kubelet runs for an image",
		MarkdownDescription: "Names the credential providers of a kubelet's file that are run for an image, in the order of the file: " +
			"where two of them answer for the same registry, the earlier one wins. The list is empty when there is none, and for an " +
			"image that does not parse. See `image_matches` for what matches.\n\n" +
			"A text that the kubelet would not start with is an error.",
		Parameters: []function.Parameter{
			configParameter(),
			function.StringParameter{
				Name:                "image",
				MarkdownDescription: "The image, as it stands in a pod.",
			},
		},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

// Run reads the file as the kubelet does and asks its rules.
func (matchingProviders) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text, image string
	if resp.Error = req.Arguments.Get(ctx, &text, &image); resp.Error != nil {
		return
	}
	config, err := kubeletconfig.Parse([]byte(text))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fileRefusal(err))
		return
	}
	names, err := kubeletconfig.MatchingProviders(config, image)
	if err != nil {
		// As in image_matches, an image that does not parse matches nothing.
		names = []string{}
	}
	resp.Error = resp.Result.Set(ctx, names)
}
