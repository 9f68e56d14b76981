package credentialproviderconfig

import (
	"context"
	"regexp"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// entriesDescription is about manage = "entries".
const entriesDescription = "\n\n## Entries in a file of others\n\n" +
	"With `manage = \"entries\"` only the listed `providers` are managed, in a file that someone else owns, such as the one that " +
	"the platform brings:\n\n" +
	"- They are put in behind the others, in the style of the file (YAML or JSON), and changed in their place. Every byte of the " +
	"others stays: their providers, comments, blank lines and line breaks. A file that is written so that this cannot be done is " +
	"an error. Remarks that somebody wrote into an entry go with it when it changes.\n" +
	"- Only what happens to the own entries is drift. `content` and `config_hash` are those of the whole file, other people's " +
	"secrets included; they follow the changes of others in the refresh without a change in the plan, and are known after apply " +
	"whenever an entry changes.\n" +
	"- A provider of the same name that is in the file already is an error: import the file to take it over. After an import, and " +
	"after a change from `file` to `entries`, the plan shows the other providers leave the list; they stay in the file.\n" +
	"- Destroying takes out the own entries alone. The kubelet exits on a file without a provider: where none would be left, the " +
	"file is removed if it was made by this resource, else destroying is an error.\n" +
	"- A file that is gone is made again only if this resource made it. One that the kubelet would refuse, an empty one too, is an " +
	"error of the plan, and is not written to.\n" +
	"- Several resources may have entries in one file, also in one apply; their `config_hash` is then that of the moment after " +
	"their own write, until the next refresh. Processes of this provider wait for each other (`flock` on the directory); what " +
	"other programs write is noticed up to the instant in which the file is replaced. Its permissions and owner are kept, and " +
	"`file_permission` is for a file that has to be made."

const (
	manageFile    = "file"
	manageEntries = "entries"

	defaultFilePermission      = "0644"
	defaultDirectoryPermission = "0755"
)

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := fileAttributes()
	attributes["providers"] = providersAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "The file from which a kubelet learns which credential provider plugin to run for which images " +
			"(`CredentialProviderConfig`, the flag `--image-credential-provider-config`), or entries of one that others own. It is " +
			"written on the machine that runs OpenTofu or Terraform: the node itself, or the build tree of an image. The data source " +
			"of the same name renders it without a file.\n\n" +
			"The kubelet's own rules (Kubernetes 1.34 and later) are checked while planning. It reads the file only at start and " +
			"exits when anything is wrong with it, a plugin's binary that is missing included: install the binary first, and " +
			"restart the kubelet when `config_hash` changes.\n\n" +
			"A file of more than 1 MiB, a symbolic link and whatever else is no regular file are left alone, with an error." +
			entriesDescription,
		Attributes: attributes,
	}
}

// fileAttributes are about the file, and not about what stands in it.
func fileAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": schema.StringAttribute{
			MarkdownDescription: "The path.",
			Computed:            true,
		},
		"path": schema.StringAttribute{
			MarkdownDescription: "Where to write the file. With the extension `.json` it is written as JSON, else as YAML. A file that " +
				"is there already is not overwritten but has to be imported, unless `manage` is `" + manageEntries + "`. Changing it " +
				"moves the file.",
			CustomType:    pathType{},
			Required:      true,
			Validators:    []validator.String{validPath{}},
			PlanModifiers: []planmodifier.String{attribute.KeepEqualString(), stringplanmodifier.RequiresReplace()},
		},
		"api_version": schema.StringAttribute{
			MarkdownDescription: "Version of the file. Default `" + kubeletconfig.FileV1 + "`, the only one that knows " +
				"`token_attributes`. With `manage = \"" + manageEntries + "\"` it is the one that the file has: leave it out, unless " +
				"the file has to be made.",
			Optional: true,
			Computed: true,
		},
		"manage": schema.StringAttribute{
			MarkdownDescription: "What of the file is managed: `" + manageFile + "` (default) is all of it, `" + manageEntries +
				"` are the `providers` in a file of others, see below.",
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(manageFile),
			Validators: []validator.String{stringvalidator.OneOf(manageFile, manageEntries)},
		},
		"bin_dir": schema.StringAttribute{
			MarkdownDescription: "Directory of the plugins' binaries on the node, for `kubelet_args`.",
			Optional:            true,
			Validators:          []validator.String{attribute.NotEmpty("the path of the directory on the node, or leave it out")},
		},
		"file_permission": permissionAttribute("Permissions of the file, in octal. Default `"+defaultFilePermission+
			"`. They are set before the file gets its name.", defaultFilePermission),
		"directory_permission": permissionAttribute("Permissions of the directories that have to be made for the file, in octal. "+
			"Default `"+defaultDirectoryPermission+"`. Directories that are there are left alone, also when this changes.",
			defaultDirectoryPermission),
		"content": schema.StringAttribute{
			MarkdownDescription: "What stands in the whole file.",
			Computed:            true,
		},
		"config_hash": schema.StringAttribute{
			MarkdownDescription: "Label `hash` of the kubelet's metric `kubelet_credential_provider_config_info` once it runs with this " +
				"file alone: tells whether a node has it, and is a good trigger for a restart.",
			Computed: true,
		},
		"kubelet_args": schema.ListAttribute{
			MarkdownDescription: "The kubelet's flags for this file, the second one only with `bin_dir`. The kubelet needs both.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}
}

func permissionAttribute(description, standard string) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		CustomType:          permissionType{},
		Optional:            true,
		Computed:            true,
		Default:             stringdefault.StaticString(standard),
		Validators: []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^0?[0-7]{3}$`),
			"must be the permissions of owner, group and others in octal, such as "+strconv.Quote(standard))},
		PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
	}
}

func providersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: "The plugins, in the order in which the kubelet asks them: where two of them answer for the same " +
			"registry, the earlier one wins.",
		Required:   true,
		Validators: []validator.List{listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{
			Attributes: entryAttributes(),
		},
	}
}

func entryAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{
			MarkdownDescription: "File name of the plugin's binary in `bin_dir`. Each name once.",
			CustomType:          elementText{},
			Required:            true,
			// The kubelet's rules let it pass, but then it takes the directory for the binary.
			Validators: []validator.String{attribute.NotEmpty("the file name of the plugin's binary")},
		},
		"match_images": schema.ListAttribute{
			MarkdownDescription: "Images for which the plugin is run, as `HOST[:PORT][/PATH]`. A `*` in the host stands for " +
				"one label or a part of it; port and path know none. A port must be equal, and none is not 443. A path matches all " +
				"paths that begin with it, so that `ak.example.com/team` includes `ak.example.com/team-b`: end it with a slash.",
			CustomType: elementTexts{textsType},
			Required:   true,
			Validators: []validator.List{listvalidator.NoNullValues()},
		},
		"default_cache_duration": schema.StringAttribute{
			MarkdownDescription: "For how long the kubelet keeps what the plugin answers without a duration of its own, such " +
				"as `\"12h\"` or `\"90s\"`; `\"0s\"` keeps nothing. There is no unit for days.",
			CustomType:    elementDuration{},
			Required:      true,
			PlanModifiers: []planmodifier.String{attribute.KeepEqualString()},
		},
		"api_version": schema.StringAttribute{
			MarkdownDescription: "Version of the protocol that the plugin speaks. Default `" + kubeletconfig.PluginV1 +
				"`, the only one with which it can be handed a token.",
			Optional: true,
			Computed: true,
			Default:  stringdefault.StaticString(kubeletconfig.PluginV1),
		},
		"args": schema.ListAttribute{
			MarkdownDescription: "Arguments of the plugin.",
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          []validator.List{listvalidator.NoNullValues()},
		},
		"env": schema.MapAttribute{
			MarkdownDescription: "Environment of the plugin, added to the kubelet's own. No place for secrets: like all of the file it " +
				"shows in `content`.",
			ElementType: types.StringType,
			Optional:    true,
			Validators:  []validator.Map{mapvalidator.NoNullValues()},
		},
		"token_attributes": tokenAttributes(),
	}
}

func tokenAttributes() schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Hands the plugin a token of the pod's service account. Without it the plugin gets none.",
		Optional:            true,
		Attributes: map[string]schema.Attribute{
			"service_account_token_audience": schema.StringAttribute{
				MarkdownDescription: "Audience of the token: the one that the registry expects, and that the node may request " +
					"(`aktrust_node_audience`). Refer to `aktrust_ci_oidc_provider.NAME.audience` in both.",
				Required: true,
			},
			"cache_type": schema.StringAttribute{
				MarkdownDescription: "`ServiceAccount` when the pods of one service account may share what the plugin answers, or " +
					"`Token` when it is good for one token only.",
				Required: true,
			},
			"require_service_account": schema.BoolAttribute{
				MarkdownDescription: "Whether the plugin is left out for pods without a service account, such as static pods. `false` " +
					"runs it for them without a token.",
				Required: true,
			},
			"required_service_account_annotation_keys": schema.ListAttribute{
				MarkdownDescription: "Annotations of the service account to hand over, without which the plugin is not run.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.List{listvalidator.NoNullValues()},
			},
			"optional_service_account_annotation_keys": schema.ListAttribute{
				MarkdownDescription: "Annotations of the service account to hand over where it has them.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.List{listvalidator.NoNullValues()},
			},
		},
	}
}

// IdentitySchema describes what identifies a file on its machine.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"path": identityschema.StringAttribute{
				Description:       "Path of the file.",
				RequiredForImport: true,
			},
		},
	}
}
