package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Reason is what one filter made of a token.
type Reason struct {
	// Key is the filter's key.
	Key string
	// Matched tells whether this filter lets the token through.
	Matched bool
	// Expected is the filter's value as JSON, cut when it is long.
	Expected string
	// Present tells whether the token has the claim.
	Present bool
	// Found is the claim as JSON, cut when it is long; empty when the token has none.
	Found string
	// Hints say, in sentences, why something that looks right does not match. They are empty when the filter matched or
	// nothing is close.
	Hints []string
}

// String says it in one line, for example:
//
//	/kubernetes.io/namespace: the filter wants "Team", the claim is "team"; upper and lower case count
func (r Reason) String() string {
	text := fmt.Sprintf("%s: the filter wants %s, ", r.Key, r.Expected)
	switch {
	case r.Matched && !r.Present:
		text += "and the token has no such claim, which equals null"
	case r.Matched:
		text += "and the claim is " + r.Found
	case !r.Present:
		text += "the token has no such claim"
	default:
		text += "the claim is " + r.Found
	}
	return strings.Join(append([]string{text}, r.Hints...), "; ")
}

// Match tells whether a token with these claims gets through the filters, and what each filter made of it, in the order
// of Keys. Filters without a key let every token through, and give no reasons.
func (f Filters) Match(c Claims) (bool, []Reason) {
	all := true
	reasons := make([]Reason, 0, f.Len())
	for _, key := range f.Keys() {
		reason := f.reason(key, c)
		all = all && reason.Matched
		reasons = append(reasons, reason)
	}
	return all, reasons
}

func (f Filters) reason(key string, c Claims) Reason {
	expected := f.values[key]
	found, present := c.Lookup(key)
	r := Reason{Key: key, Expected: wants(expected), Present: present, Matched: accepts(expected, found)}
	if present {
		r.Found = brief(found)
	}
	if !r.Matched {
		r.Hints = hints(key, expected, found, present, c)
	}
	return r
}

// accepts is the registry's rule. A missing claim comes in as nil, as null does.
func accepts(expected, found any) bool {
	if _, list := expected.([]any); !list {
		return equal(expected, found)
	}
	return slices.ContainsFunc(alternatives(expected), func(one any) bool { return equal(one, found) })
}

// alternatives are the values that a filter accepts.
func alternatives(expected any) []any {
	if list, ok := expected.([]any); ok {
		return list
	}
	return []any{expected}
}

// wants puts a filter's value into a sentence.
func wants(expected any) string {
	list, ok := expected.([]any)
	switch {
	case !ok:
		return brief(expected)
	case len(list) == 0:
		return "one of nothing"
	}
	return "one of " + brief(expected)
}
