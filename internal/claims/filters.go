// Package claims reads the claim filters of the registry's CI OIDC identity mappings, compares them by meaning, holds
// them against the claims of a token exactly as the registry does, and explains the outcome, which the registry
// never tells the holder of a token.
//
// The rules are the registry's: a key is the name of a top-level claim or, when it starts with "/", a JSON Pointer
// (RFC 6901) into the claims; dots mean nothing. A value that is an array matches when any element equals the claim,
// any other value has to equal it. Equality is JSON equality without patterns, prefixes or conversions, and a missing
// claim equals null. All keys have to match.
package claims

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// Filters are the claim filters of one mapping. The zero Filters are {}, which match every token.
type Filters struct {
	// values are what strictjson.Decode returns.
	values map[string]any
}

// Parse reads filters written as JSON text. It refuses what the registry refuses: anything but an object, a key that
// starts with "/" and is not a JSON Pointer, a number beyond what fits 64 bits; and a member named twice. Errors name
// the key.
func Parse(text string) (Filters, error) {
	value, err := strictjson.Decode(text)
	if err != nil {
		return Filters{}, fmt.Errorf("claim filters are a JSON object: %w", err)
	}
	return fromDecoded(value)
}

// FromValue makes filters of a Go value as encoding/json reads or writes it. The rules are those of Parse. A float64
// without fraction counts as an integer, as it does for json.Marshal; use json.Number where 1 and 1.0 must stay apart.
func FromValue(value any) (Filters, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return Filters{}, fmt.Errorf("claim filters cannot be written as JSON: %w", err)
	}
	return Parse(string(text))
}

func fromDecoded(value any) (Filters, error) {
	filters, err := object(value)
	if err != nil {
		return Filters{}, err
	}
	for _, key := range filters.Keys() {
		if err := checkPointer(key); err != nil {
			return Filters{}, err
		}
	}
	return filters, nil
}

// object takes any JSON object whose numbers the registry can hold.
func object(value any) (Filters, error) {
	values, ok := value.(map[string]any)
	if !ok {
		hint := ""
		if text, isText := value.(string); isText && strings.HasPrefix(strings.TrimSpace(text), "{") {
			hint = " that holds one (was it encoded twice?)"
		}
		return Filters{}, fmt.Errorf("claim filters are a JSON object of claim names and values, this is %s%s",
			strictjson.TypeName(value), hint)
	}
	filters := Filters{values: values}
	for _, key := range filters.Keys() {
		if err := checkNumbers(values[key]); err != nil {
			return Filters{}, fmt.Errorf("claim filter %q: %w", key, err)
		}
	}
	return filters, nil
}

// checkPointer refuses a key that starts with "/" and has an escape that RFC 6901 section 3 does not know. The
// registry refuses it when it saves the mapping, because it could never match.
func checkPointer(key string) error {
	if !strings.HasPrefix(key, "/") {
		return nil
	}
	for i, r := range key {
		if r == '~' && (i+1 == len(key) || key[i+1] != '0' && key[i+1] != '1') {
			return fmt.Errorf("claim filter %q is not a JSON Pointer: after \"~\" only \"0\" (for \"~\") and \"1\" (for \"/\")"+
				" may follow (RFC 6901 section 3)", key)
		}
	}
	return nil
}

// MarshalJSON writes the filters as an object, keys sorted, numbers with their exact text.
func (f Filters) MarshalJSON() ([]byte, error) {
	text, err := strictjson.Encode(f.object())
	return []byte(text), err
}

// UnmarshalJSON reads filters that the registry holds. A key that is no JSON Pointer is taken as it is: versions that
// know no pointers store any name, and such a mapping has to be readable to be mended.
func (f *Filters) UnmarshalJSON(text []byte) error {
	value, err := strictjson.Decode(string(text))
	if err != nil {
		return fmt.Errorf("claim filters are a JSON object: %w", err)
	}
	*f, err = object(value)
	return err
}

// JSON is the text of MarshalJSON.
func (f Filters) JSON() string { return encode(f.object()) }

// Value returns a copy of the filters as Go values: nil, bool, string, json.Number, []any and map[string]any.
func (f Filters) Value() map[string]any { return clone(f.object()).(map[string]any) }

// Keys returns the keys, sorted in byte order.
func (f Filters) Keys() []string { return slices.Sorted(maps.Keys(f.values)) }

// Len is the number of keys.
func (f Filters) Len() int { return len(f.values) }

// UsesPointer tells whether a key starts with "/". Versions of the registry before 1.11 take such a key for the name of
// a claim, so that it never matches.
func (f Filters) UsesPointer() bool {
	for key := range f.values {
		if strings.HasPrefix(key, "/") {
			return true
		}
	}
	return false
}

// Equal tells whether both mean the same: the order of keys, of object members and of the alternatives of a filter
// does not count, nor does an alternative named twice. "a" and ["a"] are kept apart, as are 1, 1.0 and "1".
func (f Filters) Equal(o Filters) bool { return f.Canonical() == o.Canonical() }

// Canonical is the same text for filters that mean the same, and another one for others. Numbers appear in it as the
// registry holds them; use JSON for the exact text.
func (f Filters) Canonical() string {
	out := make(map[string]any, len(f.values))
	for key, value := range f.values {
		alternatives, ok := value.([]any)
		if !ok {
			out[key] = canonical(value)
			continue
		}
		texts := make([]string, len(alternatives))
		for i, alternative := range alternatives {
			texts[i] = encode(canonical(alternative))
		}
		slices.Sort(texts)
		raw := make([]json.RawMessage, 0, len(texts))
		for _, text := range slices.Compact(texts) {
			raw = append(raw, json.RawMessage(text))
		}
		out[key] = raw
	}
	return encode(out)
}

func (f Filters) object() map[string]any {
	if f.values == nil {
		return map[string]any{}
	}
	return f.values
}
