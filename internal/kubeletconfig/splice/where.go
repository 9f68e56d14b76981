package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// Line gives the line on which a provider begins, counted from 1, or 0 when it cannot be told.
func Line(text []byte, provider int) int {
	found, err := locate(text)
	if err != nil {
		return 0
	}
	start, ok := found.start(provider)
	if !ok {
		return 0
	}
	return lineOf(text, start)
}

// LineOf gives the line of a text that an error of [kubeletconfig.Parse] is about, counted from 1: that of the character
// which JSON has no place for, or that on which the provider in question begins. It is 0 when that cannot be told, or when
// the error says it itself.
func LineOf(text []byte, err error) int {
	if refused, ok := errors.AsType[*kubeletconfig.ValidationError](err); ok {
		return Line(text, refused.Problems[0].Location.Provider)
	}
	if named := providerIndex.FindStringSubmatch(err.Error()); named != nil {
		index, _ := strconv.Atoi(named[1]) // Too many digits are no provider either.
		return Line(text, index)
	}
	var whole json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text, &whole))
	if ok && kubeletconfig.FormatOfText(text) == kubeletconfig.JSON {
		return lineOf(text, int(syntax.Offset)-1)
	}
	return 0
}

// providerIndex is how the strict decoder names a provider.
var providerIndex = regexp.MustCompile(`"providers\[(\d+)\]`)

func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(max(0, offset), len(text))], []byte("\n"))
}
