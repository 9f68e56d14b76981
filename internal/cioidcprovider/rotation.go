package cioidcprovider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/rotation"
)

// warnOfDroppedKeys looks at the cluster when a plan takes keys out of the set, and says whose tokens are cut off. Nothing
// that goes wrong with the look is an error: the change does not need the cluster.
func (r *Resource) warnOfDroppedKeys(ctx context.Context, plan, prior model) diag.Diagnostics {
	var diags diag.Diagnostics
	change := rotation.Change{Old: parsed(prior.StaticJWKS), New: parsed(plan.StaticJWKS)}
	if len(change.Dropped()) == 0 || !prior.IsEnabled.ValueBool() { // While it is disabled, no token of it is in use.
		return diags
	}
	for _, w := range change.Warnings(r.look(ctx, plan)) {
		diags.AddWarning(w.Summary, w.Detail)
	}
	return diags
}

var (
	errIssuerUnknown  = errors.New("issuer_url or provider_type is not known yet")
	errNoCluster      = errors.New("tokens of this provider_type are not those of a cluster")
	errClusterUnknown = errors.New("the provider's connection to the cluster is not known yet")
)

func (r *Resource) look(ctx context.Context, plan model) rotation.Sight {
	switch {
	case !known(plan.IssuerURL), !known(plan.ProviderType):
		return rotation.Unseen(errIssuerUnknown)
	case plan.ProviderType.ValueString() != artifactkeeper.TypeKubernetes: // No cluster is asked about what is none of its own.
		return rotation.Unseen(errNoCluster)
	}
	cluster, err := r.Cluster()
	var unknown *connection.UnknownError
	switch {
	case errors.As(err, &unknown):
		return rotation.Unseen(errClusterUnknown)
	case err != nil:
		return rotation.Unseen(err)
	}
	return rotation.Look(ctx, cluster, plan.IssuerURL.ValueString())
}
