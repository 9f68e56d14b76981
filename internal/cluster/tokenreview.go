package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Accepts tells whether the API server takes a token for a credential of its own, which it does when the token is for one of
// its audiences (--api-audiences). username is whom the token is of.
//
// The token is shown to the API server as a credential, which needs no permission (SelfSubjectReview, Kubernetes 1.28).
// Where the connection proves who it is by a client certificate, which counts before a token, a TokenReview is asked
// instead; that needs the verb create on tokenreviews.
func (c *Client) Accepts(ctx context.Context, token Token, username string) (bool, error) {
	t := target{
		verb: "create", group: authenticationv1.GroupName, version: "v1", kind: "SelfSubjectReview", resource: "selfsubjectreviews",
	}
	if c.identity == byCertificate {
		return c.reviewToken(ctx, token)
	}
	body, err := json.Marshal(&authenticationv1.SelfSubjectReview{TypeMeta: typeMeta(t)})
	if err != nil {
		return false, c.fail(t, answer{}, err)
	}
	c.secrets.Add(token.Value)
	// Client-go leaves a header that is there as it is.
	request := t.on(c.rest.Post()).SetHeader("Content-Type", runtime.ContentTypeJSON).SetHeader("Authorization", "Bearer "+token.Value)
	out, _, err := object[*authenticationv1.SelfSubjectReview](ctx, c, t, request.Body(body))
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Code == http.StatusUnauthorized:
		return false, nil
	case err != nil:
		return false, err
	case out.Status.UserInfo.Username == username:
		return true, nil
	}
	return c.reviewToken(ctx, token)
}

func (c *Client) reviewToken(ctx context.Context, token Token) (bool, error) {
	t := target{verb: "create", group: authenticationv1.GroupName, version: "v1", kind: "TokenReview", resource: "tokenreviews"}
	c.secrets.Add(token.Value)
	review := &authenticationv1.TokenReview{TypeMeta: typeMeta(t)}
	review.Spec.Token = token.Value
	out, err := ask(ctx, c, t, review)
	if err != nil {
		return false, err
	}
	return out.Status.Authenticated, nil
}
