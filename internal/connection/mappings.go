package connection

import (
	"context"
	"sync"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// start holds the identity mappings of one provider from before the first write of this process.
type start struct {
	mu       sync.Mutex
	listed   bool
	mappings []artifactkeeper.Mapping
}

// MappingsAtStart gives the identity mappings of a provider, by priority and then creation time, as they were before this
// process wrote any. While applying, that is what the plan saw, unless somebody else wrote in between: what the plan knew of
// mappings that this apply has changed since can be told no other way, because nothing but planned values gets from the plan
// of a new object into its apply.
//
// It holds only when whatever writes a mapping asks first. The slice is shared: callers do not change it.
func (r *Resource) MappingsAtStart(ctx context.Context, providerID string) ([]artifactkeeper.Mapping, error) {
	registry, err := r.Registry()
	if err != nil {
		return nil, err
	}
	known, _ := r.data.starts.LoadOrStore(artifactkeeper.CanonicalID(providerID), &start{})
	s := known.(*start)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed {
		return s.mappings, nil
	}
	if s.mappings, err = registry.Mappings(ctx, providerID); err != nil {
		return nil, err
	}
	s.listed = true
	return s.mappings, nil
}
