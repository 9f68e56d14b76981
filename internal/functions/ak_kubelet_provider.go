package functions

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NewAKKubeletProvider gives the function ak_kubelet_provider.
func NewAKKubeletProvider() function.Function { return akKubeletProvider{} }

type akKubeletProvider struct{}

// The places of the parameters, which errors name.
const (
	urlPosition int64 = iota
	audiencePosition
	matchImagesPosition
	optionsPosition
)

// Metadata names the function.
func (akKubeletProvider) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "ak_kubelet_provider"
}

// Definition describes the function.
func (akKubeletProvider) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Makes the entry for the registry's credential provider plugin",
		MarkdownDescription: "Makes an element of `providers` for `ak-kubelet-provider`, the plugin that exchanges the token of a pod's " +
			"ServiceAccount at an Artifact Keeper registry: for the resource and the data source " +
			"`aktrust_credential_provider_config`, alone or in a list with other elements. What the plugin is told becomes its " +
			"`args`, and every attribute is there, null where it has no value.\n\n" +
			"The kubelet's own rules hold; what breaks them is an error that names the argument. There is no option for " +
			"`http://`: whoever listens on the way would have the tokens of the pods.\n\n" + optionsDescription(),
		Parameters: []function.Parameter{
			function.StringParameter{
				Name: "url",
				MarkdownDescription: "Address of the registry as nodes reach it, `https://` only. No user name or password: the file is " +
					"no place for secrets.",
			},
			function.StringParameter{
				Name: "audience",
				MarkdownDescription: "Audience of the tokens: the `audience` of the `aktrust_ci_oidc_provider`, which " +
					"`aktrust_node_audience` lets nodes ask for.",
			},
			function.ListParameter{
				Name: "match_images",
				MarkdownDescription: "Images for which the plugin is run, at least one pattern `HOST[:PORT][/PATH]`. See `image_matches` " +
					"for what matches.",
				ElementType: types.StringType,
			},
		},
		VariadicParameter: function.DynamicParameter{
			Name: "options",
			MarkdownDescription: "At most one object of options, left out where there is nothing to say. A null in it is the same as " +
				"leaving that option out. OpenTofu takes a null of no type, such as a variable without `type`, for unknown: give `{}`.",
			AllowNullValue: true,
		},
		Return: function.ObjectReturn{AttributeTypes: entryType.AttrTypes},
	}
}

// optionsDescription lists the options.
func optionsDescription() string {
	lines := make([]string, len(options))
	for i, option := range options {
		lines[i] = "- `" + option.name + "`: " + option.description + "."
	}
	return "Options, each of them a string:\n\n" + strings.Join(lines, "\n")
}

// Run makes the entry.
func (akKubeletProvider) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var (
		plugin akPlugin
		images []types.String
		given  []types.Dynamic
	)
	if resp.Error = req.Arguments.Get(ctx, &plugin.url, &plugin.audience, &images, &given); resp.Error != nil {
		return
	}
	if err := checkURL(plugin.url); err != nil {
		resp.Error = function.NewArgumentFuncError(urlPosition, err.Error())
		return
	}
	if plugin.matchImages, resp.Error = readImages(images); resp.Error != nil {
		return
	}
	if plugin.options, resp.Error = readOptions(ctx, given); resp.Error != nil {
		return
	}
	made, err := plugin.entry()
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, made)
}
