package connection

import (
	"context"
	"errors"
	"sync"

	"github.com/aktrust/terraform-provider-aktrust/internal/rotation"
)

// sights are what looks at the keys of the cluster have shown, by issuer.
type sights struct {
	mu    sync.Mutex
	known map[string]rotation.Sight
}

var errClusterUnknown = errors.New("the provider's connection to the cluster is not known yet")

// KeysOf looks at the keys that the cluster signs tokens of an issuer with, once for each issuer, however many key sets change.
// What cannot be seen has its reason in the sight; a look that ctx cut short is not kept.
func (r *Resource) KeysOf(ctx context.Context, issuer string) rotation.Sight {
	client, err := r.Cluster()
	var unknown *UnknownError
	switch {
	case errors.As(err, &unknown):
		return rotation.Unseen(errClusterUnknown)
	case err != nil:
		return rotation.Unseen(err)
	}
	s := &r.data.sights
	s.mu.Lock()
	defer s.mu.Unlock()
	if sight, looked := s.known[issuer]; looked {
		return sight
	}
	sight := rotation.Look(ctx, client, issuer)
	if ctx.Err() != nil {
		return sight
	}
	if s.known == nil {
		s.known = map[string]rotation.Sight{}
	}
	s.known[issuer] = sight
	return sight
}
