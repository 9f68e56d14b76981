package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// Claims are the claims of one token. The zero Claims are empty.
type Claims struct {
	values map[string]any
}

// ParseClaims reads the claims set of a token, which is the decoded payload of a JWT: a JSON object (RFC 7519
// section 4) in which no claim is named twice.
func ParseClaims(text string) (Claims, error) {
	value, err := strictjson.Decode(text)
	if err != nil {
		return Claims{}, fmt.Errorf("claims are a JSON object: %w", err)
	}
	values, ok := value.(map[string]any)
	if !ok {
		return Claims{}, fmt.Errorf("claims are a JSON object, this is %s", strictjson.TypeName(value))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := checkNumbers(values[name]); err != nil {
			return Claims{}, fmt.Errorf("claim %q: %w", name, err)
		}
	}
	return Claims{values: values}, nil
}

// ClaimsFromValue makes claims of a Go value as encoding/json reads or writes it; see FromValue about numbers.
func ClaimsFromValue(value any) (Claims, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return Claims{}, fmt.Errorf("claims cannot be written as JSON: %w", err)
	}
	return ParseClaims(string(text))
}

// Lookup returns the claim that a filter's key names, and whether there is one. The value is nil, bool, string,
// json.Number, []any or map[string]any, and must not be changed.
func (c Claims) Lookup(key string) (any, bool) {
	if !strings.HasPrefix(key, "/") {
		value, found := c.values[key]
		return value, found
	}
	var current any = c.values
	for _, token := range tokens(key) {
		next, found := step(current, token)
		if !found {
			return nil, false
		}
		current = next
	}
	return current, true
}

// tokens splits a JSON Pointer into the names on its way. A "~" that is no escape stays as it is.
func tokens(pointer string) []string {
	names := strings.Split(pointer, "/")[1:]
	for i, name := range names {
		// This order, so that ~01 becomes ~1 (RFC 6901 section 4).
		names[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	}
	return names
}

// pointerTo is the JSON Pointer over those names.
func pointerTo(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// step goes one name further. An element of an array is named by its index in decimal digits without a leading zero.
func step(value any, name string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		member, found := value[name]
		return member, found
	case []any:
		if name != "0" && strings.HasPrefix(name, "0") || strings.HasPrefix(name, "+") {
			return nil, false
		}
		index, err := strconv.ParseUint(name, 10, 31)
		if err != nil || int(index) >= len(value) {
			return nil, false
		}
		return value[index], true
	}
	return nil, false
}
