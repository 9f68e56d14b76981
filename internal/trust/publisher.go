package trust

import (
	"context"
	"errors"
	"net/http"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// NewPublisher reads documents with a transport, as issuer.NewReader does.
func NewPublisher(transport http.RoundTripper) Publisher {
	return publisher{issuer.NewReader(transport)}
}

type publisher struct{ reader *issuer.Reader }

// Fetch reads both documents of an issuer. The error says what keeps it from the key set.
func (p publisher) Fetch(ctx context.Context, location string) (Documents, error) {
	published, err := p.reader.Read(ctx, location)
	if err != nil {
		return Documents{}, err
	}
	documents := Documents{Issuer: published.Issuer, JWKS: string(published.Answer)}
	if published.Answer == nil { // Whatever is noted last kept it from going on.
		return documents, errors.New(published.Problems[len(published.Problems)-1].Found)
	}
	return documents, nil
}
