package cioidcprovider

import (
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// apiServerAudience says why tokens of this audience open the API server; empty when nothing says so. Every pod of the
// cluster holds such a token, so with it every pod could pull.
func apiServerAudience(audience, issuer string) string {
	switch {
	case audience == issuer:
		return "it is the issuer, which is the audience that the API server accepts unless --api-audiences says otherwise"
	case cluster.IsAPIServerAudience(audience):
		return "it is an audience of the API server"
	}
	return ""
}

// end is what the registry takes of a cluster's tokens: nothing from an issuer of another type, nor from one that is disabled,
// and nothing is said of it while that is not known.
func (m model) end(changes bool) audience.End {
	end := audience.End{Kind: audience.Provider, Name: m.describe(), Changes: changes}
	enabled := m.IsEnabled.IsNull() || m.IsEnabled.ValueBool()
	if enabled && m.ProviderType.ValueString() == artifactkeeper.TypeKubernetes {
		end.Audiences = []string{m.Audience.ValueString()} // empty before it is known
	}
	return end
}
