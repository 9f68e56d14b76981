package issuer_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

func TestAuthorities(t *testing.T) {
	one, two := publisher.Start(t, publisher.Options{}), publisher.Start(t, publisher.Options{})
	pool, err := issuer.Authorities("# ours\n" + one.CA() + "\r\n# theirs\n" + two.CA() + "the end")
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []*publisher.Server{one, two} {
		read(t, issuer.Transport(pool), server.Issue("", set(t, key(t, "a"))))
	}
	const secret = "c2VjcmV0"
	for text, want := range map[string]string{
		"":                                       "it holds no PEM certificate",
		"ca.pem":                                 "it holds no PEM certificate",
		"-----BEGIN CERTIFICATE-----\n" + secret: "it holds no PEM certificate",
		"-----BEGIN PUBLIC KEY-----\n" + secret + "\n-----END PUBLIC KEY-----\n":                      "it holds no PEM certificate",
		one.CA() + "-----BEGIN CERTIFICATE-----\n" + secret + "\n-----END CERTIFICATE-----\n":         "the certificate number 2 in it cannot be read",
		one.CA() + "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n":         "it holds a private key",
		one.CA() + "-----BEGIN RSA PRIVATE KEY-----\n" + secret + "\n-----END RSA PRIVATE KEY-----\n": "it holds a private key",
	} {
		if _, err := issuer.Authorities(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
