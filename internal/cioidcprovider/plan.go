package cioidcprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// ValidateConfig checks what concerns several attributes, as far as they are known.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.refuseMixedKeys()...)
	if config.Audience.IsNull() {
		config.Audience = types.StringValue(defaultAudience)
	}
	resp.Diagnostics.Append(config.refuseAPIServerAudience()...)
	r.ExpectAudiences(config.end(false))
}

// refuseMixedKeys refuses a key set beside discovery, and static keys without a set.
func (m model) refuseMixedKeys() diag.Diagnostics {
	var diags diag.Diagnostics
	switch {
	case m.KeySource.ValueString() == artifactkeeper.KeySourceDiscovery && !m.StaticJWKS.IsNull() && !m.StaticJWKS.IsUnknown():
		// On key_source, because the CLI quotes the line of an attribute, and a key set may hold a private key by mistake.
		diags.AddAttributeError(path.Root("key_source"), "A key set beside discovery",
			"key_source is \"discovery\", with which the registry fetches the keys from the issuer and refuses a set of its own. "+
				"Remove static_jwks, or make key_source \"static\".")
	case m.isStatic() && m.StaticJWKS.IsNull():
		diags.AddAttributeError(path.Root("key_source"), "Static keys without a key set",
			"key_source is \"static\", and there is no static_jwks to verify tokens with. Give the key set, for example "+
				"data.aktrust_cluster_jwks.NAME.jwks, or make key_source \"discovery\".")
	}
	return diags
}

func (m model) refuseAPIServerAudience() diag.Diagnostics {
	var diags diag.Diagnostics
	// Before a value is known, an empty text stands for it, which is neither.
	if m.ProviderType.ValueString() != artifactkeeper.TypeKubernetes || m.Audience.ValueString() == "" {
		return diags
	}
	if problem := apiServerAudience(m.Audience.ValueString(), m.IssuerURL.ValueString()); problem != "" {
		diags.AddAttributeError(path.Root("audience"), "An audience of the API server",
			fmt.Sprintf("With the audience %q every pod of the cluster could pull, because %s, and every pod holds a token for it. "+
				"Choose an audience for the registry alone, such as %q.", m.Audience.ValueString(), problem, defaultAudience))
	}
	return diags
}

// ModifyPlan works out the key source and the key ids, refuses to unpin keys by accident, and warns. The CLI plans again
// during apply, with what was unknown before, so that this is the place for every check and warning.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.warnOfDestroy(ctx, req.State)...)
		return
	}
	var config, plan, prior model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if config.KeySource.IsNull() {
		plan.KeySource = impliedKeySource(plan)
		resp.Diagnostics.Append(plan.refuseUnpinning(prior)...)
	}
	plan.KeyIDs = keyIDs(plan.StaticJWKS)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	resp.Diagnostics.Append(r.CompareAudiences(plan.end(!resp.Plan.Raw.Equal(req.State.Raw)), path.Root("audience"))...)
	if resp.Diagnostics.HasError() || resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(plan.warnings(prior)...)
	resp.Diagnostics.Append(r.warnOfSecond(ctx, plan, prior)...)
	if plan.IsEnabled.Equal(types.BoolValue(false)) {
		resp.Diagnostics.Append(r.warnOfLiveIssuer(prior, path.Root("is_enabled"))...)
	}
	resp.Diagnostics.Append(r.warnOfDroppedKeys(ctx, plan, prior)...)
}

// impliedKeySource is the key source where none is written: it follows from whether there is a key set.
func impliedKeySource(plan model) types.String {
	switch {
	case plan.StaticJWKS.IsUnknown():
		return types.StringUnknown()
	case plan.StaticJWKS.IsNull():
		return types.StringValue(artifactkeeper.KeySourceDiscovery)
	}
	return types.StringValue(artifactkeeper.KeySourceStatic)
}

// refuseUnpinning refuses discovery after static keys unless it is written out.
func (m model) refuseUnpinning(prior model) diag.Diagnostics {
	var diags diag.Diagnostics
	if prior.isStatic() && m.KeySource.ValueString() == artifactkeeper.KeySourceDiscovery {
		diags.AddAttributeError(path.Root("key_source"), "The keys would be unpinned",
			"The provider verifies tokens with a static key set, and the configuration has none: without it the registry "+
				"would trust whatever keys the issuer publishes. Give static_jwks again or, if that is what is meant, write "+
				"key_source = \"discovery\".")
	}
	return diags
}

// warnings lists what a change from prior to m is worth a warning for. prior is the zero model for a create.
func (m model) warnings(prior model) diag.Diagnostics {
	var w diag.Diagnostics
	if prior.ProviderType.ValueString() == artifactkeeper.TypeKubernetes && known(m.ProviderType) &&
		m.ProviderType.ValueString() != artifactkeeper.TypeKubernetes {
		w.AddAttributeWarning(path.Root("provider_type"), "Credentials become writable",
			fmt.Sprintf("Credentials of a kubernetes provider are read-only. As %q, the same tokens get credentials that may do all "+
				"that their accounts may.", m.ProviderType.ValueString()))
	}
	if prior.IsEnabled.ValueBool() {
		w.Append(m.warnOfOldIssuer(prior)...)
		w.Append(m.warnOfOldAudience(prior)...)
	}
	if will := parsed(m.StaticJWKS); will != nil {
		for _, problem := range will.Warnings() {
			w.AddWarning("A key set to look at", problem)
		}
	}
	if m.KeySource.ValueString() == artifactkeeper.KeySourceDiscovery && known(m.IssuerURL) {
		if problem := issuer.NotPublic(m.IssuerURL.ValueString()); problem != "" {
			w.AddAttributeWarning(path.Root("issuer_url"), "The registry may not reach this issuer",
				fmt.Sprintf("With discovery the registry fetches the keys from %s, and %s. Unless the registry reaches it, every "+
					"exchange fails. Give the keys as static_jwks, for example data.aktrust_cluster_jwks.NAME.jwks.",
					m.IssuerURL.ValueString(), problem))
		}
	}
	return w
}

// warnOfOldIssuer says what an issuer that changes in place cuts off.
func (m model) warnOfOldIssuer(prior model) diag.Diagnostics {
	var w diag.Diagnostics
	was, will := prior.IssuerURL, m.IssuerURL
	if !differ(was, will) {
		return w
	}
	w.AddAttributeWarning(path.Root("issuer_url"), "Tokens of the old issuer are refused",
		fmt.Sprintf("From the moment this is applied, the registry refuses every token with the iss %q, and pulls with them fail. "+
			"That is right when no token ever had it. To change the issuer without an outage, add a second "+
			"aktrust_ci_oidc_provider for %q, with the same mappings, and remove this one when the last token of the old issuer has "+
			"expired.", was.ValueString(), will.ValueString()))
	return w
}

// warnOfOldAudience says what an audience that changes in place cuts off.
func (m model) warnOfOldAudience(prior model) diag.Diagnostics {
	var w diag.Diagnostics
	was, will := prior.Audience, m.Audience
	if !differ(was, will) {
		return w
	}
	until := "Whoever asks for that one is refused until they ask for the new one."
	if m.ProviderType.ValueString() == artifactkeeper.TypeKubernetes {
		until = "Kubelets ask for that one until they have another file and are restarted, and pulls fail until then."
	}
	w.AddAttributeWarning(path.Root("audience"), "Tokens for the old audience are refused",
		fmt.Sprintf("From the moment this is applied, the registry refuses every token for the audience %q. %s To change the audience "+
			"without an outage, add a second aktrust_ci_oidc_provider for %q, with the same issuer and mappings, and remove this one "+
			"when nobody asks for the old one any more.", was.ValueString(), until, will.ValueString()))
	return w
}

// parsed gives the key set, or nil while there is none to read.
func parsed(set attribute.KeySet) *jwks.Set {
	keys, err := jwks.Parse(set.ValueString())
	if err != nil {
		return nil
	}
	return keys
}

// differ reports whether two values are known to be two.
func differ(a, b types.String) bool { return known(a) && known(b) && !a.Equal(b) }

func known(value types.String) bool { return !value.IsNull() && !value.IsUnknown() }
