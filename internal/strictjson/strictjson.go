// Package strictjson reads JSON texts in which nothing may be lost or guessed: trust anchors and the rules of who gets
// which access. It differs from encoding/json in three ways: numbers keep their exact text (json.Number), an object
// that names a member twice is an error instead of "the last one wins" (RFC 8259 section 4 leaves the choice open, and
// two readers that choose differently are a security hole), and anything after the value is an error.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Decode reads exactly one JSON value. It returns nil, bool, string, json.Number, []any or map[string]any.
//
// Errors name the line and column of a syntax error, or the place of a duplicate member, and never quote values: the
// text may be a private key pasted by mistake.
func Decode(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the text is empty")
	}
	// The whole text is checked first, so that the walk below only meets well-formed input: its depth is limited
	// there, and trailing data is found there.
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line, column := position(text, syntax.Offset)
			return nil, fmt.Errorf("not valid JSON at line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return value(dec, "")
}

// value reads the next value of dec; at is its place, for errors ("" is the top).
func value(dec *json.Decoder, at string) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return object(dec, at)
	case json.Delim('['):
		return array(dec, at)
	}
	return token, nil
}

func object(dec *json.Decoder, at string) (any, error) {
	out := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not valid JSON: %w", err)
		}
		name := token.(string) // the grammar allows nothing else here
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("duplicate member %s in %s", quote(name), place(at))
		}
		if out[name], err = value(dec, at+"."+name); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return out, err
}

func array(dec *json.Decoder, at string) (any, error) {
	out := []any{}
	for dec.More() {
		element, err := value(dec, fmt.Sprintf("%s[%d]", at, len(out)))
		if err != nil {
			return nil, err
		}
		out = append(out, element)
	}
	_, err := dec.Token()
	return out, err
}

// Encode writes v without white space, members sorted by name (byte order), numbers as they stand and no characters
// escaped that JSON does not want escaped: the same value is always the same text. v is what Decode returns, or any
// value that encoding/json can marshal.
func Encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// TypeName is what people call the JSON type of a value that Decode returns: "null", "a boolean", "a number",
// "a string", "an array" or "an object".
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number"
}

// position turns the offset of encoding/json, which counts the bytes read before the error, into a place that an
// editor shows; both count from 1, columns in characters.
func position(text string, offset int64) (line, column int) {
	before := text[:min(max(int(offset)-1, 0), len(text))]
	line = strings.Count(before, "\n") + 1
	return line, len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
}

func place(at string) string {
	if at == "" {
		return "the top-level object"
	}
	return shorten(strings.TrimPrefix(at, "."))
}

func quote(name string) string { return fmt.Sprintf("%q", shorten(name)) }

// shorten keeps an error readable when a member's name is not.
func shorten(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
