package functions

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// What stands in an entry when no option says otherwise. The plugin exchanges the token that it is handed, and answers with
// the result, so that pods of one service account can share it; it names a duration itself, so that the default does not
// come into play.
const (
	defaultName          = "ak-kubelet-provider"
	defaultCacheDuration = "5m"
	defaultCacheType     = kubeletconfig.CacheTypeServiceAccount
)

// akPlugin is how the registry's plugin is to be run.
type akPlugin struct {
	url         string
	audience    string
	matchImages []string
	options     chosen
}

// entry gives the element of providers. The error is about the first argument that breaks a rule of the kubelet.
func (p akPlugin) entry() (entry, *function.FuncError) {
	written := p.options.or("default_cache_duration", defaultCacheDuration)
	duration, err := time.ParseDuration(written)
	if err != nil {
		return entry{}, function.NewArgumentFuncError(p.options.position, err.Error())
	}
	// There is no reason to run it for a pod without a service account: it can do nothing without a token.
	required := true
	provider := kubeletconfig.Provider{
		Name:                 p.options.or("name", defaultName),
		MatchImages:          p.matchImages,
		DefaultCacheDuration: &duration,
		APIVersion:           kubeletconfig.PluginV1,
		Args:                 p.args(),
		TokenAttributes: &kubeletconfig.TokenAttributes{
			ServiceAccountTokenAudience: p.audience,
			CacheType:                   p.options.or("cache_type", defaultCacheType),
			RequireServiceAccount:       &required,
		},
	}
	if refused := p.refused(provider); refused != nil {
		return entry{}, refused
	}
	made := newEntry(provider)
	made.DefaultCacheDuration = written
	return made, nil
}

// args are the plugin's flags, as far as they are not left to its defaults.
func (p akPlugin) args() []string {
	args := []string{"--url=" + p.url}
	for _, option := range options {
		if value, ok := p.options.values[option.name]; ok && option.flag != "" {
			args = append(args, option.flag+"="+value)
		}
	}
	return args
}

// refused holds the kubelet's rules against the entry. The error names all that is wrong with one argument, the first.
func (p akPlugin) refused(provider kubeletconfig.Provider) *function.FuncError {
	config := kubeletconfig.Config{APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{provider}}
	invalid, ok := errors.AsType[*kubeletconfig.ValidationError](kubeletconfig.Validate(config))
	if !ok {
		return nil
	}
	first := p.position(slices.MinFunc(invalid.Problems, func(a, b kubeletconfig.Problem) int {
		return cmp.Compare(p.position(a), p.position(b))
	}))
	var said, advice []string
	for _, problem := range invalid.Problems {
		if p.position(problem) == first {
			said, advice = append(said, problem.Message), append(advice, problem.Remedy)
		}
	}
	return function.NewArgumentFuncError(first, refusal("this", strings.Join(said, "\n  "), advice))
}

// position gives the argument that the field with a problem comes from.
func (p akPlugin) position(problem kubeletconfig.Problem) int64 {
	switch problem.Location.Field {
	case kubeletconfig.FieldAudience:
		return audiencePosition
	case kubeletconfig.FieldMatchImages:
		return matchImagesPosition
	default:
		return p.options.position
	}
}

// checkURL refuses what is no address of a registry, in a clause. It quotes nothing of the text, in which a password may
// stand.
func checkURL(text string) error {
	parsed, err := url.Parse(text)
	switch {
	case strings.HasPrefix(strings.ToLower(text), "http://"):
		return errors.New("http:// is refused: whoever listens on the way would have the tokens of the pods; use https://")
	case !strings.HasPrefix(strings.ToLower(text), "https://"):
		return errors.New("has to begin with https://, such as https://ak.example.com")
	case err != nil, strings.ContainsFunc(text, unicode.IsSpace):
		return errors.New("is not a URL such as https://ak.example.com")
	case parsed.User != nil:
		return errors.New("has a user name or password before the @, which everyone could read in the kubelet's file; leave it out")
	case parsed.Hostname() == "":
		return errors.New("has no host; write it such as https://ak.example.com")
	case strings.ContainsAny(text, "?#"):
		return errors.New("has a query or a fragment, which the address of a registry does not have; leave it out")
	}
	return nil
}

// readImages gives the patterns, of which none can be null.
func readImages(images []types.String) ([]string, *function.FuncError) {
	texts := make([]string, len(images))
	for i, image := range images {
		if image.IsNull() {
			return nil, function.NewArgumentFuncError(matchImagesPosition,
				fmt.Sprintf("element %d is null; leave it out, for example with compact()", i))
		}
		texts[i] = image.ValueString()
	}
	return texts, nil
}
