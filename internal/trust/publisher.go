package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxPublished bounds each document of an issuer.
	maxPublished = 1 << 20
	// publisherTimeout is that of the registry for each document.
	publisherTimeout = 10 * time.Second
)

// NewPublisher reads documents over HTTPS with a transport; nil is the default one, with the system's authorities and the
// proxies of the environment. Redirects are not followed: OpenID Connect Discovery knows none.
func NewPublisher(transport http.RoundTripper) Publisher {
	return &publisher{&http.Client{
		Transport: transport, Timeout: publisherTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

type publisher struct{ client *http.Client }

// Fetch reads the discovery document below the issuer and the key set that it names (OpenID Connect Discovery 1.0, section 4).
func (p *publisher) Fetch(ctx context.Context, issuer string) (Documents, error) {
	var document struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	text, err := p.get(ctx, strings.TrimRight(issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return Documents{}, err
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return Documents{}, fmt.Errorf("the discovery document of %s is not JSON: %w", issuer, err)
	}
	if document.JWKSURI == "" {
		return Documents{}, fmt.Errorf("the discovery document of %s has no jwks_uri", issuer)
	}
	keys, err := p.get(ctx, document.JWKSURI)
	if err != nil {
		return Documents{Issuer: document.Issuer}, err
	}
	return Documents{Issuer: document.Issuer, JWKS: string(keys)}, nil
}

func (p *publisher) get(ctx context.Context, location string) ([]byte, error) {
	parsed, err := url.Parse(location)
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		return nil, errors.New("the address of a document is no https URL, and the registry fetches no other")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("building the request for %s: %w", location, err)
	}
	request.Header.Set("Accept", "application/json, application/jwk-set+json")
	response, err := p.client.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("GET %s got no answer: %w", location, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s answered %s", location, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxPublished+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("GET %s: the answer broke off: %w", location, err)
	case len(text) > maxPublished:
		return nil, fmt.Errorf("GET %s answered more than %d KiB", location, maxPublished>>10)
	}
	return text, nil
}
