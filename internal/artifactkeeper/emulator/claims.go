package emulator

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// matches says whether every filter of a mapping matches the claims of a
// token. Filters that are not an object match nothing, {} matches everything.
func (s *Server) matches(filters json.RawMessage, claims any) bool {
	members, ok := decodeNumbers(filters).(map[string]any)
	if !ok {
		return false
	}
	for key, want := range members {
		if !matchesAny(want, s.claim(claims, key)) {
			return false
		}
	}
	return true
}

// matchesAny compares a claim with what a filter wants: one value, or any of
// the elements of an array. An empty array is never matched.
func matchesAny(want, claim any) bool {
	choices, ok := want.([]any)
	if !ok {
		return equal(want, claim)
	}
	for _, choice := range choices {
		if equal(choice, claim) {
			return true
		}
	}
	return false
}

// claim finds what a filter key names: a claim, or with a leading slash what
// the JSON Pointer (RFC 6901) leads to. What is missing is null.
func (s *Server) claim(claims any, key string) any {
	if !s.behaviour.claimPointers || !strings.HasPrefix(key, "/") {
		members, _ := claims.(map[string]any)
		return members[key]
	}
	found := claims
	for token := range strings.SplitSeq(key[1:], "/") {
		found = step(found, unescapePointer.Replace(token))
	}
	return found
}

// unescapePointer undoes the escapes of a reference token in one pass, so
// that ~01 is ~1 and not a slash (RFC 6901 section 4).
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// step goes into a member of an object or an element of an array.
func step(value any, token string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[token]
	case []any:
		// An index has no sign and no leading zero.
		index, err := strconv.ParseUint(token, 10, 31)
		if err == nil && strconv.FormatUint(index, 10) == token && int(index) < len(v) {
			return v[index]
		}
	}
	return nil
}

// validPointer says whether every ~ of a pointer begins one of the two
// escapes that there are.
func validPointer(pointer string) bool {
	for rest := pointer; ; {
		_, after, found := strings.Cut(rest, "~")
		if !found {
			return true
		}
		if !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1") {
			return false
		}
		rest = after
	}
}

// equal is equality of JSON values. Types are kept apart, and so are whole
// and other numbers, as serde_json does: 1 is neither "1" nor 1.0.
func equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			other, ok := y[key]
			if !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && equalNumbers(x.String(), y.String())
	default: // string, bool, nil
		return a == b
	}
}

func equalNumbers(a, b string) bool {
	x, aWhole := new(big.Int).SetString(a, 10)
	y, bWhole := new(big.Int).SetString(b, 10)
	if aWhole && bWhole {
		return x.Cmp(y) == 0
	}
	if aWhole || bWhole {
		return false
	}
	f, errA := strconv.ParseFloat(a, 64)
	g, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && f == g
}
