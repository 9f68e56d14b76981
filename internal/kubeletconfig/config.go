// Package kubeletconfig is a library on one file: the CredentialProviderConfig that the kubelet reads from
// --image-credential-provider-config to learn which plugin answers for which images.
//
// It decodes as strictly as the kubelet does, checks the kubelet's rules in the kubelet's own words, warns of what the
// kubelet accepts and nobody means, matches images, and writes the file. The rules were read off Kubernetes 1.34 and
// 1.37, which agree; testdata holds that kubelet's verdicts and every one of them is a test.
//
// Writing and reading the file on disk is the business of the package file below this one.
package kubeletconfig

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of the file's only object.
const Kind = "CredentialProviderConfig"

// The versions of the file (its apiVersion). Only [FileV1] knows tokenAttributes.
const (
	FileV1       = "kubelet.config.k8s.io/v1"
	FileV1beta1  = "kubelet.config.k8s.io/v1beta1"
	FileV1alpha1 = "kubelet.config.k8s.io/v1alpha1"
)

// The versions of the protocol between kubelet and plugin (the apiVersion of a provider).
// Only with [PluginV1] can a plugin be handed a service account token.
const (
	PluginV1       = "credentialprovider.kubelet.k8s.io/v1"
	PluginV1beta1  = "credentialprovider.kubelet.k8s.io/v1beta1"
	PluginV1alpha1 = "credentialprovider.kubelet.k8s.io/v1alpha1"
)

// The ways in which the kubelet caches what a plugin answered to a token: one entry for all pods of a service account,
// or one for each token.
const (
	CacheTypeServiceAccount = "ServiceAccount"
	CacheTypeToken          = "Token"
)

// FileVersions returns the versions of the file that the kubelet reads, the preferred one first.
func FileVersions() []string { return []string{FileV1, FileV1beta1, FileV1alpha1} }

// PluginVersions returns the versions of the plugin protocol that the kubelet speaks, the preferred one first.
func PluginVersions() []string { return []string{PluginV1, PluginV1beta1, PluginV1alpha1} }

// CacheTypes returns the values that the kubelet takes as tokenAttributes.cacheType.
func CacheTypes() []string { return []string{CacheTypeServiceAccount, CacheTypeToken} }

// Config is the content of one file. Absent and empty lists are told apart (nil and a list of length 0), although the
// kubelet treats them alike, so that what a person wrote survives a round trip; [Config.Equal] compares by meaning.
type Config struct {
	// APIVersion is one of FileVersions.
	APIVersion string
	// Providers are asked in this order; an earlier one wins where two answer for the same registry.
	Providers []Provider
}

// Provider is one plugin and the images that it answers for.
type Provider struct {
	// Name is the file name of the plugin's binary in --image-credential-provider-bin-dir.
	Name string
	// MatchImages are the patterns of the images for which the plugin is run; see [Matches].
	MatchImages []string
	// DefaultCacheDuration says for how long an answer is kept that names no duration itself. Nil is absent, which the
	// kubelet refuses; 0 is no caching.
	DefaultCacheDuration *time.Duration
	// APIVersion is one of PluginVersions.
	APIVersion string
	Args       []string
	// Env is added to the kubelet's own environment; of two entries of one name the last wins.
	Env []EnvVar
	// TokenAttributes are nil for a plugin that is not handed a service account token.
	TokenAttributes *TokenAttributes
}

// EnvVar is one variable of a plugin's environment.
type EnvVar struct {
	Name  string
	Value string
}

// TokenAttributes ask the kubelet for a token of the pod's service account, which it then hands to the plugin.
type TokenAttributes struct {
	// ServiceAccountTokenAudience is the aud of the token.
	ServiceAccountTokenAudience string
	// CacheType is one of CacheTypes.
	CacheType string
	// RequireServiceAccount says that the plugin is not run for pods without a service account (static pods). Nil is
	// absent, which the kubelet refuses.
	RequireServiceAccount *bool
	// RequiredServiceAccountAnnotationKeys are annotations without which the plugin is not run.
	RequiredServiceAccountAnnotationKeys []string
	// OptionalServiceAccountAnnotationKeys are annotations that are handed over when they are there.
	OptionalServiceAccountAnnotationKeys []string
}

// Equal reports whether the kubelet would behave the same with either: absent lists equal empty ones, environments
// are compared as they reach the plugin. The version of the file counts, the order of providers and arguments too.
func (c Config) Equal(other Config) bool {
	return c.APIVersion == other.APIVersion && slices.EqualFunc(c.Providers, other.Providers, Provider.Equal)
}

// Equal reports whether the kubelet would behave the same with either; see [Config.Equal].
func (p Provider) Equal(other Provider) bool {
	return p.Name == other.Name &&
		p.APIVersion == other.APIVersion &&
		slices.Equal(p.MatchImages, other.MatchImages) &&
		equalPointers(p.DefaultCacheDuration, other.DefaultCacheDuration) &&
		slices.Equal(p.Args, other.Args) &&
		slices.Equal(effectiveEnv(p.Env), effectiveEnv(other.Env)) &&
		p.TokenAttributes.equal(other.TokenAttributes)
}

func (t *TokenAttributes) equal(other *TokenAttributes) bool {
	if t == nil || other == nil {
		return t == other
	}
	return t.ServiceAccountTokenAudience == other.ServiceAccountTokenAudience &&
		t.CacheType == other.CacheType &&
		equalPointers(t.RequireServiceAccount, other.RequireServiceAccount) &&
		slices.Equal(t.RequiredServiceAccountAnnotationKeys, other.RequiredServiceAccountAnnotationKeys) &&
		slices.Equal(t.OptionalServiceAccountAnnotationKeys, other.OptionalServiceAccountAnnotationKeys)
}

// effectiveEnv is the environment as the plugin sees it: the last of several entries of one name, in the order of names.
func effectiveEnv(env []EnvVar) []EnvVar {
	values := make(map[string]string, len(env))
	for _, variable := range env {
		values[variable.Name] = variable.Value
	}
	effective := make([]EnvVar, 0, len(values))
	for name, value := range values {
		effective = append(effective, EnvVar{Name: name, Value: value})
	}
	slices.SortFunc(effective, func(a, b EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return effective
}

func equalPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Field is a member of a provider or of the file, by its path of JSON names.
type Field string

// The fields that a [Location] can name.
const (
	FieldAPIVersion             Field = "apiVersion"
	FieldProviders              Field = "providers"
	FieldName                   Field = "name"
	FieldMatchImages            Field = "matchImages"
	FieldDefaultCacheDuration   Field = "defaultCacheDuration"
	FieldTokenAttributes        Field = "tokenAttributes"
	FieldAudience               Field = "tokenAttributes.serviceAccountTokenAudience"
	FieldCacheType              Field = "tokenAttributes.cacheType"
	FieldRequireServiceAccount  Field = "tokenAttributes.requireServiceAccount"
	FieldRequiredAnnotationKeys Field = "tokenAttributes.requiredServiceAccountAnnotationKeys"
	FieldOptionalAnnotationKeys Field = "tokenAttributes.optionalServiceAccountAnnotationKeys"
)

// None stands for an index that a [Location] does not have.
const None = -1

// Location is a place in a [Config].
type Location struct {
	// Provider is the index of the provider, or None when Field is a member of the file itself.
	Provider int
	// Name is that provider's name, for people.
	Name  string
	Field Field
	// Element is the index in the list that Field names, or None for the field as a whole.
	Element int
}

// String writes the place the way a person would look it up, such as
// providers[0] "ak-kubelet-provider": matchImages[2].
func (l Location) String() string {
	var text strings.Builder
	if l.Provider != None {
		fmt.Fprintf(&text, "providers[%d] %q: ", l.Provider, l.Name)
	}
	text.WriteString(string(l.Field))
	if l.Element != None {
		fmt.Fprintf(&text, "[%d]", l.Element)
	}
	return text.String()
}
