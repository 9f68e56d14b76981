package trust

import (
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// resolution is which provider answers for a token.
type resolution struct {
	// provider is the one, or the one that is meant: it may be disabled, or miss the audience. Nil when there is none, or
	// more than one.
	provider *artifactkeeper.Provider
	// rivals are the enabled providers of the issuer that cannot be told apart, or that stand beside the one that is meant.
	rivals []artifactkeeper.Provider
	// disabled are providers of the issuer that could answer, were they enabled.
	disabled []artifactkeeper.Provider
}

// resolve chooses as the exchange does: the provider that is named, or the one enabled provider of the issuer, a trailing
// slash aside; of several, the one whose audience the token is for. Where the registry finds none in this way, the one is
// taken that is meant: a disabled one of the audience, or one whose audience is spelt nearly alike.
func resolve(providers []artifactkeeper.Provider, issuer string, audiences []string, id string) resolution {
	var out resolution
	if id != "" {
		for _, p := range providers {
			if artifactkeeper.CanonicalID(p.ID) == artifactkeeper.CanonicalID(id) {
				out.provider = &p
			}
		}
		return out
	}
	var enabled []artifactkeeper.Provider
	for _, p := range providers {
		switch {
		case strings.TrimRight(p.IssuerURL, "/") != strings.TrimRight(issuer, "/"):
		case p.IsEnabled:
			enabled = append(enabled, p)
		default:
			out.disabled = append(out.disabled, p)
		}
	}
	of := func(p artifactkeeper.Provider) bool { return slices.Contains(audiences, p.Audience) }
	near := func(p artifactkeeper.Provider) bool {
		return slices.ContainsFunc(audiences, func(a string) bool { return audience.NearMiss(a, p.Audience) != "" })
	}
	switch {
	case slices.ContainsFunc(enabled, of):
		out.provider = single(enabled, of)
	case single(out.disabled, of) != nil:
		out.provider = single(out.disabled, of)
	case len(enabled) == 1:
		out.provider = &enabled[0]
	case len(enabled) > 0:
		out.provider = single(enabled, near)
	case len(out.disabled) == 1:
		out.provider = &out.disabled[0]
	default:
		out.provider = single(out.disabled, near)
	}
	if out.provider == nil || !of(*out.provider) || !out.provider.IsEnabled {
		out.rivals = slices.DeleteFunc(slices.Clone(enabled), func(p artifactkeeper.Provider) bool {
			return out.provider != nil && p.ID == out.provider.ID
		})
	}
	return out
}

// single is the one provider for which a test holds; nil when it holds for none, or for several.
func single(providers []artifactkeeper.Provider, holds func(artifactkeeper.Provider) bool) *artifactkeeper.Provider {
	var found *artifactkeeper.Provider
	for _, p := range providers {
		switch {
		case !holds(p):
		case found != nil:
			return nil
		default:
			found = &p
		}
	}
	return found
}
