package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// NewImageMatches gives the function image_matches.
func NewImageMatches() function.Function { return imageMatches{} }

type imageMatches struct{}

// Metadata names the function.
func (imageMatches) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "image_matches"
}

// Definition describes the function.
func (imageMatches) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Tells whether a pattern of match_images matches an image",
		MarkdownDescription: "Tells whether the kubelet runs a credential provider with `pattern` among its `match_images` for an " +
			"image. A pattern or an image that does not parse matches nothing.\n\n" +
			"The image is first written out (`nginx` is `docker.io/library/nginx`), and loses its tag and digest. Then\n\n" +
			"- the ports must be equal: an image without a port does not match `ak.example.com:443`, nor the other way around;\n" +
			"- the hosts must have the same number of labels, and each must match: a `*` stands for one label or a part of it, " +
			"and upper and lower case differ;\n" +
			"- the path of the image must begin with that of the pattern, letter by letter: `ak.example.com/team` matches " +
			"`ak.example.com/team-b/app`, `ak.example.com/team/` does not. A `*` in a path is a star and matches no image.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "pattern",
				MarkdownDescription: "An element of `match_images`: `HOST[:PORT][/PATH]`.",
			},
			function.StringParameter{
				Name:                "image",
				MarkdownDescription: "The image, as it stands in a pod.",
			},
		},
		Return: function.BoolReturn{},
	}
}

// Run asks the kubelet's rules.
func (imageMatches) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var pattern, image string
	if resp.Error = req.Arguments.Get(ctx, &pattern, &image); resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, kubeletconfig.Matches(pattern, image))
}
