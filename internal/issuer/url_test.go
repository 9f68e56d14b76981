package issuer_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

func TestInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"https://oidc.example.com":           "",
		"https://oidc.example.com/":          "",
		"https://oidc.example.com:8443/prod": "",
		"https://127.0.0.1":                  "",
		"HTTPS://oidc.example.com":           "",
		"":                                   "it is not an https URL",
		"kubernetes/serviceaccount":          "it is not an https URL",
		"http://oidc.example.com":            "it is not an https URL",
		"https://":                           "it names no host",
		"https://:8443":                      "it names no host",
		"https://oidc.example.com\n":         "it is not a URL",
		"https://a b":                        "it is not a URL",
		"https://user@oidc.example.com":      "it has a user name or a password",
		"https://oidc.example.com?a=b":       "it has a query",
		"https://oidc.example.com?":          "it has a query",
		"https://oidc.example.com#a":         "it has a fragment",
		"https://oidc.example.com#":          "it has a fragment",
	} {
		if got := issuer.Invalid(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNotPublic(t *testing.T) {
	for text, want := range map[string]string{
		"https://oidc.example.com":                     "",
		"https://8.8.8.8/prod":                         "",
		"https://[2001:4860:4860::8888]":               "",
		"https://local.example.com":                    "",
		"https://svcs.example.com":                     "",
		"https://a b":                                  "",
		"not a URL":                                    "",
		"https://10.0.0.1:6443":                        "private address",
		"https://172.31.0.1":                           "private address",
		"https://127.0.0.1":                            "private address",
		"https://0.0.0.0":                              "private address",
		"https://169.254.169.254":                      "private address",
		"https://100.64.0.1":                           "private address",
		"https://[::1]":                                "private address",
		"https://[fd00::1]":                            "private address",
		"https://[fe80::1%25eth0]":                     "private address",
		"https://[::ffff:10.0.0.1]":                    "private address",
		"https://localhost:8443":                       "this machine itself",
		"https://ak.localhost":                         "this machine itself",
		"https://kubernetes.default.svc":               "inside the cluster",
		"https://kubernetes.default.svc/":              "inside the cluster",
		"https://KUBERNETES.default.SVC":               "inside the cluster",
		"https://kubernetes.default.svc.":              "inside the cluster",
		"https://kubernetes.default.svc.cluster.local": "inside the cluster",
		"https://printer.local":                        "inside a private network",
		"https://metadata.google.internal":             "inside a private network",
		"https://kubernetes":                           "not a public name",
	} {
		got := issuer.NotPublic(text)
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
