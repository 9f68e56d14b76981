package trust

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// Cluster is what a check asks of the API server. Errors are of type *cluster.Error.
type Cluster interface {
	// APIServerVersion is such as v1.34.3.
	APIServerVersion(ctx context.Context) (string, error)
	Kubelets(ctx context.Context) ([]cluster.Kubelet, error)
	OIDCDocuments(ctx context.Context) (*cluster.OIDCDocuments, error)
	ServiceAccount(ctx context.Context, namespace, name string) (*metav1.PartialObjectMetadata, error)
	// Namespace is asked for only where a ServiceAccount is missing.
	Namespace(ctx context.Context, name string) (*metav1.PartialObjectMetadata, error)
	Allowed(ctx context.Context, access cluster.Access) (allowed bool, reason string, err error)
	CreateToken(ctx context.Context, request cluster.TokenRequest) (*cluster.Token, error)
	Accepts(ctx context.Context, token cluster.Token, username string) (bool, error)
	// Grants lists the audiences that this provider's objects let nodes request.
	Grants(ctx context.Context) ([]Grant, error)
}

// Grant is what one ClusterRole of aktrust_node_audience gives.
type Grant struct {
	Role       string
	Audience   string
	Everywhere bool
	// Namespaces are those of its RoleBindings.
	Namespaces []string
	// ServiceAccounts are the names that it is narrowed to; empty means all.
	ServiceAccounts []string
}

// Registry is what a check asks of the registry. Errors are those of the package artifactkeeper.
type Registry interface {
	// Endpoint is the base URL that everything here is asked at.
	Endpoint() string
	Health(ctx context.Context) (artifactkeeper.Health, error)
	Providers(ctx context.Context) ([]artifactkeeper.Provider, error)
	Mappings(ctx context.Context, providerID string) ([]artifactkeeper.Mapping, error)
	RepositoryAccess(ctx context.Context, key string) (artifactkeeper.RepositoryAccess, error)
	Permissions(ctx context.Context, targetType, targetID string) ([]artifactkeeper.Permission, error)
	Account(ctx context.Context, id string) (artifactkeeper.Account, error)
	Group(ctx context.Context, id string) (artifactkeeper.Group, error)
	IsMember(ctx context.Context, groupID, accountID string) (bool, error)
	Exchange(ctx context.Context, oidcToken, providerID string) (artifactkeeper.Credential, error)
	Shows(ctx context.Context, credential artifactkeeper.Credential, key string) (bool, error)
	ReadManifest(ctx context.Context, credential artifactkeeper.Credential, name, reference string) (artifactkeeper.Manifest, error)
}

var _ Registry = (*artifactkeeper.Client)(nil)

// Documents are what an issuer publishes.
type Documents struct {
	// Issuer is the member of the discovery document.
	Issuer string
	// JWKS is the text of the key set at its jwks_uri.
	JWKS string
}

// Publisher reads what an issuer publishes, as a registry with key source discovery does.
type Publisher interface {
	Fetch(ctx context.Context, issuer string) (Documents, error)
}

// Sources are where a check looks.
type Sources struct {
	Cluster   Cluster
	Registry  Registry
	Publisher Publisher
}

// FromClient makes a Cluster of a connection.
func FromClient(client *cluster.Client) Cluster { return clusterClient{client} }

type clusterClient struct{ *cluster.Client }

func (c clusterClient) APIServerVersion(ctx context.Context) (string, error) {
	info, err := c.ServerVersion(ctx)
	if err != nil {
		return "", err
	}
	return info.GitVersion, nil
}

// Grants reads the ClusterRoles with the provider's label and what binds them.
func (c clusterClient) Grants(ctx context.Context) ([]Grant, error) {
	const label = nodeaudience.Label + "=" + nodeaudience.LabelValue
	roles, err := c.LabelledClusterRoles(ctx, label)
	if err != nil {
		return nil, err
	}
	var grants []Grant
	for _, role := range roles {
		var of []Grant
		for _, rule := range role.Rules {
			if !slices.Contains(rule.Verbs, nodeaudience.Verb) {
				continue
			}
			for _, audience := range rule.Resources {
				of = append(of, Grant{Role: role.Name, Audience: audience, ServiceAccounts: rule.ResourceNames})
			}
		}
		if len(of) == 0 {
			continue
		}
		everywhere, namespaces, err := c.bindings(ctx, role.Name, label)
		if err != nil {
			return nil, err
		}
		for _, grant := range of {
			grant.Everywhere, grant.Namespaces = everywhere, namespaces
			grants = append(grants, grant)
		}
	}
	return grants, nil
}

func (c clusterClient) bindings(ctx context.Context, role, label string) (everywhere bool, namespaces []string, err error) {
	_, err = c.ClusterRoleBinding(ctx, role)
	if err != nil && !cluster.IsNotFound(err) {
		return false, nil, err
	}
	everywhere = err == nil
	bound, err := c.RoleBindings(ctx, role, label)
	if err != nil {
		return false, nil, err
	}
	for _, binding := range bound {
		namespaces = append(namespaces, binding.Namespace)
	}
	slices.Sort(namespaces)
	return everywhere, namespaces, nil
}

// advice is what an error knows to do about itself.
func advice(err error) string {
	var adviser interface{ Advice() string }
	if errors.As(err, &adviser) {
		return adviser.Advice()
	}
	return ""
}
