package cioidcprovider

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
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
	if problem := issuerProblem(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Not an issuer", fmt.Sprintf("%q cannot be the issuer of a token: %s. "+
			"Give the iss claim of the tokens, character for character; for a cluster that is the issuer of aktrust_cluster_jwks.",
			req.ConfigValue.ValueString(), problem))
	}
}

// issuerProblem says what is wrong with an issuer; empty when nothing is.
func issuerProblem(issuer string) string {
	u, err := url.Parse(issuer)
	switch {
	case err != nil:
		return "it is not a URL"
	case u.Scheme != "https":
		return "it is not an https URL"
	case u.Hostname() == "":
		return "it names no host"
	case u.RawQuery != "" || u.ForceQuery:
		return "it has a query"
	case u.Fragment != "" || strings.HasSuffix(issuer, "#"):
		return "it has a fragment"
	}
	return ""
}

// notPublic says why the keys of an issuer cannot be fetched from outside; empty when nothing speaks against it.
func notPublic(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() {
			return host + " is a private address"
		}
		return ""
	}
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return host + " is this machine itself"
	case strings.HasSuffix(host, ".svc") || strings.Contains(host, ".svc."):
		return host + " is a name inside the cluster"
	case strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal"):
		return host + " is a name inside a private network"
	case !strings.Contains(host, "."):
		return host + " is not a public name"
	}
	return ""
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
