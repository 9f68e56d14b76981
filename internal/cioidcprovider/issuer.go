package cioidcprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// issuerURL refuses what can be the issuer of no token that the registry verifies (OpenID Connect Discovery 1.0,
// section 2: an https URL without query and fragment).
type issuerURL struct{}

func (issuerURL) Description(context.Context) string {
	return "an https URL without query and fragment"
}

func (v issuerURL) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (issuerURL) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problem := issuer.Invalid(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Not an issuer", fmt.Sprintf("%q cannot be the issuer of a token: %s. "+
			"Give the iss claim of the tokens, character for character; for a cluster that is the issuer of aktrust_cluster_jwks.",
			req.ConfigValue.ValueString(), problem))
	}
}

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
