package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// The image that every repository of the demo has.
const (
	imageName = "app"
	imageTag  = "1.0"
)

// registryClient speaks to the registry in plain HTTP, as a plugin, a container runtime or a person with curl does. It
// shares nothing with the provider's own client, so that neither can hide a mistake of the other.
type registryClient struct {
	base, adminToken string
	http             *http.Client
}

func newRegistryClient(registry *emulator.Server) (*registryClient, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(registry.CACertificate())) {
		return nil, errors.New("the registry's authority is no PEM certificate")
	}
	return &registryClient{base: registry.URL(), adminToken: registry.Token(), http: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}}, nil
}

// refusal is an answer of the registry other than 2xx.
type refusal struct {
	status  int
	message string // the registry's own
	header  http.Header
}

func (e *refusal) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

// credential is what the registry gives for a token of the cluster.
type credential struct {
	Username    string `json:"username"`
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
}

// exchange presents a ServiceAccount's token, as the plugin does.
func (c *registryClient) exchange(ctx context.Context, token, providerID string) (credential, error) {
	var out credential
	text, _, err := c.do(ctx, http.MethodPost, c.base+"/api/v1/auth/ci/token", bearer(token), map[string]string{"provider_id": providerID})
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// setFilters changes a mapping's filters, as an administrator with curl does.
func (c *registryClient) setFilters(ctx context.Context, providerID, mappingID string, filters map[string]any) error {
	address := fmt.Sprintf("%s/api/v1/admin/ci-oidc/%s/mappings/%s", c.base, providerID, mappingID)
	_, _, err := c.do(ctx, http.MethodPut, address, bearer(c.adminToken), map[string]any{"claim_filters": filters})
	return err
}

// challenge matches the registry's invitation to get a token (WWW-Authenticate of the distribution specification).
var challenge = regexp.MustCompile(`^Bearer realm="([^"]+)",service="([^"]+)",scope="([^"]+)"$`)

// pull reads the manifest of an image in a repository, as a container runtime with a credential of the plugin does:
// it lets the registry refuse it, gets a token where the refusal says, and asks again. It returns the digest of what it
// read, and how the registry refused it at first.
func (c *registryClient) pull(ctx context.Context, repository string, with credential) (digest, first string, err error) {
	manifest := fmt.Sprintf("%s/v2/%s/%s/manifests/%s", c.base, repository, imageName, imageTag)
	_, _, err = c.do(ctx, http.MethodGet, manifest, nil, nil)
	var refused *refusal
	switch {
	case err == nil:
		return "", "", fmt.Errorf("GET %s: the registry gives it to anybody", manifest)
	case !errors.As(err, &refused) || refused.status != http.StatusUnauthorized:
		return "", "", fmt.Errorf("GET %s: without a credential the registry does not ask for one: %w", manifest, err)
	}
	parts := challenge.FindStringSubmatch(refused.header.Get("WWW-Authenticate"))
	if parts == nil {
		return "", "", fmt.Errorf("the registry does not say where to get a token: %q", refused.header.Get("WWW-Authenticate"))
	}
	query := url.Values{"service": {parts[2]}, "scope": {parts[3]}}
	text, _, err := c.do(ctx, http.MethodGet, parts[1]+"?"+query.Encode(), func(r *http.Request) {
		r.SetBasicAuth(with.Username, with.AccessToken)
	}, nil)
	if err != nil {
		return "", "", fmt.Errorf("getting a token to pull with: %w", err)
	}
	var answer struct{ Token string }
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", "", fmt.Errorf("getting a token to pull with: %w", err)
	}
	text, header, err := c.do(ctx, http.MethodGet, manifest, bearer(answer.Token), nil)
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(text)
	digest = "sha256:" + hex.EncodeToString(sum[:])
	if named := header.Get("Docker-Content-Digest"); named != digest {
		return "", "", fmt.Errorf("the manifest has the digest %s, and the registry says %s", digest, named)
	}
	return digest, refused.Error(), nil
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// do sends a request and returns body and header of the answer. An answer other than 2xx is a *refusal.
func (c *registryClient) do(
	ctx context.Context, method, address string, authorize func(*http.Request), in any,
) (answer []byte, header http.Header, err error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, nil, err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if authorize != nil {
		authorize(request)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: reading the answer: %w", method, address, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, nil, &refusal{status: response.StatusCode, message: words(text), header: response.Header}
	}
	return text, response.Header, nil
}

// words is what an error body says: code and message of the admin API or of the distribution specification, or else
// the body itself.
func words(body []byte) string {
	type fault struct{ Code, Message string }
	var shape struct {
		fault
		Errors []fault
	}
	if json.Unmarshal(body, &shape) == nil {
		if len(shape.Errors) > 0 {
			shape.fault = shape.Errors[0]
		}
		if shape.Message != "" {
			return shape.Code + ": " + shape.Message
		}
	}
	return strings.TrimSpace(string(body))
}
