package artifactkeeper

import (
	"context"
	"errors"
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
		if answer, ok := errors.AsType[*Error](err); ok {
			answer.advice = exchangeAdvice(answer)
		}
		return Credential{}, err
	}
	c.scrub.Add(out.AccessToken)
	if out.AccessToken == "" {
		return Credential{}, &MalformedError{r.method, r.path, http.StatusOK, "the answer has no access token"}
	}
	return out, nil
}

// exchangeAdvice is about the token that was presented, because no administrator's credential is in the request; empty where
// what holds for every request does.
func exchangeAdvice(e *Error) string {
	switch {
	case e.Status == http.StatusUnauthorized && e.FromRegistry:
		return "The registry refuses the token that was presented, and not the credential of this configuration. The token's issuer, " +
			"audience and signing key have to be those of an enabled provider, and its claims those of one of the provider's mappings."
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return "An access proxy in front of the registry may have refused the request: it wants headers or a client certificate."
	}
	return ""
}
