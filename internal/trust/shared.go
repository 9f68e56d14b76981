package trust

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// sharedFor is how long an answer serves other checks: long enough for those of one refresh, and short enough that a check
// that waits for an apply does not see what was before it.
const sharedFor = 5 * time.Second

// Shared gives sources whose answers serve all checks that run at about the same time, as far as they are about the cluster,
// the registry or a repository and not about one ServiceAccount. Fifty checks then ask little more than one.
func Shared(sources Sources) Sources {
	answers := &answers{now: time.Now}
	return Sources{
		Cluster:   &sharedCluster{sources.Cluster, answers},
		Registry:  &sharedRegistry{sources.Registry, answers},
		Publisher: &sharedPublisher{sources.Publisher, answers},
	}
}

// answers holds answers by question.
type answers struct {
	now    func() time.Time
	flight singleflight.Group
	known  sync.Map // of *given, by question
}

type given struct {
	value any
	at    time.Time
}

// once asks unless the answer is known. Errors are not kept, but those who wait for the same answer share them.
func once[T any](ctx context.Context, a *answers, question string, ask func(context.Context) (T, error)) (T, error) {
	if known, ok := a.known.Load(question); ok && a.now().Before(known.(*given).at.Add(sharedFor)) {
		return known.(*given).value.(T), nil
	}
	// One who gives up must not end it for the others.
	result := a.flight.DoChan(question, func() (any, error) {
		value, err := ask(context.WithoutCancel(ctx))
		if err == nil {
			a.known.Store(question, &given{value, a.now()})
		}
		return value, err
	})
	var none T
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case outcome := <-result:
		if outcome.Err != nil {
			return none, outcome.Err
		}
		return outcome.Val.(T), nil
	}
}

type sharedCluster struct {
	Cluster
	answers *answers
}

func (s *sharedCluster) APIServerVersion(ctx context.Context) (string, error) {
	return once(ctx, s.answers, "version", s.Cluster.APIServerVersion)
}

func (s *sharedCluster) Kubelets(ctx context.Context) ([]cluster.Kubelet, error) {
	return once(ctx, s.answers, "kubelets", s.Cluster.Kubelets)
}

func (s *sharedCluster) OIDCDocuments(ctx context.Context) (*cluster.OIDCDocuments, error) {
	return once(ctx, s.answers, "documents", s.Cluster.OIDCDocuments)
}

func (s *sharedCluster) Grants(ctx context.Context) ([]Grant, error) {
	return once(ctx, s.answers, "grants", s.Cluster.Grants)
}

type sharedRegistry struct {
	Registry
	answers *answers
}

func (s *sharedRegistry) Health(ctx context.Context) (artifactkeeper.Health, error) {
	return once(ctx, s.answers, "health", s.Registry.Health)
}

func (s *sharedRegistry) RepositoryAccess(ctx context.Context, key string) (artifactkeeper.RepositoryAccess, error) {
	return once(ctx, s.answers, "repository "+key, func(ctx context.Context) (artifactkeeper.RepositoryAccess, error) {
		return s.Registry.RepositoryAccess(ctx, key)
	})
}

func (s *sharedRegistry) Permissions(ctx context.Context, targetType, targetID string) ([]artifactkeeper.Permission, error) {
	question := fmt.Sprintf("permissions %s %s", targetType, targetID)
	return once(ctx, s.answers, question, func(ctx context.Context) ([]artifactkeeper.Permission, error) {
		return s.Registry.Permissions(ctx, targetType, targetID)
	})
}

func (s *sharedRegistry) Account(ctx context.Context, id string) (artifactkeeper.Account, error) {
	return once(ctx, s.answers, "account "+id, func(ctx context.Context) (artifactkeeper.Account, error) {
		return s.Registry.Account(ctx, id)
	})
}

func (s *sharedRegistry) Group(ctx context.Context, id string) (artifactkeeper.Group, error) {
	return once(ctx, s.answers, "group "+id, func(ctx context.Context) (artifactkeeper.Group, error) {
		return s.Registry.Group(ctx, id)
	})
}

func (s *sharedRegistry) IsMember(ctx context.Context, groupID, accountID string) (bool, error) {
	return once(ctx, s.answers, fmt.Sprintf("member %s %s", groupID, accountID), func(ctx context.Context) (bool, error) {
		return s.Registry.IsMember(ctx, groupID, accountID)
	})
}

type sharedPublisher struct {
	Publisher
	answers *answers
}

func (s *sharedPublisher) Fetch(ctx context.Context, issuer string) (Documents, error) {
	return once(ctx, s.answers, "issuer "+issuer, func(ctx context.Context) (Documents, error) {
		return s.Publisher.Fetch(ctx, issuer)
	})
}
