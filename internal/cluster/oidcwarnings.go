package cluster

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

// Warnings lists, in sentences, what in the discovery document keeps a consumer elsewhere from verifying tokens by it. It is no
// trouble for one that is handed the keys. It is empty when there is nothing to say.
//
// They do not repeat jwks_uri: each of several API servers names its own address there, unless --service-account-jwks-uri is
// given, and the warnings are the same whichever of them answered.
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
		return append(out, "jwks_uri: it is not an https URL, so that consumers refuse it.")
	}
	if problem := issuer.NotPublic(d.JWKSURI); problem != "" {
		out = append(out, fmt.Sprintf("jwks_uri: %s, so that consumers elsewhere do not get the keys.", problem))
	}
	if from, err := url.Parse(d.Issuer); err == nil && !strings.EqualFold(from.Hostname(), keys.Hostname()) {
		out = append(out, "jwks_uri: it is on another host than the issuer, so that consumers have to reach both.")
	}
	return out
}
