package issuer

import (
	"net/netip"
	"net/url"
	"strings"
)

// Invalid says why a text cannot be an issuer, such as "it is not an https URL"; empty when nothing speaks against it. An
// issuer is an https URL without query and fragment (OpenID Connect Discovery 1.0, section 2), and one with a user name or a
// password would hand them to everybody who reads a token.
func Invalid(issuer string) (problem string) {
	u, problem := parse(issuer)
	switch {
	case problem != "":
		return problem
	case u.RawQuery != "" || u.ForceQuery:
		return "it has a query"
	case u.Fragment != "" || strings.HasSuffix(issuer, "#"):
		return "it has a fragment"
	}
	return ""
}

// parse reads a URL from which a consumer fetches something, or says why no consumer does.
func parse(location string) (u *url.URL, problem string) {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return nil, "it is not a URL"
	case u.Scheme != "https":
		return nil, "it is not an https URL"
	case u.Hostname() == "":
		return nil, "it names no host"
	case u.User != nil:
		return nil, "it has a user name or a password"
	}
	return u, ""
}

// sharedAddresses are those between a provider's customers and its network address translation (RFC 6598). Nobody else
// reaches them, and netip does not count them as private.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// NotPublic says why a URL cannot be fetched from outside the network that it is in, such as "its host is a private address";
// empty when nothing in its text says so. It asks no resolver: a name that resolves to a private address is not seen.
func NotPublic(location string) (problem string) {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		if ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() ||
			sharedAddresses.Contains(ip) {
			return "its host is a private address"
		}
		return ""
	}
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "its host is this machine itself"
	case strings.HasSuffix(host, ".svc") || strings.Contains(host, ".svc."):
		return "its host is a name inside the cluster"
	case strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal"):
		return "its host is a name inside a private network"
	case host != "" && !strings.Contains(host, "."):
		return "its host is not a public name"
	}
	return ""
}
