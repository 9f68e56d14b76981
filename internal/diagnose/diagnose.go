// Package diagnose turns errors of the domain packages into diagnostics that say what was attempted, what the other
// side answered, and what to do next.
package diagnose

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// adviser is an error that knows what to do about itself.
type adviser interface{ Advice() string }

// Error gives the diagnostic of a failed action on an object, such as "create" and `identity mapping "team"`.
func Error(action, object string, err error) diag.Diagnostic {
	detail := sentence(err.Error())
	var advice adviser
	if errors.As(err, &advice) && advice.Advice() != "" {
		detail += "\n\n" + advice.Advice()
	}
	return diag.NewErrorDiagnostic("Cannot "+action+" "+object, detail)
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return text
	}
	// A first word such as GET, or an argument's name, stays as it is.
	word, _, _ := strings.Cut(text, " ")
	if first, size := utf8.DecodeRuneInString(text); isWord(word) {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?\n") {
		text += "."
	}
	return text
}

func isWord(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLower(r) }) < 0
}
