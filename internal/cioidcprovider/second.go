package cioidcprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
)

// warnOfSecond says in the plan what apply will refuse: a second enabled provider of an issuer and audience. The one that is there
// may be destroyed by the same plan, which an object does not see, so that it is no error yet. Where the registry cannot be asked
// nothing is said: apply asks again.
func (r *Resource) warnOfSecond(ctx context.Context, plan, prior model) diag.Diagnostics {
	var diags diag.Diagnostics
	if !known(plan.IssuerURL) || !known(plan.Audience) || plan.IsEnabled.IsUnknown() || plan.IssuerURL.Equal(prior.IssuerURL) &&
		plan.Audience.Equal(prior.Audience) && plan.IsEnabled.Equal(prior.IsEnabled) {
		return diags
	}
	registry, err := r.Registry()
	if err != nil {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, connection.LookTime)
	defer cancel()
	second, err := registry.Duplicate(ctx, prior.ID.ValueString(), artifactkeeper.ProviderInput{
		IssuerURL: plan.IssuerURL.ValueString(), Audience: plan.Audience.ValueString(), IsEnabled: plan.IsEnabled.ValueBool(),
	})
	if err != nil || second == nil {
		return diags
	}
	diags.AddAttributeWarning(path.Root("issuer_url"), "A second provider of this issuer and audience",
		"Now "+second.Error()+". Apply refuses "+plan.describe()+" unless that one is gone or disabled by then. "+second.Advice()+
			" If it is this one under another address, write a moved block.")
	return diags
}
