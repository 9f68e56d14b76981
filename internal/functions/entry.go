package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// entryType is the type of an element of providers, as the resource aktrust_credential_provider_config has it.
// Every value of it has all attributes, null or not, so that lists of them can be joined with what people write.
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
		"name":                   types.StringType,
		"match_images":           textsType,
		"default_cache_duration": types.StringType,
		"api_version":            types.StringType,
		"args":                   textsType,
		"env":                    types.MapType{ElemType: types.StringType},
		"token_attributes":       tokenType,
	}}
)

// entry is a value of entryType. What is nil becomes null, and what is empty stays empty.
type entry struct {
	Name                 string            `tfsdk:"name"`
	MatchImages          []string          `tfsdk:"match_images"`
	DefaultCacheDuration string            `tfsdk:"default_cache_duration"`
	APIVersion           string            `tfsdk:"api_version"`
	Args                 []string          `tfsdk:"args"`
	Env                  map[string]string `tfsdk:"env"`
	TokenAttributes      *tokenEntry       `tfsdk:"token_attributes"`
}

type tokenEntry struct {
	Audience               string   `tfsdk:"service_account_token_audience"`
	CacheType              string   `tfsdk:"cache_type"`
	RequireServiceAccount  bool     `tfsdk:"require_service_account"`
	RequiredAnnotationKeys []string `tfsdk:"required_service_account_annotation_keys"`
	OptionalAnnotationKeys []string `tfsdk:"optional_service_account_annotation_keys"`
}

// newEntry gives a provider as an element of providers. The provider is one that kubeletconfig.Validate accepts, which
// has a duration and says whether it requires a service account.
func newEntry(p kubeletconfig.Provider) entry {
	e := entry{
		Name:                 p.Name,
		MatchImages:          p.MatchImages,
		DefaultCacheDuration: kubeletconfig.FormatDuration(*p.DefaultCacheDuration),
		APIVersion:           p.APIVersion,
		Args:                 p.Args,
	}
	if p.Env != nil {
		e.Env = make(map[string]string, len(p.Env))
	}
	for _, variable := range p.Env {
		// Of two variables of one name the plugin sees the last.
		e.Env[variable.Name] = variable.Value
	}
	if t := p.TokenAttributes; t != nil {
		e.TokenAttributes = &tokenEntry{
			Audience:               t.ServiceAccountTokenAudience,
			CacheType:              t.CacheType,
			RequireServiceAccount:  *t.RequireServiceAccount,
			RequiredAnnotationKeys: t.RequiredServiceAccountAnnotationKeys,
			OptionalAnnotationKeys: t.OptionalServiceAccountAnnotationKeys,
		}
	}
	return e
}
