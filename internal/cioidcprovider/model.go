package cioidcprovider

import (
	"encoding/json"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

type model struct {
	ID           types.String     `tfsdk:"id"`
	Name         types.String     `tfsdk:"name"`
	ProviderType types.String     `tfsdk:"provider_type"`
	IssuerURL    types.String     `tfsdk:"issuer_url"`
	Audience     types.String     `tfsdk:"audience"`
	IsEnabled    types.Bool       `tfsdk:"is_enabled"`
	StaticJWKS   attribute.KeySet `tfsdk:"static_jwks"`
	KeySource    types.String     `tfsdk:"key_source"`
	KeyIDs       types.List       `tfsdk:"key_ids"`
}

// identity is what identifies the object.
type identity struct {
	ID types.String `tfsdk:"id"`
}

func (m model) identity() identity { return identity{ID: m.ID} }

// describe names the object in an error.
func (m model) describe() string {
	switch {
	case m.Name.IsUnknown() && m.ID.ValueString() == "":
		return "a CI OIDC provider whose name is not known yet"
	case m.Name.ValueString() == "":
		return "the CI OIDC provider " + m.ID.ValueString()
	}
	return "the CI OIDC provider " + strconv.Quote(m.Name.ValueString())
}

// isStatic reports whether the provider verifies with keys of its own.
func (m model) isStatic() bool { return m.KeySource.ValueString() == artifactkeeper.KeySourceStatic }

// toAPI gives the request that turns prior into m; prior is the zero model for a create. key_source is said only where it
// is not the default, so that nothing newer is asked of an old registry than what is meant.
func (m model) toAPI(prior model) artifactkeeper.ProviderInput {
	in := artifactkeeper.ProviderInput{
		Name:         m.Name.ValueString(),
		ProviderType: m.ProviderType.ValueString(),
		IssuerURL:    m.IssuerURL.ValueString(),
		Audience:     m.Audience.ValueString(),
		IsEnabled:    m.IsEnabled.ValueBool(),
	}
	switch {
	case m.isStatic():
		in.KeySource = artifactkeeper.KeySourceStatic
		// The canonical form, because some verifiers refuse what others read, such as leading zeros of a modulus.
		if keys := parsed(m.StaticJWKS); keys != nil {
			in.StaticJWKS = json.RawMessage(keys.Canonical())
		}
	case prior.isStatic():
		in.KeySource = artifactkeeper.KeySourceDiscovery
	}
	return in
}

// fromAPI takes over what was read. A key set that is equal to the one that m holds keeps its text.
func (m *model) fromAPI(p artifactkeeper.Provider) {
	m.ID = types.StringValue(p.ID)
	m.Name = types.StringValue(p.Name)
	m.ProviderType = types.StringValue(p.ProviderType)
	m.IssuerURL = types.StringValue(p.IssuerURL)
	m.Audience = types.StringValue(p.Audience)
	m.IsEnabled = types.BoolValue(p.IsEnabled)
	m.KeySource = types.StringValue(artifactkeeper.KeySourceDiscovery)
	if p.KeySource != "" {
		m.KeySource = types.StringValue(p.KeySource)
	}
	m.StaticJWKS = readKeys(m.StaticJWKS, p.StaticJWKS)
	m.KeyIDs = keyIDs(m.StaticJWKS)
}

// readKeys gives the key set that the registry holds: prior where it is the same set, else the canonical text.
func readKeys(prior attribute.KeySet, raw json.RawMessage) attribute.KeySet {
	if len(raw) == 0 || string(raw) == "null" {
		return attribute.NewKeySetNull()
	}
	set, err := jwks.Parse(string(raw))
	if err != nil {
		// The registry checked it once; what cannot be read now is shown as it is.
		return attribute.NewKeySetValue(string(raw))
	}
	if jwks.EqualTexts(prior.ValueString(), string(raw)) {
		return prior
	}
	return attribute.NewKeySetValue(set.Canonical())
}

// keyIDs gives the kids of a key set: none without a set, unknown while it is unknown.
func keyIDs(set attribute.KeySet) types.List {
	if set.IsUnknown() {
		return types.ListUnknown(types.StringType)
	}
	ids := []attr.Value{}
	if keys := parsed(set); keys != nil {
		for _, id := range keys.KeyIDs() {
			ids = append(ids, types.StringValue(id))
		}
	}
	return types.ListValueMust(types.StringType, ids)
}
