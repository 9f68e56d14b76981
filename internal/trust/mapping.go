package trust

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// fit is how a mapping and a token go together.
type fit int

const (
	refuses  fit = iota // a filter does not match
	depends             // the filters that can be judged match, and one is about the pod or the node
	accepts             // all filters match
	unusable            // the filters cannot be read
)

// match is one mapping held against the token.
type match struct {
	mapping artifactkeeper.Mapping
	fit     fit
	failed  []claims.Reason // the filters that do not match
	open    []string        // the keys of filters that depend on the pod
	problem string          // why the filters cannot be read
}

// matchAll holds every mapping against claims, in the registry's order. minted says that the claims are those of a real
// token, rather than those that one would have.
func matchAll(mappings []artifactkeeper.Mapping, of claims.Claims, minted bool) []match {
	out := make([]match, len(mappings))
	for i, m := range mappings {
		out[i] = match{mapping: m}
		var filters claims.Filters
		if err := filters.UnmarshalJSON(m.ClaimFilters); err != nil {
			out[i].fit, out[i].problem = unusable, err.Error()
			continue
		}
		_, reasons := filters.Match(of)
		values := filters.Value()
		for _, reason := range reasons {
			switch {
			case dependsOnPod(reason.Key, values[reason.Key]), !minted && !reason.Present && madeWithToken(reason.Key):
				out[i].open = append(out[i].open, reason.Key)
			case !reason.Matched:
				out[i].failed = append(out[i].failed, reason)
			}
		}
		switch {
		case len(out[i].failed) > 0:
			out[i].fit = refuses
		case len(out[i].open) > 0:
			out[i].fit = depends
		default:
			out[i].fit = accepts
		}
	}
	return out
}

// dependsOnPod reports whether a filter is about what a token has only when it is bound to a pod.
func dependsOnPod(key string, expected any) bool {
	names := strings.Split(strings.TrimPrefix(key, "/"), "/")
	if names[0] != "kubernetes.io" || strings.Contains(key, "/") != strings.HasPrefix(key, "/") {
		return false
	}
	if len(names) == 1 {
		_, object := expected.(map[string]any) // compared as a whole, with the pod in it
		return object
	}
	return names[1] == "pod" || names[1] == "node"
}

// madeWithToken names the claims that are not known before a token is made.
func madeWithToken(key string) bool {
	return key == "/kubernetes.io/serviceaccount/uid" ||
		slices.Contains([]string{"iss", "aud", "exp", "iat", "nbf", "jti"}, strings.TrimPrefix(key, "/"))
}

// winnerOf is the first enabled mapping that accepts the token, unless an earlier one might.
func winnerOf(all []match) *artifactkeeper.Mapping {
	for i := range all {
		switch {
		case !all[i].mapping.IsEnabled:
		case all[i].fit == accepts:
			return &all[i].mapping
		case all[i].fit == depends, all[i].fit == unusable:
			return nil
		}
	}
	return nil
}

func (c *chain) mapping() Link {
	p := c.resolved.provider
	if p == nil {
		return skipped(Mapping, "no provider of the registry answers for the issuer, so there are no mappings to look at")
	}
	var f finding
	switch {
	case c.mappingsErr != nil:
		f.lacks(advice(c.mappingsErr), "%s", c.mappingsErr)
	case len(c.mappings) == 0:
		f.refusal = true
		f.breaks(c.mappingRemedy(), "the provider %q has no identity mappings, so that no token becomes an account", p.Name)
	case c.winner != nil:
		c.describeWinner(&f)
	case c.dependsOnPod():
		f.lacks("Filter on the namespace and the ServiceAccount, which do not change from pod to pod. Or ask no more than that no link is "+
			"broken:\ncondition = alltrue([for link in data.aktrust_pull_check.NAME.links : link.status != \"broken\"])",
			"which mapping wins depends on the pod, and a token that was made for a check has none: %s", c.describeMatches(nil))
	case c.anyEnabled(unusable):
		f.lacks("Look at the mapping by eye.", "which mapping wins is not known, because one cannot be read: %s", c.describeMatches(nil))
	case c.credential != nil:
		f.lacks("", "the registry gave a credential for %q though no mapping matches as it is read here: %s", c.credential.Username,
			c.describeMatches(nil))
	default:
		f.refusal = true
		f.breaks(c.nearestRemedy(), "no mapping of the provider %q matches: %s", p.Name, c.describeMatches(nil))
	}
	return f.link(Mapping)
}

// dependsOnPod reports whether the token of a pod may meet another mapping than one that was made for a check.
func (c *chain) dependsOnPod() bool { return c.winner == nil && c.anyEnabled(depends) }

func (c *chain) anyEnabled(how fit) bool {
	return slices.ContainsFunc(c.matches, func(m match) bool { return m.mapping.IsEnabled && m.fit == how })
}

// noMapping reports whether the registry took the token, and found no mapping for it.
func noMapping(e *artifactkeeper.Error) bool {
	return strings.Contains(e.Message, "did not match any identity mapping")
}

// describeWinner says which mapping wins, why the others do not, and whether the registry agrees.
func (c *chain) describeWinner(f *finding) {
	m := c.winner
	var filters claims.Filters
	if err := filters.UnmarshalJSON(m.ClaimFilters); err != nil {
		f.lacks("", "the filters of the mapping %q cannot be read: %s", m.Name, err)
		return
	}
	f.note("the mapping %q (%s, priority %d) wins for %s", m.Name, m.ID, m.Priority, filters.Describe())
	if others := c.describeMatches(m); others != "" {
		f.note("the others: %s", others)
	}
	if next, _ := c.next(nil); next != nil {
		f.remedy(c.makeWay(next))
	}
	var refused *artifactkeeper.Error
	switch {
	case c.credential != nil && m.ServiceAccountUsername != nil && *m.ServiceAccountUsername != c.credential.Username:
		f.lacks("", "the registry gave a credential for %q, and the account of this mapping is %q", c.credential.Username,
			*m.ServiceAccountUsername)
	case errors.As(c.exchangeErr, &refused) && noMapping(refused):
		f.breaks("Upgrade the registry where it is older than "+artifactkeeper.MinimumVersion+": it takes a JSON Pointer for the "+
			"name of a claim.",
			"the mapping %q matches as it is read here, and the registry says: %s", m.Name, refused.Message)
	}
}

// mostMatches is how many mappings a detail explains, the nearest ones when there are more.
const mostMatches = 20

// describeMatches says of each mapping but the winner why it does not win.
func (c *chain) describeMatches(winner *artifactkeeper.Mapping) string {
	var texts []string
	all := slices.DeleteFunc(slices.Clone(c.matches), func(m match) bool { return winner != nil && m.mapping.ID == winner.ID })
	more := len(all) - mostMatches
	if more > 0 {
		slices.SortStableFunc(all, byDistance)
		all = all[:mostMatches]
	}
	for _, m := range all {
		texts = append(texts, fmt.Sprintf("%s %s", c.called(&m.mapping), m.describe(winner != nil)))
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more that are further off", more))
	}
	return strings.Join(texts, "; ")
}

func (m match) describe(won bool) string {
	var text string
	switch m.fit {
	case accepts:
		text = "matches"
		if won && m.mapping.IsEnabled {
			text = fmt.Sprintf("matches too, and comes later (priority %d)", m.mapping.Priority)
		}
	case depends:
		text = "depends on the pod (" + strings.Join(m.open, ", ") + ")"
	case unusable:
		text = "cannot be read: " + m.problem
	default:
		reasons := make([]string, len(m.failed))
		for i, reason := range m.failed {
			reasons[i] = reason.String()
		}
		text = "does not match (" + strings.Join(reasons, " | ") + ")"
	}
	if !m.mapping.IsEnabled {
		text += ", and is disabled"
	}
	return text
}

// byDistance puts the mapping first that needs the least to match.
func byDistance(a, b match) int { return cmp.Compare(a.distance(), b.distance()) }

func (m match) distance() int {
	far := 0
	for _, reason := range m.failed {
		far += 3
		if len(reason.Hints) > 0 && (reason.Present || slices.ContainsFunc(reason.Hints, meant)) {
			far -= 2 // it was nearly right
		}
	}
	if m.fit == unusable {
		far += 100
	}
	return far
}

// meant reports whether a hint about a claim that is missing names the one that was meant.
func meant(hint string) bool {
	return strings.HasPrefix(hint, "did you mean") || strings.HasSuffix(hint, "upper and lower case count")
}

// nearestRemedy is about the mapping that needs the least to match.
func (c *chain) nearestRemedy() string {
	nearest := slices.MinFunc(c.matches, byDistance)
	if nearest.fit == accepts { // and yet no winner
		return fmt.Sprintf("is_enabled = true for the mapping %s", c.called(&nearest.mapping))
	}
	var hints []string
	for _, reason := range nearest.failed {
		hints = append(hints, reason.Hints...)
	}
	text := ""
	if nearest.distance() < 3 && len(hints) > 0 {
		text = fmt.Sprintf("In the mapping %s: %s.\n", c.called(&nearest.mapping), strings.Join(hints, "; "))
	}
	return text + c.mappingRemedy()
}

func (c *chain) mappingRemedy() string {
	return fmt.Sprintf("If it is meant to pull, let a mapping say:\nclaim_filters = {\n  \"/kubernetes.io/namespace\"           = %q\n"+
		"  \"/kubernetes.io/serviceaccount/name\" = %q\n}", c.Namespace, c.ServiceAccount)
}
