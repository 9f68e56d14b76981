package artifactkeeper

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
)

const (
	// DefaultRequestTimeout is how long one attempt of a request may take.
	DefaultRequestTimeout = 30 * time.Second
	// DefaultMaxRetries is how often a request that may be repeated is repeated.
	DefaultMaxRetries = 4

	apiPath = "/api/v1"
)

// Config says where the registry is and how to speak to it. Exactly one of Token, TokenFile and
// Username with Password is needed for everything but [Client.Health] and [Client.Exchange].
type Config struct {
	// Endpoint is the registry's address: a URL with or without /api/v1, or a bare host, which means https.
	Endpoint string
	// Token is a bearer token of an administrator.
	Token string
	// TokenFile is a file with such a token; it is read again when a call answers 401.
	TokenFile string
	// Username and Password log in once, and again after a 401.
	Username, Password string
	// CACertificate is PEM text of the authorities to trust instead of the system's.
	CACertificate string
	// ClientCertificate and ClientKey are PEM text, for a registry or proxy that asks for a certificate.
	ClientCertificate, ClientKey string
	// InsecureSkipVerify accepts any server certificate.
	InsecureSkipVerify bool
	// AllowHTTP permits an http:// endpoint, over which credentials travel in clear text.
	AllowHTTP bool
	// Headers are sent with every request, for an access proxy in front. Their values are secrets.
	Headers map[string]string
	// RequestTimeout limits one attempt; zero means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries limits the repetitions of a request; zero means none.
	MaxRetries int
	// UserAgent names the caller.
	UserAgent string
	// Log, when set, hears of every request: method, path, status and duration, never a header or a body.
	Log func(message string, fields map[string]any)

	// retryWait is the shortest pause between attempts; tests shorten it.
	retryWait time.Duration
}

// ConfigError says which argument cannot be used, and why. Its text never holds the value of a secret.
type ConfigError struct {
	// Argument is the argument's name as a user writes it, such as "endpoint".
	Argument string
	// Problem is a sentence without the argument's name.
	Problem string
}

func (e *ConfigError) Error() string { return e.Argument + ": " + e.Problem }

// ParseEndpoint gives the base URL of the registry, without /api/v1 and without a trailing slash.
// A bare host means https. It refuses, with a [*ConfigError], what is not an http(s) URL, carries a user,
// query or fragment, or is http without allowHTTP.
func ParseEndpoint(endpoint string, allowHTTP bool) (*url.URL, error) {
	refuse := func(format string, args ...any) (*url.URL, error) {
		return nil, &ConfigError{Argument: "endpoint", Problem: fmt.Sprintf(format, args...)}
	}
	text := strings.TrimSpace(endpoint)
	if text == "" {
		return refuse("no address of the registry is given; set endpoint or ARTIFACT_KEEPER_ENDPOINT")
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		// The text of a *url.Error repeats the URL, which may carry a password.
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return refuse("this is not a URL: %s", err)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("the scheme %q is not https", u.Scheme)
	case u.Hostname() == "":
		return refuse("the URL names no host")
	case u.User != nil:
		return refuse("a URL with a user or password in it is not accepted, because it ends up in logs; " +
			"use username and password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return refuse("a query or a fragment has no meaning in the registry's address")
	case u.Scheme == "http" && !allowHTTP:
		return refuse("http:// would send the token in clear text to %s; use https, or set allow_http = true for a "+
			"test set-up", u.Host)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), apiPath)
	u.RawPath = ""
	return u, nil
}

// transport builds the HTTP transport, with a [*ConfigError] for certificates that cannot be used.
func (c Config) transport() (*http.Transport, error) {
	// The proxy variables of the environment hold as for any HTTP client.
	t := cleanhttp.DefaultPooledTransport()
	t.MaxIdleConnsPerHost = 16 // The CLI works on ten objects at a time.
	// #nosec G402 -- only when the user asks for it, and the provider warns.
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.InsecureSkipVerify}
	if c.CACertificate != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(c.CACertificate)) {
			return nil, &ConfigError{Argument: "ca_certificate",
				Problem: "no certificate could be read from it; give PEM text, for example file(\"ca.pem\"), not a path"}
		}
		t.TLSClientConfig.RootCAs = pool
	}
	if (c.ClientCertificate == "") != (c.ClientKey == "") {
		given, missing := "client_certificate", "client_key"
		if c.ClientCertificate == "" {
			given, missing = missing, given
		}
		return nil, &ConfigError{Argument: missing, Problem: "it is needed together with " + given}
	}
	if c.ClientCertificate != "" {
		pair, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientKey))
		if err != nil {
			return nil, &ConfigError{Argument: "client_certificate",
				Problem: fmt.Sprintf("it and client_key are not a pair of PEM texts that can be used: %s", err)}
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}
