package cioidcprovider

import "github.com/aktrust/terraform-provider-aktrust/internal/cluster"

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
