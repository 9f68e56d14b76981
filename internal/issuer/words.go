package issuer

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// mostNamed is how many of several things a problem names.
const mostNamed = 10

// shorten keeps a problem readable whatever somebody else wrote.
func shorten(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// printable takes out of a text, part of which somebody else wrote, what would move the cursor or hide.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func quote(text string) string { return fmt.Sprintf("%q", shorten(text)) }

// named lists texts that somebody else wrote.
func named(texts []string) string {
	out := make([]string, 0, min(len(texts), mostNamed+1))
	for i, text := range texts {
		if i == mostNamed {
			out = append(out, fmt.Sprintf("and %d more", len(texts)-i))
			break
		}
		out = append(out, shorten(text))
	}
	return strings.Join(out, ", ")
}

func keysNamed(kids []string) string {
	if len(kids) == 1 {
		return "the key " + named(kids)
	}
	return "the keys " + named(kids)
}

// shown is a URL without what may be a credential: a user, a query, a fragment.
func shown(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return quote(location)
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return shorten(u.String())
}

// Difference says, as a clause, in what two issuers differ. Consumers compare them character for character (OpenID Connect
// Discovery 1.0, section 4.3), and so do API servers and the registry.
func Difference(a, b string) string {
	switch {
	case strings.TrimRight(a, "/") == strings.TrimRight(b, "/"):
		return "they differ by the trailing slash alone"
	case strings.EqualFold(a, b):
		return "they differ by upper and lower case alone"
	case strings.EqualFold(strings.TrimRight(a, "/"), strings.TrimRight(b, "/")):
		return "they differ by the trailing slash and by upper and lower case"
	}
	return "they are two issuers"
}
