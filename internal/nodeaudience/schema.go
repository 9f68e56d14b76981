// Package nodeaudience serves aktrust_node_audience: nodes may ask for tokens of an audience.
package nodeaudience

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lets the nodes of a cluster ask for ServiceAccount tokens of an audience, as their kubelets do for a " +
			"credential provider with `token_attributes`. Without it they are refused: " +
			"`audience \"...\" not found in pod spec volume`.\n\n" +
			"It is a ClusterRole with the verb `" + domain.Verb + "` and a ClusterRoleBinding, or RoleBindings in `namespaces`, of the " +
			"same name. They are applied server-side under the field manager `terraform-provider-aktrust`, which owns what this " +
			"resource sets and nothing else; the label `" + domain.Label + "=" + domain.LabelValue + "` marks them. " +
			"The account needs the verbs `get`, `create`, `patch` and `delete` on `clusterroles`, `clusterrolebindings` and " +
			"`rolebindings`, `list` on `rolebindings` to find bindings in namespaces that it does not know of, and " +
			"`escalate` and `bind` on `clusterroles` unless it may do all that it grants.",
		Attributes: map[string]schema.Attribute{
			"audience": schema.StringAttribute{
				MarkdownDescription: "The audience, the same as `service_account_token_audience` of the credential provider and " +
					"`audience` of the registry's provider: refer to `aktrust_ci_oidc_provider.NAME.audience` in both. Taken literally, " +
					"slashes included. `*` is refused: it is every audience. An audience of the API " +
					"server, such as the cluster's issuer, is warned of.",
				Required: true,
				Validators: []validator.String{
					attribute.NotEmpty("the audience that the registry expects of a token"),
					valid("an audience other than *", domain.ValidAudience),
				},
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "Name of the ClusterRole and of its bindings. Derived from the audience when left out, so that " +
					"another audience is another object.",
				Optional: true,
				Computed: true,
				Validators: []validator.String{
					attribute.NotEmpty("the name of a ClusterRole, or leave it out"),
					valid("a name of a ClusterRole", domain.ValidName),
				},
			},
			"namespaces": names("Namespaces whose ServiceAccounts it covers. All when left out; none with `[]`, so that nothing is "+
				"granted. An import cannot tell which of `namespaces` and `groups` is empty, and takes `groups` for it.",
				domain.ValidNamespace),
			"service_account_names": names("Names of the ServiceAccounts that it covers, in whichever namespace. All when left out. "+
				"`[]` is refused: to RBAC a rule without names covers all names.", domain.ValidServiceAccountName, notEmpty{}),
			"groups":      groups(),
			"labels":      pairs("Labels of the objects. Labels that others set are left alone.", labels{}),
			"annotations": pairs("Annotations of the objects. Annotations that others set are left alone.", annotations{}),
			"force_conflicts": schema.BoolAttribute{
				MarkdownDescription: "Take fields over that another field manager applies with other values, such as a GitOps " +
					"controller's. Without it, that is an error that names the manager. What somebody has changed by hand is always " +
					"taken back. Default `false`.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
			},
			"id":                 schema.StringAttribute{MarkdownDescription: "Same as `name`.", Computed: true},
			"unmanaged_rules":    findings("Rules that somebody added to the ClusterRole, in words."),
			"unmanaged_subjects": findings("Subjects that somebody added to its bindings, in words."),
			"problems":           findings("What else somebody bent, in words: another role bound, a label gone, a binding too many."),
		},
	}
}

// names is a set of names, of which each is checked.
func names(description string, check func(string) error, more ...validator.Set) schema.SetAttribute {
	each := []validator.String{attribute.NotEmpty("a name, or leave the element out"), valid("a valid name", check)}
	return schema.SetAttribute{
		MarkdownDescription: description,
		ElementType:         types.StringType,
		Optional:            true,
		Validators:          append(more, setvalidator.ValueStringsAre(each...)),
	}
}

func groups() schema.SetAttribute {
	standard := types.SetValueMust(types.StringType, []attr.Value{types.StringValue(domain.NodesGroup)})
	attribute := names("Groups of nodes that may ask. Default `[\""+domain.NodesGroup+"\"]`, which is all nodes. With `[]` nobody may, "+
		"and there is no binding.", domain.ValidGroup)
	attribute.Computed, attribute.Default = true, setdefault.StaticValue(standard)
	return attribute
}

func pairs(description string, check validator.Map) schema.MapAttribute {
	return schema.MapAttribute{
		MarkdownDescription: description,
		ElementType:         types.StringType,
		Optional:            true,
		Validators:          []validator.Map{check},
	}
}

// findings is a list that is always planned to be empty, so that what is found shows as a change that apply makes.
func findings(description string) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: description + " Planned to be empty: apply takes it away.",
		ElementType:         types.StringType,
		Computed:            true,
		Default:             listdefault.StaticValue(noFindings),
	}
}

var noFindings = types.ListValueMust(types.StringType, []attr.Value{})

// IdentitySchema describes what identifies the objects in their cluster.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"name": identityschema.StringAttribute{
				Description:       "Name of the ClusterRole.",
				RequiredForImport: true,
			},
		},
	}
}
