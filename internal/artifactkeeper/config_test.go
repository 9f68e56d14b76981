package artifactkeeper

import (
	"errors"
	"strings"
	"testing"
)

func TestParseEndpoint(t *testing.T) {
	cases := []struct {
		endpoint string
		http     bool
		want     string // the base, or
		problem  string
	}{
		{"https://ak.example.com", false, "https://ak.example.com", ""},
		{"https://ak.example.com/", false, "https://ak.example.com", ""},
		{"https://ak.example.com/api/v1", false, "https://ak.example.com", ""},
		{"https://ak.example.com/api/v1/", false, "https://ak.example.com", ""},
		{"https://example.com/registry/api/v1", false, "https://example.com/registry", ""},
		{"ak.example.com", false, "https://ak.example.com", ""},
		{"ak.example.com:8443/api/v1", false, "https://ak.example.com:8443", ""},
		{" https://ak.example.com\n", false, "https://ak.example.com", ""},
		{"http://ak.example.com", true, "http://ak.example.com", ""},
		{"http://ak.example.com", false, "", "allow_http"},
		{"", false, "", "no address"},
		{"ftp://ak.example.com", false, "", "scheme"},
		{"https://", false, "", "no host"},
		{"https://admin:hunter22@ak.example.com", false, "", "user or password"},
		{"https://ak.example.com?x=1", false, "", "query"},
		{"https://ak.example.com#x", false, "", "fragment"},
		{"https://admin:hunter22@ak.example.com:port", false, "", "not a URL"},
	}
	for _, c := range cases {
		got, err := ParseEndpoint(c.endpoint, c.http)
		switch {
		case c.problem == "" && (err != nil || got.String() != c.want):
			t.Errorf("%q is %v, %v; want %s", c.endpoint, got, err, c.want)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%q gives %v, want an error with %q", c.endpoint, err, c.problem)
		case err != nil && strings.Contains(err.Error(), "hunter22"):
			t.Errorf("%q: the password is in the error: %s", c.endpoint, err)
		}
	}
}

func TestConfigNamesTheArgument(t *testing.T) {
	cases := map[string]Config{
		"endpoint":           {},
		"ca_certificate":     {CACertificate: "/etc/ca.pem"},
		"client_key":         {ClientCertificate: "x"},
		"client_certificate": {ClientCertificate: "x", ClientKey: "y"},
		"token":              {Token: "two words"},
		"password":           {Username: "admin"},
		"username":           {Password: "hunter22"},
	}
	for argument, cfg := range cases {
		if argument != "endpoint" {
			cfg.Endpoint = "ak.example.com"
		}
		if argument == "client_key" {
			cfg.ClientKey = ""
		}
		_, err := New(cfg)
		var e *ConfigError
		if !errors.As(err, &e) || e.Argument != argument || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: error is %v", argument, err)
		}
	}
	_, err := New(Config{Endpoint: "ak.example.com", ClientKey: "x"})
	var e *ConfigError
	if !errors.As(err, &e) || e.Argument != "client_certificate" {
		t.Errorf("a key alone: %v", err)
	}
}

func TestNoCredential(t *testing.T) {
	c, err := New(Config{Endpoint: "ak.invalid"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Providers(t.Context())
	if err == nil || !strings.Contains(err.Error(), "ARTIFACT_KEEPER_TOKEN") {
		t.Errorf("error is %v", err)
	}
}
