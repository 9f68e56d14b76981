package artifactkeeper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

// maxAnswer is how much of an answer is read: a thousand mappings are below one MiB.
const maxAnswer = 4 << 20

// shortestHeader is the length from which the value of an own header counts as a secret.
const shortestHeader = 8

// Client speaks to one registry. It is safe for concurrent use. Nothing is sent until the first call.
type Client struct {
	base       *url.URL
	http       *retryablehttp.Client
	headers    map[string]string
	userAgent  string
	log        func(string, map[string]any)
	scrub      scrub.Scrubber
	credential credential

	health health
	// trust serialises the check for a second provider of an issuer with the write that follows it.
	trust     sync.Mutex
	providers collection[Provider]
	// mappings holds a *collection[Mapping] for each provider id.
	mappings sync.Map
}

// New prepares a client; it sends nothing. A [*ConfigError] says which argument cannot be used.
func New(cfg Config) (*Client, error) {
	base, err := ParseEndpoint(cfg.Endpoint, cfg.AllowHTTP)
	if err != nil {
		return nil, err
	}
	rt, err := cfg.transport()
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: base, http: retrying(cfg, rt), headers: cfg.Headers, userAgent: cfg.UserAgent, log: cfg.Log,
	}
	for _, value := range cfg.Headers {
		if len(value) >= shortestHeader { // A shorter one may as well be the name of a tenant.
			c.scrub.Add(value)
		}
	}
	c.providers.path = providersPath
	if c.credential, err = c.credentialOf(cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// Endpoint is the registry's base URL, without /api/v1.
func (c *Client) Endpoint() string { return c.base.String() }

// request is one call of the API.
type request struct {
	method string
	path   string // below /api/v1, escaped
	query  url.Values
	in     any  // encoded as JSON unless nil
	atRoot bool // path is below the base, not below /api/v1
}

// call sends a request as the administrator and decodes the answer into out, unless that is nil.
// After a 401, which comes before anything runs, it renews the credential once and repeats.
func (c *Client) call(ctx context.Context, r request, out any) error {
	token, err := c.credential.token(ctx)
	if err != nil {
		return err
	}
	err = c.send(ctx, r, token, out)
	var answer *Error
	if !errors.As(err, &answer) || answer.Status != http.StatusUnauthorized {
		if err == nil {
			c.credential.accepted(token)
		}
		return err
	}
	renewed, failure := c.credential.renew(ctx, token)
	if failure != nil {
		return failure
	}
	if !renewed {
		return err
	}
	if token, failure = c.credential.token(ctx); failure != nil {
		return failure
	}
	if err = c.send(ctx, r, token, out); err == nil {
		c.credential.accepted(token)
	}
	return err
}

// send sends a request with a bearer token, or without when that is empty.
func (c *Client) send(ctx context.Context, r request, token string, out any) error {
	resp, err := c.attempt(ctx, r, token)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body) // It is in memory already; see wholeAnswers.
	if err != nil {
		return c.transportError(r.method, r.path, err)
	}
	malformed := func(format string, args ...any) error {
		return &MalformedError{r.method, r.path, resp.StatusCode, c.scrub.Clean(fmt.Sprintf(format, args...))}
	}
	switch {
	case len(body) > maxAnswer:
		return malformed("the answer is larger than %d MiB", maxAnswer>>20)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		answer := answerError(resp, r.method, r.path, body)
		answer.Code, answer.Message = c.scrub.Clean(answer.Code), c.scrub.Clean(answer.Message)
		return answer
	case out == nil && len(body) == 0:
		return nil
	case looksLikePage(resp, strings.TrimSpace(string(body))):
		return malformed("the answer is an HTML page%s", pageTitle(string(body)))
	}
	if out == nil {
		out = new(json.RawMessage) // What says nothing to the caller still has to come from the API.
	}
	if err := json.Unmarshal(body, out); err != nil {
		return malformed("the answer is not the JSON of the API: %s", err)
	}
	return nil
}

// attempt sends a request, and again where the policy allows it.
func (c *Client) attempt(ctx context.Context, r request, token string) (*http.Response, error) {
	target := *c.base
	prefix := target.EscapedPath()
	if !r.atRoot {
		prefix += apiPath
	}
	target.RawPath = prefix + r.path
	var err error
	if target.Path, err = url.PathUnescape(target.RawPath); err != nil {
		return nil, fmt.Errorf("building the path %s: %w", r.path, err)
	}
	target.RawQuery = r.query.Encode()

	var body []byte
	if r.in != nil {
		if body, err = encode(r.in); err != nil {
			return nil, fmt.Errorf("encoding the request %s %s: %w", r.method, r.path, err)
		}
	}
	ctx = context.WithValue(ctx, methodKey{}, r.method)
	req, err := retryablehttp.NewRequestWithContext(ctx, r.method, target.String(), body)
	if err != nil {
		return nil, fmt.Errorf("building the request %s %s: %w", r.method, r.path, err)
	}
	req.Header.Set("Accept", "application/json")
	if r.in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.userAgent != "" {
		req.Header.Set("User-Agent", c.userAgent)
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	started := time.Now()
	resp, err := c.http.Do(req)
	c.logged(r, resp, err, time.Since(started))
	if err != nil {
		return nil, c.transportError(r.method, r.path, err)
	}
	return resp, nil
}

func (c *Client) logged(r request, resp *http.Response, err error, took time.Duration) {
	if c.log == nil {
		return
	}
	fields := map[string]any{"method": r.method, "path": r.path, "duration_ms": took.Milliseconds()}
	if resp != nil {
		fields["status"] = resp.StatusCode
	}
	if err != nil {
		fields["error"] = c.scrub.Clean(err.Error())
	}
	c.log("registry request", fields)
}

// encode is json.Marshal without the escaping for HTML, so that what is sent reads as it was written.
func encode(in any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(in); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}
