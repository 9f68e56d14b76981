package pullcheck

import (
	"context"
	"maps"
	"strings"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

const description = "Whether pods of a ServiceAccount may pull an image with their own identity, before a pod tries: every link of " +
	"the chain from the kubelet's file to the registry's permission is looked at by itself, so that all broken ones are named at " +
	"once, with what was found and what to change. For `check` blocks, a `postcondition`, and `plan` in a pipeline.\n\nA broken link " +
	"is an answer, not an error: `allowed` is false, and `summary` says why. A read asks the API server for one token that lives ten " +
	"minutes and exchanges it once at the registry, as a kubelet does. Both stay in memory: neither stands in the state, the plan or " +
	"a log.\n\nThe account of `kubernetes` needs to `list` nodes, to `get` the ServiceAccount (and its namespace, to tell when that is " +
	"missing), and to `create` subjectaccessreviews " +
	"and serviceaccounts/token (with a client certificate: tokenreviews too). Where it may not, the link is `unknown` and names the " +
	"rule. It also reads the cluster's OIDC documents, and the ClusterRoles and bindings of `aktrust_node_audience`. The registry's " +
	"token has to be an administrator's. For a provider with key source `discovery` the issuer's documents are fetched from here, with " +
	"the authorities of the system (`SSL_CERT_FILE`) and the proxies of the environment.\n\n" +
	"The token of a check belongs to no pod. A mapping with a filter on the pod or the node may match a pod all the same: `mapping` is " +
	"`unknown`, and so is `exchange` where no other mapping matches. Then `allowed` is false, and neither value of `expect` is met. " +
	"Ask that no link is broken instead: `alltrue([for link in data.aktrust_pull_check.NAME.links : link.status != \"broken\"])`.\n\n" +
	"The registry is asked at `endpoint` of the provider. Where the image or the plugin's `--url` in `credential_provider_config` has " +
	"another address, `summary` says so: these may be names of one registry, and what was found holds only then.\n\n" +
	"A data source is read while planning, so a check of what the same apply makes needs `depends_on` with all of it: the provider, " +
	"the mappings, an `aktrust_ci_oidc_mappings_exclusive` and the node audience. It is then read during that apply, and at once in " +
	"every plan that changes none of it. Write it beside a `check` block, not into it: a data source inside of " +
	"one is planned to be read again in every run, and `plan -detailed-exitcode` never exits with 0."

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := arguments()
	maps.Copy(attributes, results())
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: attributes}
}

func arguments() map[string]schema.Attribute {
	text := func(write string) []validator.String { return []validator.String{attribute.NotEmpty(write)} }
	return map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			MarkdownDescription: "Namespace of the ServiceAccount.", Required: true,
			Validators: text("the namespace of the ServiceAccount"),
		},
		"service_account": schema.StringAttribute{
			MarkdownDescription: "Name of the ServiceAccount.", Required: true,
			Validators: text("the name of the ServiceAccount"),
		},
		"image": schema.StringAttribute{
			MarkdownDescription: "Image as a pod names it, such as `ak.example.com/images/app:1.0`. The first segment of its path is " +
				"the key of the registry's repository.",
			Required: true, Validators: []validator.String{imageValidator{}},
		},
		"audience": schema.StringAttribute{
			MarkdownDescription: "Audience that the token is asked for. Without it, that of `credential_provider_config`, or else " +
				"that of the registry's provider.",
			Optional: true, Validators: text("the audience to ask for, or leave it out"),
		},
		"provider_id": schema.StringAttribute{
			MarkdownDescription: "UUID of the registry's provider, as the plugin's `--provider-id`. Without it, that of the plugin's " +
				"arguments in `credential_provider_config`, or else the registry finds the provider by the issuer. Where those " +
				"arguments lead to another provider, the link `provider` is broken.",
			Optional: true, Validators: []validator.String{attribute.ValidUUID()},
		},
		"credential_provider_config": schema.StringAttribute{
			MarkdownDescription: "Text of the kubelet's file, such as `aktrust_credential_provider_config.kubelet.content`. Without " +
				"it, the links `file` and `file_audience` are skipped.",
			Optional: true, Validators: text("the text of the kubelet's file, or leave it out"),
		},
		"node_groups": schema.SetAttribute{
			MarkdownDescription: "Groups of the nodes besides `system:nodes`, where the permission to request the audience is given " +
				"to those.",
			ElementType: types.StringType, Optional: true,
			Validators: []validator.Set{setvalidator.NoNullValues(),
				setvalidator.ValueStringsAre(attribute.NotEmpty("the name of a group, or leave it out"))},
		},
		"expect": schema.StringAttribute{
			MarkdownDescription: "What is expected: `allowed` (the default) or `denied`. `denied` is for the negative test. It is " +
				"met only by a refusal that the chain itself makes: nodes may not request the audience for this ServiceAccount, no " +
				"mapping matches, the mapping's account is deactivated or may not read the repository. It is not met by a registry " +
				"that is down, a link that is unknown, a ServiceAccount or repository that does not exist, or a public repository. " +
				"Nor is it met where another link is broken for everybody, such as by a typo in an audience: `summary` names those " +
				"links, and until they are mended nobody knows whether the chain refuses.",
			Optional: true, Validators: []validator.String{stringvalidator.OneOf(expectAllowed, expectDenied)},
		},
		"manifest": schema.BoolAttribute{
			MarkdownDescription: "Whether to read the image's manifest with the credential too, as a container runtime does.",
			Optional:            true,
		},
	}
}

func results() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return map[string]schema.Attribute{
		"allowed": schema.BoolAttribute{
			MarkdownDescription: "Whether the pull is known to work: no link is `broken`, and none is `unknown`. What could not be " +
				"judged leaves it false, because nobody knows.",
			Computed: true,
		},
		"as_expected": schema.BoolAttribute{MarkdownDescription: "Whether the outcome is that of `expect`.", Computed: true},
		"summary": text("The outcome in words, with all links that are broken, and what to change, for `error_message`. It has " +
			"several lines. With `expect = \"denied\"` it says only how to mend what is broken for everybody."),
		"links": schema.ListNestedAttribute{
			MarkdownDescription: "The links, always all of them in this order: `versions`, `file`, `file_audience`, `node_audience`, " +
				"`service_account`, `token_request`, `issuer`, `provider`, `keys`, `api_server_audience`, `mapping`, `account`, " +
				"`permission`, `exchange`, `manifest`.",
			Computed: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"name": text("Name of the link."),
				"status": text("`ok`, `broken`, `unknown` (it could not be judged: a permission or an answer is missing, or it " +
					"depends on the pod) or `skipped` (it was not asked for, or an earlier link leaves nothing to judge)."),
				"detail": text("What was found and what it means."),
				"remedy": text("What to change: HCL, or a command. Empty when there is nothing to do."),
			}},
		},
		"mapping_id":               text("UUID of the identity mapping that wins. Null when none does, or none for certain."),
		"mapping_name":             text("Name of that mapping."),
		"service_account_username": text("Account that the registry gave a credential for. Null when it gave none."),
		"expires_in": schema.Int64Attribute{
			MarkdownDescription: "Lifetime of that credential in seconds. It differs from read to read.", Computed: true,
		},
	}
}

// imageValidator refuses what a pod could not name either.
type imageValidator struct{}

// Description says what is checked.
func (imageValidator) Description(context.Context) string { return "has to be an image reference" }

// MarkdownDescription says what is checked.
func (v imageValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString checks an image that is known.
func (imageValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	text := req.ConfigValue.ValueString()
	if _, err := reference.ParseNormalizedNamed(text); err != nil {
		if scheme, _, found := strings.Cut(text, "://"); found {
			resp.Diagnostics.AddAttributeError(req.Path, "Not an image", "An image is written as in a pod, such as "+
				"ak.example.com/images/app:1.0: leave "+scheme+":// out.")
			return
		}
		resp.Diagnostics.AddAttributeError(req.Path, "Not an image", "An image is written as in a pod, such as "+
			"ak.example.com/images/app:1.0. This one cannot be parsed: "+err.Error()+".")
	}
}
