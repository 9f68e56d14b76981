package artifactkeeper

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	redacted = "(redacted)"
	// shortestSecret is the length from which a text counts as a secret.
	shortestSecret = 4
	// shortestHeader is that of a header's value, which may as well be the name of a tenant.
	shortestHeader = 8
)

// Whatever looks like a credential goes, known or not: a server may echo one that it got from somewhere else.
var (
	bearer = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`)
	jwt    = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?`)
)

// scrubber removes credentials from texts that a server wrote.
type scrubber struct {
	mu      sync.RWMutex
	secrets []string
}

// add remembers a secret in the forms in which a server may echo it.
func (s *scrubber) add(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		for _, form := range []string{
			secret,
			strings.TrimSpace(secret),
			url.QueryEscape(secret),
			url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			// A shorter secret would tear holes into every text, and is none.
			if len(form) >= shortestSecret && !slices.Contains(s.secrets, form) {
				s.secrets = append(s.secrets, form)
			}
		}
	}
	// Longest first, so that no secret is left in part because another is its prefix.
	slices.SortFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// clean gives the text without any credential.
func (s *scrubber) clean(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	text = bearer.ReplaceAllString(text, "$1 "+redacted)
	return jwt.ReplaceAllString(text, redacted)
}
