package issuer_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

func TestCheckAccepts(t *testing.T) {
	for _, text := range []string{
		"https://oidc.example.org",
		"https://oidc.example.org/clusters/prod",
		"https://oidc.example.org:8443/clusters/prod",
		"https://oidc.example.org:443",
		"https://OIDC.Example.org/Clusters",
		"https://oidc",
		"https://oidc_1.example.org",
		"https://oidc.example.org./prod",
		"https://xn--bcher-kva.example",
		"https://127.0.0.1:6443",
		"https://[2001:db8::1]/prod",
		"https://[::ffff:10.0.0.1]:8443",
		"https://s3.example.org/bucket.with-dots/~me/a_b/...",
		"https://oidc.example.org/a!$&'()*+,;=:@b",
		"https://oidc.example.org/user@host",
	} {
		if err := issuer.Check(text); err != nil {
			t.Errorf("%q is refused: %v", text, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "not an https URL",
		"oidc.example.org":                 "not an https URL",
		"//oidc.example.org":               "not an https URL",
		"http://oidc.example.org":          "not an https URL",
		"HTTPS://oidc.example.org":         "https:// in lower case",
		"https:oidc.example.org":           "names no host",
		"https://":                         "names no host",
		"https:///prod":                    "names no host",
		"https://:8443":                    "names no host",
		"https://oidc.example.org?":        "a query",
		"https://oidc.example.org?a=b":     "a query",
		"https://oidc.example.org/prod?":   "a query",
		"https://oidc.example.org#":        "a fragment",
		"https://oidc.example.org/prod#a":  "a fragment",
		"https://me@oidc.example.org":      "a user name or a password",
		"https://@oidc.example.org":        "a user name or a password",
		"https://me:pass@oidc.example.org": "a user name or a password",

		"https://oidc.example.org/":       "ends in a slash",
		"https://oidc.example.org/prod/":  "ends in a slash",
		"https://oidc.example.org//":      "ends in a slash",
		"https://oidc.example.org//prod":  "two slashes in a row",
		"https://oidc.example.org/a//b":   "two slashes in a row",
		"https://oidc.example.org/.":      `the path segment "."`,
		"https://oidc.example.org/a/../b": `the path segment ".."`,

		"https://oidc.example.org/a%2Fb":   "a percent sign",
		"https://oidc.example.org/%61":     "a percent sign",
		"https://oidc.example.org/a%2f..":  "a percent sign",
		"https://oidc.example.org/50%":     "not a URL",
		"https://oidc.example.org/a b":     `the character ' '`,
		"https://oidc.example.org/a\\b":    `the character '\\'`,
		"https://oidc.example.org/ü":       `the character 'ü'`,
		"https://oidc.example.org/u\u0308": "the character",
		"https://oidc.example.org/\xff":    `the character '�'`,
		"https://oidc.example.org/[a]":     `the character '['`,
		"https://oidc.example.org/{a}":     `the character '{'`,
		"https://oidc.example.org/a\n":     "not a URL",
		"https://oidc.example.org\x00":     "not a URL",
		" https://oidc.example.org":        "not a URL",
		"https://oidc.example.org ":        "not a URL",

		"https://oidc.example.org:":            "its port",
		"https://oidc.example.org:0":           "its port",
		"https://oidc.example.org:65536":       "its port",
		"https://oidc.example.org:999999/":     "its port",
		"https://oidc.example.org:https":       "not a URL",
		"https://oidc..example.org":            "its host",
		"https://.example.org":                 "its host",
		"https://*.example.org":                "its host",
		"https://oidc%2eexample.org":           "not a URL",
		"https://büecher.example":              "its host",
		"https://oidc.example.org\u3002":       "its host",
		"https://oidc.example.org,b.test":      "its host",
		"https://<oidc>":                       "its host",
		"https://[fe80::1%25eth0]":             "its host",
		"https://2001:db8::1":                  "not a URL",
		"https://[10.0.0.1]":                   "not a URL",
		"https://[oidc.example.org]":           "not a URL",
		"https://oidc.example.org\\@evil.test": "not a URL",
	} {
		err := issuer.Check(text)
		switch {
		case err == nil:
			t.Errorf("%q is accepted", text)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%q: got %q, want one with %q", text, err, want)
		case strings.Contains(err.Error(), "pass@") || len(err.Error()) > 250:
			t.Errorf("%q: the error is too much: %q", text, err)
		}
	}
}
