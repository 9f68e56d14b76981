package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// settings are the flags, as they are used.
type settings struct {
	url         *url.URL
	providerID  string
	timeout     time.Duration
	cacheMargin time.Duration
	logLevel    slog.Level
	client      *http.Client
}

// options are the flags, as they are written. An environment variable stands in for a flag that is not given.
var options = []struct{ flag, variable, fallback, help string }{
	{"url", "AK_URL", "", "address of the registry, https only"},
	{"provider-id", "AK_PROVIDER_ID", "", "id of the CI OIDC provider, where several have the cluster's issuer"},
	{"ca-file", "AK_CA_FILE", "", "file on the node with the authorities to trust instead of the system's, PEM"},
	{"timeout", "AK_TIMEOUT", "10s", "how long the exchange may take"},
	{"cache-margin", "AK_CACHE_MARGIN", "60s", "how long before its end a credential is not used any more"},
	{"log-level", "AK_LOG", "info", "debug, info, warn or error"},
}

const insecureFlag = "insecure-http"

func parseSettings(args []string, getenv func(string) string) (*settings, error) {
	values := map[string]*string{}
	flags := flag.NewFlagSet("ak-kubelet-provider", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it, in one line
	for _, o := range options {
		fallback := o.fallback
		if value := getenv(o.variable); value != "" {
			fallback = value
		}
		values[o.flag] = flags.String(o.flag, fallback, o.help)
	}
	insecure := flags.Bool(insecureFlag, false, "let tokens travel over http, for tests")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("there is an argument that is no flag: %q", flags.Arg(0))
	}
	s := &settings{providerID: *values["provider-id"]}
	var errs [5]error
	s.url, errs[0] = parseURL(*values["url"], *insecure)
	s.timeout, errs[1] = parseDuration("timeout", *values["timeout"])
	s.cacheMargin, errs[2] = parseDuration("cache-margin", *values["cache-margin"])
	if err := s.logLevel.UnmarshalText([]byte(*values["log-level"])); err != nil {
		errs[3] = fmt.Errorf("--log-level: %w", err)
	}
	s.client, errs[4] = newClient(*values["ca-file"])
	return s, errors.Join(errs[:]...)
}

func usage() string {
	var text strings.Builder
	for _, o := range options {
		fmt.Fprintf(&text, "--%s (%s): %s\n", o.flag, o.variable, o.help)
	}
	return text.String()
}

func parseURL(text string, insecure bool) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("--url: the address of the registry is missing")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--url: %w", err)
	case u.Scheme == "http" && !insecure:
		return nil, errors.New("--url: tokens would travel in clear text over http; use https")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("--url: an address such as https://ak.example.com is needed")
	}
	return u, nil
}

func parseDuration(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--%s: %w", name, err)
	case d < 0:
		return 0, fmt.Errorf("--%s: %s is negative", name, d)
	}
	return d, nil
}

// newClient speaks to nobody but the registry: a redirect would take the token elsewhere.
func newClient(caFile string) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		text, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("--ca-file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--ca-file: %s holds no PEM certificate", caFile)
		}
	}
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
