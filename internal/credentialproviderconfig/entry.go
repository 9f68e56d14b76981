package credentialproviderconfig

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// entry is one element of providers.
type entry struct {
	Name                 types.String       `tfsdk:"name"`
	MatchImages          types.List         `tfsdk:"match_images"`
	DefaultCacheDuration attribute.Duration `tfsdk:"default_cache_duration"`
	APIVersion           types.String       `tfsdk:"api_version"`
	Args                 types.List         `tfsdk:"args"`
	Env                  types.Map          `tfsdk:"env"`
	TokenAttributes      types.Object       `tfsdk:"token_attributes"`
}

type tokenEntry struct {
	Audience               types.String `tfsdk:"service_account_token_audience"`
	CacheType              types.String `tfsdk:"cache_type"`
	RequireServiceAccount  types.Bool   `tfsdk:"require_service_account"`
	RequiredAnnotationKeys types.List   `tfsdk:"required_service_account_annotation_keys"`
	OptionalAnnotationKeys types.List   `tfsdk:"optional_service_account_annotation_keys"`
}

var (
	textsType = types.ListType{ElemType: types.StringType}

	tokenType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"service_account_token_audience":           types.StringType,
		"cache_type":                               types.StringType,
		"require_service_account":                  types.BoolType,
		"required_service_account_annotation_keys": textsType,
		"optional_service_account_annotation_keys": textsType,
	}}

	entryType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"name":                   elementText{},
		"match_images":           elementTexts{textsType},
		"default_cache_duration": elementDuration{},
		"api_version":            types.StringType,
		"args":                   textsType,
		"env":                    types.MapType{ElemType: types.StringType},
		"token_attributes":       tokenType,
	}}
)

// reader turns values into a kubeletconfig.Config. For what is unknown it puts something in that breaks no rule and
// deserves no warning, so that the rules can be held against the rest: unknown is not absent.
type reader struct {
	// unknown is set once something was.
	unknown bool
	diags   diag.Diagnostics
}

// What stands in for unknown texts. A name has to differ from every other one.
const (
	unknownImage = "not-known-yet.invalid"
	unknownText  = "not-known-yet"
)

func unknownName(i int) string { return fmt.Sprintf("not-known-yet-%d", i) }

func (r *reader) providers(ctx context.Context, list types.List) []kubeletconfig.Provider {
	if list.IsNull() {
		return nil
	}
	if list.IsUnknown() {
		r.unknown = true
		return []kubeletconfig.Provider{unknownProvider(0)}
	}
	providers := make([]kubeletconfig.Provider, len(list.Elements()))
	for i, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsUnknown() || object.IsNull() {
			r.unknown = true
			providers[i] = unknownProvider(i)
			continue
		}
		var e entry
		r.diags.Append(object.As(ctx, &e, basetypes.ObjectAsOptions{})...)
		providers[i] = r.provider(ctx, i, e)
	}
	return providers
}

func unknownProvider(i int) kubeletconfig.Provider {
	return kubeletconfig.Provider{
		Name:                 unknownName(i),
		MatchImages:          []string{unknownImage},
		DefaultCacheDuration: new(time.Duration),
		APIVersion:           kubeletconfig.PluginV1,
	}
}

func (r *reader) provider(ctx context.Context, i int, e entry) kubeletconfig.Provider {
	images := r.texts(e.MatchImages, "image")
	if e.MatchImages.IsUnknown() {
		images = []string{unknownImage}
	}
	return kubeletconfig.Provider{
		Name:                 r.text(e.Name, unknownName(i), ""),
		MatchImages:          images,
		DefaultCacheDuration: r.duration(i, e.DefaultCacheDuration),
		APIVersion:           r.text(e.APIVersion, kubeletconfig.PluginV1, kubeletconfig.PluginV1),
		Args:                 r.texts(e.Args, "argument"),
		Env:                  r.env(e.Env),
		TokenAttributes:      r.token(ctx, e.TokenAttributes),
	}
}

func (r *reader) token(ctx context.Context, object types.Object) *kubeletconfig.TokenAttributes {
	if object.IsUnknown() {
		r.unknown = true
		return nil
	}
	if object.IsNull() {
		return nil
	}
	var t tokenEntry
	r.diags.Append(object.As(ctx, &t, basetypes.ObjectAsOptions{})...)
	attributes := &kubeletconfig.TokenAttributes{
		ServiceAccountTokenAudience:          r.text(t.Audience, unknownText, ""),
		CacheType:                            r.text(t.CacheType, kubeletconfig.CacheTypeToken, ""),
		RequiredServiceAccountAnnotationKeys: r.texts(t.RequiredAnnotationKeys, "required"),
		OptionalServiceAccountAnnotationKeys: r.texts(t.OptionalAnnotationKeys, "optional"),
	}
	switch {
	case t.RequireServiceAccount.IsUnknown():
		// With true, annotations may be required or not.
		r.unknown = true
		required := true
		attributes.RequireServiceAccount = &required
	default:
		attributes.RequireServiceAccount = t.RequireServiceAccount.ValueBoolPointer()
	}
	return attributes
}

func (r *reader) text(value types.String, unknown, null string) string {
	switch {
	case value.IsUnknown():
		r.unknown = true
		return unknown
	case value.IsNull():
		return null
	}
	return value.ValueString()
}

// texts reads a list. What stands in for an unknown element has the list's own name in it, because lists are also
// checked against each other, and its place, so that the places of the others stay as they are and it is nobody's double.
func (r *reader) texts(list types.List, name string) []string {
	switch {
	case list.IsUnknown():
		r.unknown = true
		return nil
	case list.IsNull():
		return nil
	}
	texts := make([]string, len(list.Elements()))
	for i, element := range list.Elements() {
		value, ok := element.(types.String)
		if !ok || value.IsUnknown() {
			r.unknown = true
			texts[i] = fmt.Sprintf("not-known-yet-%d.%s.invalid", i, name)
			continue
		}
		texts[i] = value.ValueString()
	}
	return texts
}

func (r *reader) env(env types.Map) []kubeletconfig.EnvVar {
	switch {
	case env.IsUnknown():
		r.unknown = true
		return nil
	case env.IsNull():
		return nil
	}
	variables := make([]kubeletconfig.EnvVar, 0, len(env.Elements()))
	for _, name := range slices.Sorted(maps.Keys(env.Elements())) {
		value, ok := env.Elements()[name].(types.String)
		if !ok || value.IsUnknown() {
			r.unknown = true
			continue
		}
		variables = append(variables, kubeletconfig.EnvVar{Name: name, Value: value.ValueString()})
	}
	return variables
}

func (r *reader) duration(i int, value attribute.Duration) *time.Duration {
	switch {
	case value.IsUnknown():
		r.unknown = true
		return new(time.Duration)
	case value.IsNull():
		return nil
	}
	duration, err := time.ParseDuration(value.ValueString())
	if err != nil {
		at := path.Root("providers").AtListIndex(i).AtName("default_cache_duration")
		r.diags.AddAttributeError(at, refusedSummary, fmt.Sprintf("Over %s the kubelet exits at start, saying:\n  %s\n\n"+
			"Write it the way Go does, such as \"90s\", \"5m\" or \"12h\"; there is no unit for days.", at, err))
	}
	return &duration
}

// newEntries gives the providers of a file as a list. One that means the same as one of prior keeps the words of prior:
// its durations, and whether a list is empty or absent.
func newEntries(ctx context.Context, providers []kubeletconfig.Provider, prior types.List) (types.List, diag.Diagnostics) {
	if providers == nil {
		return types.ListNull(entryType), nil
	}
	var known reader
	before := known.providers(ctx, prior)
	var diags diag.Diagnostics
	elements := make([]attr.Value, len(providers))
	for i, provider := range providers {
		if same := slices.IndexFunc(before, provider.Equal); same >= 0 && !known.unknown {
			elements[i] = prior.Elements()[same]
			continue
		}
		element, more := types.ObjectValueFrom(ctx, entryType.AttrTypes, newEntry(provider))
		diags.Append(more...)
		elements[i] = element
	}
	list, more := types.ListValue(entryType, elements)
	diags.Append(more...)
	return list, diags
}

func newEntry(p kubeletconfig.Provider) entry {
	e := entry{
		Name:                 types.StringValue(p.Name),
		MatchImages:          newTexts(p.MatchImages),
		DefaultCacheDuration: attribute.NewDurationNull(),
		APIVersion:           types.StringValue(p.APIVersion),
		Args:                 newTexts(p.Args),
		Env:                  types.MapNull(types.StringType),
		TokenAttributes:      types.ObjectNull(tokenType.AttrTypes),
	}
	if p.DefaultCacheDuration != nil {
		e.DefaultCacheDuration = attribute.NewDurationValue(kubeletconfig.FormatDuration(*p.DefaultCacheDuration))
	}
	if p.Env != nil {
		// Of two variables of one name the plugin sees the last.
		env := make(map[string]attr.Value, len(p.Env))
		for _, variable := range p.Env {
			env[variable.Name] = types.StringValue(variable.Value)
		}
		e.Env = types.MapValueMust(types.StringType, env)
	}
	if t := p.TokenAttributes; t != nil {
		e.TokenAttributes = types.ObjectValueMust(tokenType.AttrTypes, map[string]attr.Value{
			"service_account_token_audience":           types.StringValue(t.ServiceAccountTokenAudience),
			"cache_type":                               types.StringValue(t.CacheType),
			"require_service_account":                  types.BoolPointerValue(t.RequireServiceAccount),
			"required_service_account_annotation_keys": newTexts(t.RequiredServiceAccountAnnotationKeys),
			"optional_service_account_annotation_keys": newTexts(t.OptionalServiceAccountAnnotationKeys),
		})
	}
	return e
}

// newTexts gives a list that is null for nil.
func newTexts(texts []string) types.List {
	if texts == nil {
		return types.ListNull(types.StringType)
	}
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, elements)
}
