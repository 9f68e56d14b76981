package cluster

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// Warnings lists, in sentences, what in the discovery document keeps a consumer elsewhere from verifying tokens by it. It is no
// trouble for one that is handed the keys. It is empty when there is nothing to say.
func (d *OIDCDocuments) Warnings() []string {
	var out []string
	if problem := issuer.Invalid(d.Issuer); problem != "" {
		out = append(out, fmt.Sprintf("issuer %q: %s, so that consumers refuse it.", d.Issuer, problem))
	}
	keys, err := url.Parse(d.JWKSURI)
	switch {
	case d.JWKSURI == "":
		return append(out, "jwks_uri: the discovery document has none, so that nobody finds the keys by it.")
	case err != nil || keys.Scheme != "https":
		return append(out, fmt.Sprintf("jwks_uri %q: it is not an https URL, so that consumers refuse it.", d.JWKSURI))
	}
	if problem := issuer.NotPublic(d.JWKSURI); problem != "" {
		out = append(out, fmt.Sprintf("jwks_uri %q: %s, so that consumers elsewhere do not get the keys.", d.JWKSURI, problem))
	}
	if from, err := url.Parse(d.Issuer); err == nil && !strings.EqualFold(from.Hostname(), keys.Hostname()) {
		out = append(out, fmt.Sprintf("jwks_uri %q: it is on another host than the issuer %q, so that consumers have to reach both.",
			d.JWKSURI, d.Issuer))
	}
	return out
}
