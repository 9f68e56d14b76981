package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// equal is JSON equality as serde_json has it, with which the registry compares: types are never converted, arrays
// are ordered, objects are not, and numbers are compared as number describes.
func equal(a, b any) bool { return encode(canonical(a)) == encode(canonical(b)) }

// canonical returns the value with its numbers as the registry holds them.
func canonical(value any) any {
	switch value := value.(type) {
	case json.Number:
		return json.Number(number(value))
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = canonical(element)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			out[name] = canonical(member)
		}
		return out
	}
	return value
}

// number is the number as serde_json holds it: an integer when it is written as one and fits 64 bits, otherwise the
// nearest float64, which is a different number than an integer of the same amount (1.0 is not 1). That includes -0.
func number(n json.Number) string {
	text := n.String()
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return text
		}
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return text
		}
	}
	float, _ := strconv.ParseFloat(text, 64) // what does not fit was refused by checkNumbers
	if float == 0 {
		return "0.0" // the float -0.0 equals it
	}
	short := strconv.FormatFloat(float, 'g', -1, 64)
	if !strings.ContainsAny(short, ".e") {
		short += ".0"
	}
	return short
}

// checkNumbers refuses numbers that the registry's JSON reader refuses.
func checkNumbers(value any) error {
	switch value := value.(type) {
	case json.Number:
		if _, err := strconv.ParseFloat(value.String(), 64); errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("the number %s is out of range, the largest is about 1.8e308", brief(value))
		}
	case []any:
		for _, element := range value {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range value {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
}

func clone(value any) any {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = clone(element)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			out[name] = clone(member)
		}
		return out
	}
	return value
}

// encode writes a value that was decoded from JSON, which cannot fail.
func encode(value any) string {
	text, err := strictjson.Encode(value)
	if err != nil {
		panic(fmt.Sprintf("claims: a decoded JSON value does not encode: %v", err))
	}
	return text
}

// brief is the JSON text of a value, cut to what reads well in a sentence.
func brief(value any) string {
	const most = 160
	text := encode(value)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// textual is the value as someone would write it between quotes: 1 for 1, true for true, text for text.
func textual(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return encode(value)
}
