package artifactkeeper

import (
	"context"
	"net/http"
)

// Credential is what the registry gives for a token of a trusted issuer.
type Credential struct {
	// AccessToken is the password of a pull. It is a secret.
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	// ExpiresIn is in seconds.
	ExpiresIn int64  `json:"expires_in"`
	Username  string `json:"username"`
}

// Exchange presents an OIDC token and gives the credential that its mapping leads to. providerID chooses between several
// providers of one issuer and may be empty. It needs no administrator; a refusal is an [*Error] with the registry's
// own words. Neither token appears in an error or log.
func (c *Client) Exchange(ctx context.Context, oidcToken, providerID string) (Credential, error) {
	c.scrub.Add(oidcToken)
	r := request{method: http.MethodPost, path: "/auth/ci/token"}
	if providerID != "" {
		r.in = map[string]string{"provider_id": providerID}
	}
	var out Credential
	if err := c.send(ctx, r, oidcToken, &out); err != nil {
		return Credential{}, err
	}
	c.scrub.Add(out.AccessToken)
	if out.AccessToken == "" {
		return Credential{}, &MalformedError{r.method, r.path, http.StatusOK, "the answer has no access token"}
	}
	return out, nil
}
