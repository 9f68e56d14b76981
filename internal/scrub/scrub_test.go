package scrub

import (
	"sync"
	"testing"
)

func TestClean(t *testing.T) {
	var s Scrubber
	s.Add("s3cret+/=", "s3cret+/=longer", " in a file\n", "ab", "")
	s.Add("s3cret+/=")
	for text, want := range map[string]string{
		"it was s3cret+/=":                      "it was (redacted)",
		"it was s3cret+/=longer, ab":            "it was (redacted), ab",
		"in a query: s3cret%2B%2F%3D":           "in a query: (redacted)",
		"in a path: s3cret+%2F=":                "in a path: (redacted)",
		"in base64: czNjcmV0Ky89":               "in base64: (redacted)",
		"as sent: IGluIGEgZmlsZQo=":             "as sent: (redacted)",
		"from a file: in a file.":               "from a file: (redacted).",
		"Authorization: Bearer abcdefgh12345":   "Authorization: Bearer (redacted)",
		"authorization: basic YWRtaW46aHVudGVy": "authorization: basic (redacted)",
		"a jwt eyJhbGciOi.eyJzdWIi.c2lnbmF0":    "a jwt (redacted)",
		"a jwt unsigned eyJhbGciOi.eyJzdWIi.":   "a jwt unsigned (redacted)",
		"a bearer of bad news":                  "a bearer of bad news",
		"YWI= is ab":                            "YWI= is ab",
		"nothing at all":                        "nothing at all",
	} {
		if got := s.Clean(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := new(Scrubber).Clean("it was s3cret+/="); got != "it was s3cret+/=" {
		t.Errorf("without any secret it became %q", got)
	}
}

// A client learns of credentials while its other requests fail.
func TestFromSeveralGoroutines(t *testing.T) {
	var s Scrubber
	var wait sync.WaitGroup
	for _, secret := range []string{"secret-one", "secret-two", "secret-three"} {
		wait.Go(func() {
			s.Add(secret)
			if got := s.Clean(secret); got != Redacted {
				t.Errorf("%s became %s", secret, got)
			}
		})
	}
	wait.Wait()
}
