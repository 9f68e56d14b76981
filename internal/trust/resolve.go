package trust

import (
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// resolution is which provider answers for a token.
type resolution struct {
	// provider is the one; it may be disabled. Nil when there is none, or more than one.
	provider *artifactkeeper.Provider
	// rivals are the enabled providers of the issuer that cannot be told apart.
	rivals []artifactkeeper.Provider
	// disabled are providers of the issuer that would answer, were they enabled.
	disabled []artifactkeeper.Provider
}

// resolve chooses as the exchange does: the provider that is named, or the one enabled provider of the issuer, a trailing
// slash aside; of several, the one whose audience the token is for.
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
	if len(enabled) > 1 {
		single := slices.DeleteFunc(slices.Clone(enabled), func(p artifactkeeper.Provider) bool {
			return !slices.Contains(audiences, p.Audience)
		})
		if len(single) == 1 {
			enabled = single
		}
	}
	switch {
	case len(enabled) == 1:
		out.provider = &enabled[0]
	case len(enabled) > 1:
		out.rivals = enabled
	case len(out.disabled) == 1:
		out.provider = &out.disabled[0]
	}
	return out
}
