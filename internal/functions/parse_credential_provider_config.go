package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// NewParseCredentialProviderConfig gives the function parse_credential_provider_config.
func NewParseCredentialProviderConfig() function.Function { return parseCredentialProviderConfig{} }

type parseCredentialProviderConfig struct{}

// Metadata names the function.
func (parseCredentialProviderConfig) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_credential_provider_config"
}

// Definition describes the function.
func (parseCredentialProviderConfig) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Reads a kubelet's credential provider config",
		MarkdownDescription: "Reads the text of a `CredentialProviderConfig`, YAML or JSON, exactly as strictly as the kubelet " +
			"(Kubernetes 1.34 and later), and returns an object with `api_version` and `providers`, in the names of the resource " +
			"`aktrust_credential_provider_config`: both can be handed to it as they are. What is absent from the text is null.\n\n" +
			"What the kubelet would not start with is an error in the kubelet's words, with the place in the file and what to do. " +
			"Of several YAML documents the kubelet reads only the first, and so does this function.",
		Parameters: []function.Parameter{configParameter()},
		Return:     function.ObjectReturn{AttributeTypes: configType.AttrTypes},
	}
}

// configParameter is the text of a file, the first parameter of each function that reads one.
func configParameter() function.Parameter {
	return function.StringParameter{
		Name:                "text",
		MarkdownDescription: "Content of the file behind the kubelet's flag `--image-credential-provider-config`, YAML or JSON.",
	}
}

var configType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"api_version": types.StringType,
	"providers":   types.ListType{ElemType: entryType},
}}

type parsedConfig struct {
	APIVersion string  `tfsdk:"api_version"`
	Providers  []entry `tfsdk:"providers"`
}

// Run reads the file as the kubelet does.
func (parseCredentialProviderConfig) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	config, err := kubeletconfig.Parse([]byte(text))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fileRefusal(err))
		return
	}
	parsed := parsedConfig{APIVersion: config.APIVersion, Providers: make([]entry, len(config.Providers))}
	for i, provider := range config.Providers {
		parsed.Providers[i] = newEntry(provider)
	}
	resp.Error = resp.Result.Set(ctx, parsed)
}
