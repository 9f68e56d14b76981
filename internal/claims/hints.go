package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// hints say why a filter that did not match may look as if it should.
func hints(key string, expected, found any, present bool, c Claims) []string {
	if list, ok := expected.([]any); ok && len(list) == 0 {
		return []string{"an empty list never matches"}
	}
	if !present {
		return missing(key, c)
	}
	var out []string
	for _, one := range alternatives(expected) {
		if hint := nearMiss(one, found); hint != "" && !slices.Contains(out, hint) {
			out = append(out, hint)
		}
	}
	return out
}

// nearMiss compares one value that the filter accepts with the claim that the token has.
func nearMiss(want, found any) string {
	switch claim := found.(type) {
	case string:
		if text, ok := want.(string); ok {
			return nearText(text, claim)
		}
	case []any:
		if slices.ContainsFunc(claim, func(element any) bool { return equal(element, want) }) {
			return fmt.Sprintf("the claim is a list that has %s in it, and a filter compares the whole list; write [%s]",
				brief(want), brief(claim))
		}
	case map[string]any:
		part, ok := want.(map[string]any)
		switch {
		case !ok:
			return fmt.Sprintf("the claim is an object with %s; name a member by a pointer", list(claim))
		case within(part, claim):
			return "the claim has that and more, and whole objects are compared; name its members by pointers"
		}
	}
	return otherType(want, found)
}

// within reports whether an object has all that a part has, at any depth.
func within(part, whole map[string]any) bool {
	for name, member := range part {
		found, present := whole[name]
		if present && equal(member, found) {
			continue
		}
		inner, ok := member.(map[string]any)
		outer, both := found.(map[string]any)
		if !ok || !both || !within(inner, outer) {
			return false
		}
	}
	return true
}

func nearText(want, found string) string {
	switch globbed, _ := path.Match(want, found); {
	case strings.EqualFold(want, found):
		return "upper and lower case count"
	case strings.TrimSpace(want) == strings.TrimSpace(found):
		return "white space counts"
	case strings.TrimRight(want, "/") == strings.TrimRight(found, "/"):
		return "a trailing slash counts"
	case globbed:
		return fmt.Sprintf("%q is compared letter by letter, there are no patterns; list the values", want)
	case strings.HasPrefix(found, want) && want != "":
		return fmt.Sprintf("%q is only the beginning of the claim, and there are no prefixes; list the whole values", want)
	}
	return ""
}

// otherType recognises the right value in the wrong JSON type, which JSON equality never forgives.
func otherType(want, found any) string {
	_, wantNumber := want.(json.Number)
	_, foundNumber := found.(json.Number)
	switch {
	case wantNumber && foundNumber && sameAmount(want, found):
		return "the registry tells integers and decimals apart, 1 is not 1.0"
	case strictjson.TypeName(want) != strictjson.TypeName(found) && scalar(want) && scalar(found) &&
		textual(want) == textual(found):
		return fmt.Sprintf("the filter has %s and the claim is %s; write %s", strictjson.TypeName(want),
			strictjson.TypeName(found), brief(found))
	}
	return ""
}

func sameAmount(a, b any) bool {
	left, err := a.(json.Number).Float64()
	if err != nil {
		return false
	}
	right, err := b.(json.Number).Float64()
	return err == nil && left == right
}

func scalar(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

// missing says where the way to a claim ends, and which claim may have been meant.
func missing(key string, c Claims) []string {
	if pointer := meant(key); pointer != "" {
		if value, found := c.Lookup(pointer); found {
			return []string{fmt.Sprintf("did you mean %s, which is %s?", pointer, brief(value))}
		}
	}
	names := []string{key}
	if strings.HasPrefix(key, "/") {
		names = tokens(key)
	}
	var parent any = c.object()
	for depth, name := range names {
		next, found := step(parent, name)
		if found {
			parent = next
			continue
		}
		return []string{end(names[:depth], name, parent)}
	}
	return nil
}

// end describes the place at which a name is missing.
func end(way []string, name string, parent any) string {
	where := "the token"
	if len(way) > 0 {
		where = pointerTo(way...)
	}
	members, ok := parent.(map[string]any)
	switch {
	case !ok && scalar(parent):
		return fmt.Sprintf("%s is %s, it has nothing inside", where, brief(parent))
	case !ok:
		return fmt.Sprintf("%s is a list of %d, its elements are named 0, 1, 2 and so on", where, len(parent.([]any)))
	case len(members) == 0:
		return where + " has no claims at all"
	}
	for _, other := range slices.Sorted(maps.Keys(members)) {
		if strings.EqualFold(other, name) {
			return fmt.Sprintf("%s has %q, and upper and lower case count", where, other)
		}
	}
	return fmt.Sprintf("%s has %s", where, list(members))
}

// list names the members of an object, sorted, as many as fit a sentence.
func list(members map[string]any) string {
	const most = 12
	names := slices.Sorted(maps.Keys(members))
	more := len(names) - most
	if more > 0 {
		names = names[:most]
	}
	for i, name := range names {
		names[i] = brief(name)
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (c Claims) object() map[string]any {
	if c.values == nil {
		return map[string]any{}
	}
	return c.values
}
