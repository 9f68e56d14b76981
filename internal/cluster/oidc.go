package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// Paths of the two documents on an API server (kubernetes.io/docs, "Service account issuer discovery").
const (
	discoveryPath = "/.well-known/openid-configuration"
	keySetPath    = "/openid/v1/jwks"
)

// maxDocument bounds each of them: a key set is a few kilobytes.
const maxDocument = 1 << 20

// OIDCDocuments are what the API server publishes about the tokens of its ServiceAccounts, word for word.
type OIDCDocuments struct {
	// Discovery is the JSON text of /.well-known/openid-configuration.
	Discovery string
	// JWKS is the JSON text of /openid/v1/jwks: every key of --service-account-key-file.
	JWKS string

	// Issuer, JWKSURI and SigningAlgorithms are read from Discovery: issuer, jwks_uri and
	// id_token_signing_alg_values_supported. JWKSURI is often an address that is reached from inside alone.
	Issuer, JWKSURI   string
	SigningAlgorithms []string
}

// OIDCDocuments reads both documents on the API server itself. The key set comes from its fixed path, not from what
// jwks_uri says.
func (c *Client) OIDCDocuments(ctx context.Context) (*OIDCDocuments, error) {
	discovery, err := c.document(ctx, discoveryPath, "application/json")
	if err != nil {
		return nil, err
	}
	var read struct {
		Issuer            string   `json:"issuer"`
		JWKSURI           string   `json:"jwks_uri"`
		SigningAlgorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := json.Unmarshal([]byte(discovery), &read); err != nil {
		return nil, c.fail(target{verb: "get", url: discoveryPath}, fmt.Errorf("the document is not as OpenID Connect has it: %w", err))
	}
	// The API server answers 406 to an Accept header without the type of key sets.
	keys, err := c.document(ctx, keySetPath, "application/jwk-set+json, application/json;q=0.9, */*;q=0.1")
	if err != nil {
		return nil, err
	}
	return &OIDCDocuments{
		Discovery: discovery, JWKS: keys,
		Issuer: read.Issuer, JWKSURI: read.JWKSURI, SigningAlgorithms: read.SigningAlgorithms,
	}, nil
}

func (c *Client) document(ctx context.Context, path, accept string) (string, error) {
	t := target{verb: "get", url: path}
	result := t.on(c.rest.Get()).SetHeader("Accept", accept).Do(ctx)
	text, err := raw(result)
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("the document is longer than %d KiB", maxDocument>>10)
	}
	if err == nil {
		return string(text), nil
	}
	err = c.fail(t, err)
	var e *Error
	if errors.As(err, &e) && e.Code == http.StatusNotFound {
		e.advice = "The API server publishes no OIDC documents: the first --service-account-issuer is not an https URL without query " +
			"and fragment. Such a cluster cannot be trusted by its issuer; change the flag, and expect tokens to be issued anew."
	}
	return "", err
}

// raw returns the body, or what the API server's Status says.
func raw(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}
