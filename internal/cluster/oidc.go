package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Paths of the two documents on an API server (kubernetes.io/docs, "Service account issuer discovery").
const (
	discoveryPath = "/.well-known/openid-configuration"
	keySetPath    = "/openid/v1/jwks"
)

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

// discovered is what is read of the discovery document.
type discovered struct {
	Issuer            string   `json:"issuer"`
	JWKSURI           string   `json:"jwks_uri"`
	SigningAlgorithms []string `json:"id_token_signing_alg_values_supported"`
}

// Issuer reads the discovery document alone, and gives the issuer that new tokens are of. A document that names none is an
// *Error.
func (c *Client) Issuer(ctx context.Context) (string, error) {
	_, read, err := c.discovery(ctx)
	return read.Issuer, err
}

func (c *Client) discovery(ctx context.Context) (text string, read discovered, err error) {
	text, err = c.oidcDocument(ctx, discoveryPath, "application/json", func(text []byte) error {
		if err := json.Unmarshal(text, &read); err != nil {
			return err
		}
		if read.Issuer == "" { // the one member that everything else stands on
			return errors.New("it names no issuer")
		}
		return nil
	})
	return text, read, err
}

// OIDCDocuments reads both documents on the API server itself. The key set comes from its fixed path, not from what
// jwks_uri says. A document that names no issuer, or holds no keys, is an *Error that names the document.
func (c *Client) OIDCDocuments(ctx context.Context) (*OIDCDocuments, error) {
	discovery, read, err := c.discovery(ctx)
	if err != nil {
		return nil, err
	}
	// The API server answers 406 to an Accept header without the type of key sets.
	const accept = "application/jwk-set+json, application/json;q=0.9, */*;q=0.1"
	keys, err := c.oidcDocument(ctx, keySetPath, accept, func(text []byte) error {
		var set struct {
			Keys []json.RawMessage `json:"keys"`
		}
		if err := json.Unmarshal(text, &set); err != nil {
			return err
		}
		if len(set.Keys) == 0 {
			return errors.New("it holds no keys")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &OIDCDocuments{
		Discovery: discovery, JWKS: keys,
		Issuer: read.Issuer, JWKSURI: read.JWKSURI, SigningAlgorithms: read.SigningAlgorithms,
	}, nil
}

func (c *Client) oidcDocument(ctx context.Context, path, accept string, check func([]byte) error) (string, error) {
	t := target{verb: "get", url: path}
	text, err := c.document(ctx, t, t.on(c.rest.Get()).SetHeader("Accept", accept), check)
	var e *Error
	if errors.As(err, &e) && e.Code == http.StatusNotFound {
		e.advice = "The API server publishes no OIDC documents: the first --service-account-issuer is not an https URL without query " +
			"and fragment. Such a cluster cannot be trusted by its issuer; change the flag, and expect tokens to be issued anew."
	}
	return string(text), err
}
