package credentialproviderconfig

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := renderedAttributes()
	attributes["providers"] = forReading(providersAttribute())
	attributes["api_version"] = schema.StringAttribute{
		MarkdownDescription: "Version of the file. Default that of the `base`, else `" + kubeletconfig.FileV1 + "`, the only one that " +
			"knows `token_attributes`.",
		Optional: true,
	}
	attributes["base"] = schema.StringAttribute{
		MarkdownDescription: "Text of a file that is there already, YAML or JSON, to which `providers` are added. One of the same name " +
			"is replaced in its place, the others follow behind the last one. All else stays to the byte in the output of the base's own " +
			"format, comments included. A base that the kubelet would refuse is an error, and so is one of more than 1 MiB.",
		Optional: true,
	}
	attributes["config_path"] = schema.StringAttribute{
		MarkdownDescription: "Where the file will be on the node, for `kubelet_args`.", Optional: true,
		Validators: []validator.String{attribute.NotEmpty("the path of the file on the node, or leave it out")},
	}
	attributes["bin_dir"] = schema.StringAttribute{
		MarkdownDescription: "Directory of the plugins' binaries on the node, for `kubelet_args`.", Optional: true,
		Validators: []validator.String{attribute.NotEmpty("the path of the directory on the node, or leave it out")},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The text of the file from which a kubelet learns which credential provider plugin to run for which images " +
			"(`CredentialProviderConfig`), for those who bring it to the nodes in another way than `aktrust_credential_provider_config`: " +
			"user data, a ConfigMap, a machine config, an image build. Nothing is read or written.\n\n" +
			"The kubelet's own rules (Kubernetes 1.34 and later) are checked while planning, for every value known by then.",
		Attributes: attributes,
	}
}

const hashDescription = "Label `hash` of the kubelet's metric `kubelet_credential_provider_config_info` once it runs with "

// renderedAttributes are what comes out.
func renderedAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	texts := func(description string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	byName := func(description string) schema.MapAttribute {
		return schema.MapAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	return map[string]schema.Attribute{
		"yaml": text("The whole file as YAML."),
		"json": text("The whole file as JSON."),
		"entries_yaml": byName("Each of `providers` alone, by its name, as a YAML object: an element for the list of a file that someone " +
			"else puts together."),
		"entries_json":     byName("Each of `providers` alone, by its name, as a JSON object."),
		"yaml_config_hash": text(hashDescription + "`yaml`."),
		"json_config_hash": text(hashDescription + "`json`."),
		"kubelet_args": texts("The kubelet's flags, the first one only with `config_path` and the second one only with `bin_dir`. The " +
			"kubelet needs both."),
		"warnings": texts("What the kubelet accepts of `providers` and is hardly meant, such as a pattern that matches no image. A data " +
			"source is read in every plan, so that these are not warnings of the plan: a `postcondition` can look at them."),
	}
}

// forReading turns an argument of the resource into one of the data source: without plan modifiers and defaults, which
// only resources have. What has a default there may be null here.
func forReading(in resourceschema.Attribute) schema.Attribute {
	switch a := in.(type) {
	case resourceschema.StringAttribute:
		return schema.StringAttribute{
			MarkdownDescription: a.MarkdownDescription, CustomType: a.CustomType, Required: a.Required, Optional: a.Optional,
			Validators: a.Validators,
		}
	case resourceschema.BoolAttribute:
		return schema.BoolAttribute{
			MarkdownDescription: a.MarkdownDescription, Required: a.Required, Optional: a.Optional, Validators: a.Validators,
		}
	case resourceschema.ListAttribute:
		return schema.ListAttribute{
			MarkdownDescription: a.MarkdownDescription, CustomType: a.CustomType, ElementType: a.ElementType, Required: a.Required,
			Optional: a.Optional, Validators: a.Validators,
		}
	case resourceschema.MapAttribute:
		return schema.MapAttribute{
			MarkdownDescription: a.MarkdownDescription, ElementType: a.ElementType, Required: a.Required, Optional: a.Optional,
			Validators: a.Validators,
		}
	case resourceschema.SingleNestedAttribute:
		return schema.SingleNestedAttribute{
			MarkdownDescription: a.MarkdownDescription, Attributes: allForReading(a.Attributes), Required: a.Required, Optional: a.Optional,
		}
	case resourceschema.ListNestedAttribute:
		return schema.ListNestedAttribute{
			MarkdownDescription: a.MarkdownDescription, Required: a.Required, Optional: a.Optional, Validators: a.Validators,
			NestedObject: schema.NestedAttributeObject{Attributes: allForReading(a.NestedObject.Attributes)},
		}
	}
	panic(fmt.Sprintf("an argument of type %T has no counterpart yet", in)) // A fault of this file, met by every test.
}

func allForReading(in map[string]resourceschema.Attribute) map[string]schema.Attribute {
	out := make(map[string]schema.Attribute, len(in))
	for name, attribute := range in {
		out[name] = forReading(attribute)
	}
	return out
}
