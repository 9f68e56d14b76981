package rotation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwt"
)

// Cluster is what a look asks; a *cluster.Client answers.
type Cluster interface {
	OIDCDocuments(ctx context.Context) (*cluster.OIDCDocuments, error)
	CreateToken(ctx context.Context, request cluster.TokenRequest) (*cluster.Token, error)
}

// The token that shows which key signs. It is asked for in the name of a ServiceAccount that every cluster has: its controller
// makes one called default in each namespace, and the namespace default cannot be deleted. Nobody accepts the token: the
// top-level domain of its audience is reserved (RFC 2606), so that neither an API server nor a registry has that name. Ten
// minutes are the shortest that can be asked for.
const (
	probeNamespace      = "default"
	probeServiceAccount = "default"
	probeAudience       = "which-key-signs.aktrust.invalid"
	probeLifetime       = 10 * time.Minute
)

// Look reads the key set that the API server publishes, and has it sign a token, which needs the verb create on
// serviceaccounts/token in the namespace default. A cluster of another issuer is not the one that the set is about: it shows
// nothing, and is asked for no token as soon as its documents tell. What cannot be seen is in the Sight, with the reason.
func Look(ctx context.Context, c Cluster, issuer string) Sight {
	documents, err := c.OIDCDocuments(ctx)
	var refused *cluster.Error
	switch {
	case errors.As(err, &refused) && refused.Code == 0: // nobody answers
		return Unseen(err)
	case err == nil && documents.Issuer != issuer:
		return Unseen(&otherIssuerError{documents.Issuer, issuer})
	}
	seen := Sight{ServesErr: err}
	if err == nil {
		seen.Serves, seen.ServesErr = jwks.Parse(documents.JWKS)
	}
	token, err := sign(ctx, c)
	switch {
	case err != nil:
		seen.SignsErr = err
	case token.Issuer != issuer:
		return Unseen(&otherIssuerError{token.Issuer, issuer})
	default:
		seen.Signs = token.KeyID
	}
	return seen
}

// sign has the API server sign a token, and forgets all of it but what it says of itself.
func sign(ctx context.Context, c Cluster) (jwt.Token, error) {
	signed, err := c.CreateToken(ctx, cluster.TokenRequest{
		Namespace: probeNamespace, ServiceAccount: probeServiceAccount, Audience: probeAudience, Expiration: probeLifetime,
	})
	if err != nil {
		return jwt.Token{}, err
	}
	token, err := jwt.Read(signed.Value)
	if err != nil {
		return jwt.Token{}, fmt.Errorf("what the API server issued is %w", err)
	}
	if token.KeyID == "" {
		return jwt.Token{}, errors.New("the API server issues tokens that name no key")
	}
	return token, nil
}

// otherIssuerError says that the cluster is not the one that the key set is about.
type otherIssuerError struct{ is, want string }

func (e *otherIssuerError) Error() string {
	return fmt.Sprintf("the cluster of the provider configuration issues tokens of %q, and this is about %q", e.is, e.want)
}
