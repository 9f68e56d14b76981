package cioidcprovider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
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

// warnOfDestroy is the plan of a destroy: of one provider, or of everything.
func (r *Resource) warnOfDestroy(ctx context.Context, state tfsdk.State) diag.Diagnostics {
	var prior model
	diags := state.Get(ctx, &prior)
	return append(diags, r.warnOfLiveIssuer(prior, path.Empty())...)
}

// warnOfLiveIssuer looks whether the cluster still issues the tokens that nobody takes after the provider is gone, or disabled.
// Nothing is said where that cannot be seen: taking the provider away is what was asked for, and often the cluster went first.
func (r *Resource) warnOfLiveIssuer(prior model, at path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	issuer := prior.IssuerURL.ValueString()
	if !prior.IsEnabled.ValueBool() || prior.ProviderType.ValueString() != artifactkeeper.TypeKubernetes || r.ClusterIssuer() != issuer {
		return diags
	}
	diags.AddAttributeWarning(at, "The cluster still issues tokens of this issuer",
		fmt.Sprintf("The API server issues tokens of %q. From the moment this is applied, the registry refuses all of them that are for "+
			"the audience %q of %s, and pulls with them fail. That is right when no kubelet asks for that audience any more: take it "+
			"out of the kubelets' files first.", issuer, prior.Audience.ValueString(), prior.describe()))
	return diags
}

var (
	errIssuerUnknown = errors.New("issuer_url or provider_type is not known yet")
	errNoCluster     = errors.New("tokens of this provider_type are not those of a cluster")
)

func (r *Resource) look(ctx context.Context, plan model) rotation.Sight {
	switch {
	case !known(plan.IssuerURL), !known(plan.ProviderType):
		return rotation.Unseen(errIssuerUnknown)
	case plan.ProviderType.ValueString() != artifactkeeper.TypeKubernetes: // No cluster is asked about what is none of its own.
		return rotation.Unseen(errNoCluster)
	}
	return r.KeysOf(ctx, plan.IssuerURL.ValueString())
}
