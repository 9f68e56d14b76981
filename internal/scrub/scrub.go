// Package scrub takes credentials out of texts that somebody else wrote, such as the answer of a server or a proxy.
package scrub

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a credential was.
const Redacted = "(redacted)"

// shortest is the length in bytes from which on a text counts as a secret: a shorter one would tear holes into every
// text, and is none.
const shortest = 4

// Whatever looks like a credential goes, known or not: a server may echo one that it got from somewhere else.
var (
	header = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`) // RFC 6750 and RFC 7617
	jwt    = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?`)
)

// Scrubber knows the credentials of one client. Its zero value knows none; it may be used from several goroutines.
type Scrubber struct {
	mu    sync.RWMutex
	forms []string // longest first, so that no secret is left in part because another is its prefix
}

// Add remembers secrets, in the forms in which somebody may echo them: as they are, escaped for a URL, in base64. Those
// shorter than four bytes are passed over.
func (s *Scrubber) Add(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.forms)
	for _, secret := range secrets {
		trimmed := strings.TrimSpace(secret)
		if len(trimmed) < shortest {
			continue
		}
		for _, form := range []string{
			trimmed,
			url.QueryEscape(trimmed),
			url.PathEscape(trimmed),
			base64.StdEncoding.EncodeToString([]byte(trimmed)),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			if !slices.Contains(s.forms, form) {
				s.forms = append(s.forms, form)
			}
		}
	}
	if len(s.forms) > before {
		slices.SortFunc(s.forms, func(a, b string) int { return len(b) - len(a) })
	}
}

// Clean returns the text with Redacted in the place of each credential: the secrets that were added, JSON Web Tokens, and
// what follows Bearer or Basic.
func (s *Scrubber) Clean(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Redacted)
	}
	text = header.ReplaceAllString(text, "$1 "+Redacted)
	return jwt.ReplaceAllString(text, Redacted)
}
