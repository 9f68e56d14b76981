package kubeletconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Problem is one reason for which the kubelet refuses a file and exits at start.
type Problem struct {
	Location Location
	// Message is what the kubelet says. It names no provider; Location does.
	Message string
	// Remedy is what to do about it.
	Remedy string
	// reading marks what the kubelet meets while it reads the file, before it validates anything: it stops there.
	reading bool
}

// String is the place, the kubelet's words and the remedy in one line.
func (p Problem) String() string {
	return fmt.Sprintf("%s: %s (%s)", p.Location, p.Message, p.Remedy)
}

// ValidationError holds every [Problem] of a config, in the order in which the kubelet lists them.
type ValidationError struct {
	Problems []Problem
}

// Error is what the kubelet logs before it exits, without the names and remedies that Problems have.
func (e *ValidationError) Error() string {
	messages := make([]error, 0, len(e.Problems))
	for _, problem := range e.Problems {
		if problem.reading {
			return problem.Message
		}
		messages = append(messages, errors.New(problem.Message))
	}
	return fmt.Sprintf("failed to validate credential provider config: %v", utilerrors.NewAggregate(messages))
}

// Validate applies the kubelet's rules (Kubernetes 1.34 to 1.37) and returns a [*ValidationError] with all that breaks
// them, or nil. What the kubelet takes though it cannot be meant is the business of [Warnings].
func Validate(config Config) error {
	v := &validator{version: config.APIVersion}
	v.file(config)
	for i, provider := range config.Providers {
		v.at = Location{Provider: i, Name: provider.Name, Element: None}
		v.provider(provider)
		if provider.TokenAttributes != nil {
			v.tokenAttributes(provider)
		}
	}
	if len(v.problems) == 0 {
		return nil
	}
	return &ValidationError{Problems: v.problems}
}

type validator struct {
	version  string
	at       Location
	problems []Problem
}

// refuse records a problem of the current provider in the kubelet's words.
func (v *validator) refuse(where Field, element int, kubelet *field.Error, remedy string) {
	at := v.at
	at.Field, at.Element = where, element
	v.problems = append(v.problems, Problem{Location: at, Message: kubelet.Error(), Remedy: remedy})
}

// kubeletPath is how the kubelet names a field: without the provider's index.
func kubeletPath(f Field) *field.Path {
	return field.NewPath("providers", strings.Split(string(f), ".")...)
}

// file checks what the kubelet meets while decoding and merging files, and that there is a provider at all.
func (v *validator) file(config Config) {
	if !slices.Contains(FileVersions(), config.APIVersion) {
		v.problems = append(v.problems, Problem{
			Location: Location{Provider: None, Field: FieldAPIVersion, Element: None},
			Message:  unknownVersion(config.APIVersion),
			Remedy:   "use one of " + strings.Join(FileVersions(), ", "),
			reading:  true,
		})
	}
	seen := make(map[string]int, len(config.Providers))
	for i, provider := range config.Providers {
		if config.APIVersion != FileV1 && provider.TokenAttributes != nil {
			v.problems = append(v.problems, Problem{
				Location: Location{Provider: i, Name: provider.Name, Field: FieldTokenAttributes, Element: None},
				Message:  fmt.Sprintf("strict decoding error: unknown field \"providers[%d].tokenAttributes\"", i),
				Remedy:   "tokenAttributes exist only in files of apiVersion " + FileV1,
				reading:  true,
			})
		}
		first, again := seen[provider.Name]
		if again {
			v.problems = append(v.problems, Problem{
				Location: Location{Provider: i, Name: provider.Name, Field: FieldName, Element: None},
				Message:  fmt.Sprintf("duplicate provider name %q found in configuration file(s)", provider.Name),
				Remedy: fmt.Sprintf("providers[%d] has that name already; put both sets of matchImages into one provider, "+
					"or install the binary under a second name", first),
				reading: true,
			})
			continue
		}
		seen[provider.Name] = i
	}
	if len(config.Providers) == 0 {
		v.at = Location{Provider: None}
		v.refuse(FieldProviders, None, field.Required(field.NewPath("providers"), "at least 1 item in plugins is required"),
			"add a provider, or start the kubelet without --image-credential-provider-config")
	}
}

func unknownVersion(version string) string {
	gv, err := schema.ParseGroupVersion(version)
	switch {
	case err != nil:
		return err.Error()
	case version == "":
		return "Object 'apiVersion' is missing"
	}
	return runtime.NewNotRegisteredErrForKind(scheme.Name(), gv.WithKind(Kind)).Error()
}

func (v *validator) provider(p Provider) {
	name := kubeletPath(FieldName)
	const nameRemedy = "the name is the file name of the plugin's binary in --image-credential-provider-bin-dir"
	if strings.Contains(p.Name, "/") {
		v.refuse(FieldName, None, field.Invalid(name, p.Name, "provider name cannot contain '/'"), nameRemedy)
	}
	if strings.Contains(p.Name, " ") {
		v.refuse(FieldName, None, field.Invalid(name, p.Name, "provider name cannot contain spaces"), nameRemedy)
	}
	if p.Name == "." || p.Name == ".." {
		v.refuse(FieldName, None, field.Invalid(name, p.Name, "provider name cannot be '"+p.Name+"'"), nameRemedy)
	}

	supported := sets.List(sets.New(PluginVersions()...))
	switch {
	case p.APIVersion == "":
		v.refuse(FieldAPIVersion, None, field.Required(kubeletPath(FieldAPIVersion), ""), "use "+PluginV1)
	case !slices.Contains(supported, p.APIVersion):
		v.refuse(FieldAPIVersion, None, field.NotSupported(kubeletPath(FieldAPIVersion), p.APIVersion, supported),
			"use "+PluginV1+", unless the plugin speaks an older version only")
	}

	images := kubeletPath(FieldMatchImages)
	if len(p.MatchImages) == 0 {
		v.refuse(FieldMatchImages, None, field.Required(images, "at least 1 item in matchImages is required"),
			"name the registry, such as registry.example.com")
	}
	for i, pattern := range p.MatchImages {
		if _, err := ParsePattern(pattern); err != nil {
			v.refuse(FieldMatchImages, i, field.Invalid(images, pattern, fmt.Sprintf("match image is invalid: %s", err)),
				"write HOST[:PORT][/PATH]; only the labels of the host may hold a *, and a port is a number")
		}
	}

	cache := kubeletPath(FieldDefaultCacheDuration)
	if p.DefaultCacheDuration == nil {
		v.refuse(FieldDefaultCacheDuration, None, field.Required(cache, ""), `set a duration, such as "5m"; "0s" caches nothing`)
		return
	}
	if *p.DefaultCacheDuration < 0 {
		given := &metav1.Duration{Duration: *p.DefaultCacheDuration}
		v.refuse(FieldDefaultCacheDuration, None, field.Invalid(cache, given, "must be greater than or equal to 0"),
			`use a duration of "0s" (no caching) or more`)
	}
}

func (v *validator) tokenAttributes(p Provider) {
	t, attributes := p.TokenAttributes, kubeletPath(FieldTokenAttributes)
	if t.ServiceAccountTokenAudience == "" {
		v.refuse(FieldAudience, None, field.Required(kubeletPath(FieldAudience), ""),
			"set the audience that the registry expects of a token")
	}
	if t.RequireServiceAccount == nil {
		v.refuse(FieldRequireServiceAccount, None, field.Required(kubeletPath(FieldRequireServiceAccount), ""),
			"set true, or false for a plugin that also answers for pods without a service account")
	}
	if p.APIVersion != PluginV1 {
		v.refuse(FieldTokenAttributes, None,
			field.Forbidden(attributes, "tokenAttributes is only supported for "+PluginV1+" API version"),
			"set the provider's apiVersion to "+PluginV1+", or take the tokenAttributes out")
	}
	if t.RequireServiceAccount != nil && !*t.RequireServiceAccount && len(t.RequiredServiceAccountAnnotationKeys) > 0 {
		v.refuse(FieldRequiredAnnotationKeys, None, field.Forbidden(kubeletPath(FieldRequiredAnnotationKeys),
			"requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set"),
			"set requireServiceAccount to true, or make the annotations optional")
	}
	v.annotationKeys(FieldRequiredAnnotationKeys, t.RequiredServiceAccountAnnotationKeys)
	v.annotationKeys(FieldOptionalAnnotationKeys, t.OptionalServiceAccountAnnotationKeys)

	required, optional := sets.New(t.RequiredServiceAccountAnnotationKeys...), sets.New(t.OptionalServiceAccountAnnotationKeys...)
	if both := required.Intersection(optional); both.Len() > 0 {
		v.refuse(FieldTokenAttributes, None,
			field.Invalid(attributes, sets.List(both), "annotation keys cannot be both required and optional"),
			"take each of these keys out of one of the two lists")
	}

	types := sets.List(sets.New(CacheTypes()...))
	switch {
	case t.CacheType == "":
		v.refuse(FieldCacheType, None, field.Required(kubeletPath(FieldCacheType),
			"cacheType is required to be set when tokenAttributes is specified. Supported values are: "+strings.Join(types, ", ")),
			cacheTypeRemedy)
	case !slices.Contains(types, t.CacheType):
		v.refuse(FieldCacheType, None, field.NotSupported(kubeletPath(FieldCacheType), t.CacheType, types), cacheTypeRemedy)
	}
}

const cacheTypeRemedy = "use ServiceAccount when the pods of one service account may share what the plugin answers, else Token"

// annotationKeys checks one list: qualified names in any case, each once (where case does count).
func (v *validator) annotationKeys(where Field, keys []string) {
	seen := sets.New[string]()
	for i, key := range keys {
		for _, message := range validation.IsQualifiedName(strings.ToLower(key)) {
			v.refuse(where, i, field.Invalid(kubeletPath(where), key, message), "write the key of an annotation, such as example.com/role")
		}
		if seen.Has(key) {
			v.refuse(where, i, field.Duplicate(kubeletPath(where), key), "name each key once")
		}
		seen.Insert(key)
	}
}
