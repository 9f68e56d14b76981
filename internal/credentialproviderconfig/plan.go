package credentialproviderconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const refusedSummary = "The kubelet would not start with this"

// ValidateConfig holds the kubelet's rules against what is known of the configuration.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.refusals(ctx)...)
	r.ExpectAudiences(config.end(ctx, false))
}

// refusals lists what the kubelet would refuse, as far as it is known.
func (m model) refusals(ctx context.Context) diag.Diagnostics {
	config, _, diags := m.config(ctx)
	return append(diags, refusals(config, m.managesEntries())...)
}

// refusals lists what the kubelet would refuse. The list of providers may be empty where it is only a part of a file.
func refusals(config kubeletconfig.Config, mayBeEmpty bool) diag.Diagnostics {
	return refusalsOf(kubeletconfig.Validate(config), mayBeEmpty)
}

func refusalsOf(err error, mayBeEmpty bool) diag.Diagnostics {
	var diags diag.Diagnostics
	if refused, ok := errors.AsType[*kubeletconfig.ValidationError](err); ok {
		for _, problem := range refused.Problems {
			if mayBeEmpty && problem.Location.Field == kubeletconfig.FieldProviders {
				continue
			}
			at := attributePath(problem.Location)
			diags.AddAttributeError(at, refusedSummary, fmt.Sprintf("Over %s%s the kubelet exits at start, saying:\n  %s\n\n%s",
				at, named(problem.Location), problem.Message, sentence(problem.Remedy)))
		}
	}
	return diags
}

// named gives the name of the provider that a place belongs to, in words: beside the place it would look like its value.
func named(at kubeletconfig.Location) string {
	if at.Provider == kubeletconfig.None || at.Name == unknownName(at.Provider) {
		return ""
	}
	return fmt.Sprintf(", of the provider named %q,", at.Name)
}

// sentence makes a remark of the library a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// attributePath gives the attribute for a place in the file.
func attributePath(at kubeletconfig.Location) path.Path {
	var here path.Path
	names := strings.Split(attributeNames.Replace(string(at.Field)), ".")
	if at.Provider == kubeletconfig.None {
		here = path.Root(names[0])
		names = names[1:]
	} else {
		here = path.Root("providers").AtListIndex(at.Provider)
	}
	for _, name := range names {
		here = here.AtName(name)
	}
	if at.Element != kubeletconfig.None {
		here = here.AtListIndex(at.Element)
	}
	return here
}

// attributeNames turns the file's names of members into those of attributes.
var attributeNames = strings.NewReplacer(
	string(kubeletconfig.FieldRequiredAnnotationKeys), "token_attributes.required_service_account_annotation_keys",
	string(kubeletconfig.FieldOptionalAnnotationKeys), "token_attributes.optional_service_account_annotation_keys",
	string(kubeletconfig.FieldRequireServiceAccount), "token_attributes.require_service_account",
	string(kubeletconfig.FieldAudience), "token_attributes.service_account_token_audience",
	string(kubeletconfig.FieldCacheType), "token_attributes.cache_type",
	string(kubeletconfig.FieldTokenAttributes), "token_attributes",
	string(kubeletconfig.FieldDefaultCacheDuration), "default_cache_duration",
	string(kubeletconfig.FieldMatchImages), "match_images",
	string(kubeletconfig.FieldAPIVersion), "api_version",
)

// ModifyPlan works out what will stand in the file, so that the plan shows it, and warns.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var config, plan, prior model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	known, diags := recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.derive()
	if config.APIVersion.IsNull() {
		plan.APIVersion = types.StringUnknown()
	}
	switch {
	case plan.Manage.IsUnknown():
		plan.Content, plan.ConfigHash = types.StringUnknown(), types.StringUnknown()
	case plan.managesEntries():
		resp.Diagnostics.Append(r.planEntries(ctx, &plan, prior, known)...)
	default:
		if config.APIVersion.IsNull() {
			plan.APIVersion = types.StringValue(kubeletconfig.FileV1)
		}
		resp.Diagnostics.Append(plan.fill(ctx, prior, known.Accepted)...)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	changes := !resp.Plan.Raw.Equal(req.State.Raw)
	resp.Diagnostics.Append(r.CompareAudiences(plan.end(ctx, changes), path.Root("providers"))...)
	if resp.Diagnostics.HasError() || !changes {
		return
	}
	// The CLI plans once more when it applies, and by then knows what was unknown.
	resp.Diagnostics.Append(plan.warnings(ctx)...)
	resp.Diagnostics.Append(warnOfTransition(ctx, plan, prior)...)
}

// fill works out the content. It stays as it is, word for word, while it is what this resource wrote or imported and
// still means what the configuration says: neither the words of a file that was imported nor those of an older version
// of the provider are a reason to restart a kubelet. What someone else wrote since then is.
func (m *model) fill(ctx context.Context, prior model, accepted string) diag.Diagnostics {
	config, known, diags := m.config(ctx)
	if !known || m.Path.IsUnknown() {
		m.Content, m.ConfigHash = types.StringUnknown(), types.StringUnknown()
		return diags
	}
	content, err := render(config, m.Path.ValueString())
	if err != nil {
		diags.Append(diagnose.Error("render", m.describe(), err))
		return diags
	}
	if accepted != "" && prior.isFaithful(accepted) && prior.Path.Equal(m.Path) && !prior.managesEntries() {
		before, _, more := prior.config(ctx)
		if same, err := render(before, m.Path.ValueString()); err == nil && !more.HasError() && same == content {
			m.Content, m.ConfigHash = prior.Content, prior.ConfigHash
			return diags
		}
	}
	m.hold(content)
	return diags
}

// isFaithful reports whether the state knows, to the byte, the content of this hash.
func (m model) isFaithful(hash string) bool {
	return m.ConfigHash.ValueString() == hash && kubeletconfig.Hash([]byte(m.Content.ValueString())) == hash
}

// warnings lists what is worth a warning, as far as it is known.
func (m model) warnings(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	config, _, _ := m.config(ctx)
	for _, warning := range kubeletconfig.Warnings(config) {
		at := attributePath(warning.Location)
		// The CLI shows one warning of each summary.
		diags.AddAttributeWarning(at, fmt.Sprintf("The kubelet accepts %s, but it is hardly meant", at), sentence(warning.Message))
	}
	if strings.HasPrefix(m.Path.ValueString(), "~") {
		diags.AddAttributeWarning(path.Root("path"), "A directory called ~",
			"Only a shell takes ~ for the home directory; here it is the name of a directory. Use pathexpand() if that is what is meant.")
	}
	diags.Append(warnOfWriters("file_permission", m.FilePermission)...)
	diags.Append(warnOfWriters("directory_permission", m.DirectoryPermission)...)
	return diags
}

func warnOfWriters(name string, permission permissionValue) diag.Diagnostics {
	var diags diag.Diagnostics
	// Unknown or null permissions are the empty text, which is no number.
	if mode, err := parsePermission(permission.ValueString()); err == nil && mode&0o022 != 0 {
		diags.AddAttributeWarning(path.Root(name), "Others may write: "+name,
			fmt.Sprintf("%s lets more than the owner write. Whoever may change the file decides what the kubelet runs as root, and with "+
				"which environment.", permission.ValueString()))
	}
	return diags
}
