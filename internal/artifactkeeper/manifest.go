package artifactkeeper

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/go-retryablehttp"
)

// manifestTypes are the media types that a container runtime takes (OCI image specification 1.1 and Docker's schema 2).
const manifestTypes = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, " +
	"application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json"

// Manifest is what a runtime reads first of an image.
type Manifest struct {
	MediaType string
	// Digest is the registry's word for it; empty when it gave none.
	Digest string
}

// ChallengeError says that the credential was not sent, because the registry asks for it at a place that is not its own.
type ChallengeError struct {
	// Problem is a sentence.
	Problem string
}

func (e *ChallengeError) Error() string { return e.Problem }

// Advice says what to do about it.
func (e *ChallengeError) Advice() string {
	return "Container runtimes follow the realm of WWW-Authenticate. Set the registry's external address to the one by which " +
		"nodes reach it, and see that proxies in front hand on the Host header."
}

// ReadManifest reads the manifest of an image the way a container runtime does: it asks, takes the token endpoint from the
// challenge, gets a pull token there for the credential, and asks again. name is the image's path, beginning with the
// repository's key; reference is a tag or a digest. A refusal is an [*Error] in the registry's words.
func (c *Client) ReadManifest(ctx context.Context, credential Credential, name, reference string) (Manifest, error) {
	target := c.base.JoinPath("v2", name, "manifests", reference)
	got, err := c.pull(ctx, target, "")
	if err == nil && got.status == http.StatusUnauthorized {
		var token string
		if token, err = c.pullToken(ctx, credential, got.header.Get("WWW-Authenticate")); err == nil {
			got, err = c.pull(ctx, target, "Bearer "+token)
		}
	}
	if err == nil {
		err = got.refusal
	}
	if err != nil {
		return Manifest{}, err
	}
	return Manifest{MediaType: got.header.Get("Content-Type"), Digest: got.header.Get("Docker-Content-Digest")}, nil
}

var challengeParameter = regexp.MustCompile(`([A-Za-z]+)="([^"]*)"`)

// pullToken gets a token of the distribution API for a credential (distribution specification, token authentication).
func (c *Client) pullToken(ctx context.Context, credential Credential, challenge string) (string, error) {
	scheme, parameters, _ := strings.Cut(challenge, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", &ChallengeError{fmt.Sprintf("the registry asks for no bearer token: WWW-Authenticate is %q",
			c.scrub.Clean(shorten(challenge, 200)))}
	}
	query := url.Values{}
	var realm *url.URL
	for _, match := range challengeParameter.FindAllStringSubmatch(parameters, -1) {
		switch name := strings.ToLower(match[1]); name {
		case "realm":
			realm, _ = url.Parse(match[2]) // nil is looked at below
		case "service", "scope":
			query.Set(name, match[2])
		}
	}
	if realm == nil || realm.Scheme != c.base.Scheme || !strings.EqualFold(realm.Host, c.base.Host) {
		at := "nowhere"
		if realm != nil {
			at = c.scrub.Clean(shorten(realm.Scheme+"://"+realm.Host, 200))
		}
		return "", &ChallengeError{fmt.Sprintf("the registry at %s sends for a token to %s; the credential was not sent there", c.base, at)}
	}
	for name, values := range realm.Query() {
		if !query.Has(name) {
			query[name] = values
		}
	}
	realm.RawQuery, realm.User, realm.Fragment = query.Encode(), nil, ""
	request := &http.Request{Header: http.Header{}}
	request.SetBasicAuth(credential.Username, credential.AccessToken)
	authorization := request.Header.Get("Authorization")
	c.scrub.Add(strings.TrimPrefix(authorization, "Basic "))
	got, err := c.pull(ctx, realm, authorization)
	if err == nil {
		err = got.refusal
	}
	if err != nil {
		return "", err
	}
	var out struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(got.body, &out) != nil || out.Token+out.AccessToken == "" {
		return "", &MalformedError{http.MethodGet, realm.Path, got.status, "the answer holds no token"}
	}
	if out.Token == "" {
		out.Token = out.AccessToken
	}
	c.scrub.Add(out.Token)
	return out.Token, nil
}

// pulled is an answer of the distribution API.
type pulled struct {
	status  int
	header  http.Header
	body    []byte
	refusal error // what it says when it is not 200
}

// pull sends a GET that is not one of the admin API, with this Authorization header unless it is empty.
func (c *Client) pull(ctx context.Context, target *url.URL, authorization string) (pulled, error) {
	ctx = context.WithValue(ctx, methodKey{}, http.MethodGet)
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return pulled{}, fmt.Errorf("building the request GET %s: %w", target.Path, err)
	}
	req.Header.Set("Accept", manifestTypes+", application/json")
	if c.userAgent != "" {
		req.Header.Set("User-Agent", c.userAgent)
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return pulled{}, c.transportError(http.MethodGet, target.Path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body) // It is in memory already; see wholeAnswers.
	if err != nil {
		return pulled{}, c.transportError(http.MethodGet, target.Path, err)
	}
	got := pulled{status: resp.StatusCode, header: resp.Header, body: body}
	if got.status != http.StatusOK {
		got.refusal = c.distributionError(resp, target, body)
	}
	return got, nil
}

// distributionError reads the errors of /v2, which have a shape of their own (distribution specification, error codes).
func (c *Client) distributionError(resp *http.Response, target *url.URL, body []byte) error {
	e := answerError(resp, http.MethodGet, target.Path, body)
	var shape struct {
		Errors []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &shape) == nil && len(shape.Errors) > 0 {
		e.Code, e.Message, e.FromRegistry = shape.Errors[0].Code, shape.Errors[0].Message, true
	}
	e.Code, e.Message = c.scrub.Clean(e.Code), c.scrub.Clean(e.Message)
	if slices.Contains([]string{"NAME_UNKNOWN", "DENIED", "UNAUTHORIZED"}, e.Code) {
		e.advice = "A repository that the account may not read answers like one that does not exist."
	}
	return e
}
