package emulator

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// keysLifetime is how long a fetched key set is used without asking the
	// issuer again.
	keysLifetime = 5 * time.Minute
	// discoveryTimeout bounds each request to an issuer.
	discoveryTimeout = 10 * time.Second
	// maxDiscovery bounds each document of an issuer.
	maxDiscovery = 1 << 20
)

// sharedAddresses are those between the customers of a provider and its
// address translation (RFC 6598). The registry counts them as private.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// Network looks names up and dials, as [net.Resolver] and [net.Dialer] do.
type Network interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// machineNetwork is the network that the process is in.
type machineNetwork struct {
	*net.Resolver
	*net.Dialer
}

// issuerKeys fetches the keys of issuers by OIDC discovery and keeps them for
// a while.
type issuerKeys struct {
	client       *http.Client
	network      Network
	allowPrivate bool
	now          func() time.Time

	mu    sync.Mutex
	known map[string]cachedKeys // by jwks_uri
}

type cachedKeys struct {
	set     json.RawMessage
	fetched time.Time
}

func newIssuerKeys(o Options) *issuerKeys {
	k := &issuerKeys{network: o.IssuerNetwork, allowPrivate: o.AllowPrivateIssuers, now: o.Now, known: map[string]cachedKeys{}}
	k.client = &http.Client{
		Timeout: discoveryTimeout,
		Transport: &http.Transport{
			DialContext: k.dial,
			TLSClientConfig: &tls.Config{
				MinVersion: tls.VersionTLS12, RootCAs: o.IssuerCAs,
			},
			DisableKeepAlives: true, // nothing is left open when the registry ends
		},
	}
	return k
}

// dial connects to an address that the name has and the rule allows. The
// address is looked up again, and it is this one that is dialled: a name may
// resolve differently a moment after it was checked.
func (k *issuerKeys) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := k.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	return k.network.DialContext(ctx, network, net.JoinHostPort(addresses[0].String(), port))
}

// lookUp gives the addresses of a host; one that is not allowed spoils all.
func (k *issuerKeys) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	addresses, err := k.network.LookupNetIP(ctx, "ip", host)
	if ip, literal := netip.ParseAddr(host); literal == nil {
		addresses, err = []netip.Addr{ip}, nil
	}
	if err == nil && len(addresses) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	for _, ip := range addresses {
		if k.blocked(ip.Unmap()) {
			return nil, &blockedError{ip}
		}
	}
	return addresses, err
}

// blocked is the registry's rule: loopback and link-local addresses, where
// the metadata of clouds are, stay closed whatever the operator allows.
func (k *issuerKeys) blocked(ip netip.Addr) bool {
	if ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	return !k.allowPrivate && (ip.IsPrivate() || sharedAddresses.Contains(ip))
}

// blockedError is an address that is not dialled.
type blockedError struct{ ip netip.Addr }

func (e *blockedError) Error() string {
	return fmt.Sprintf("IP '%s' is not allowed (private/internal network)", e.ip)
}

// fetch returns the key set of an issuer. An issuer that the registry will
// not ask is the operator's mistake, 400; one that does not answer is 500
// without details.
func (k *issuerKeys) fetch(ctx context.Context, issuer string) (json.RawMessage, error) {
	location, err := url.Parse(issuer)
	if err != nil || location.Scheme != "https" || location.Host == "" {
		return nil, validation("CI OIDC issuer URL must use HTTPS")
	}
	if _, err := k.lookUp(ctx, location.Hostname()); err != nil {
		if blocked, ok := errors.AsType[*blockedError](err); ok {
			return nil, validation("CI OIDC issuer URL %s", blocked)
		}
		return nil, internalError()
	}
	var document struct {
		JWKSURI string `json:"jwks_uri"`
	}
	text, err := k.get(ctx, strings.TrimRight(issuer, "/")+"/.well-known/openid-configuration")
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil || document.JWKSURI == "" {
		return nil, internalError()
	}
	return k.keys(ctx, document.JWKSURI)
}

func (k *issuerKeys) keys(ctx context.Context, uri string) (json.RawMessage, error) {
	k.mu.Lock()
	cached, ok := k.known[uri]
	k.mu.Unlock()
	if ok && k.now().Before(cached.fetched.Add(keysLifetime)) {
		return cached.set, nil
	}
	text, err := k.get(ctx, uri)
	if err != nil || !json.Valid(text) {
		return nil, internalError()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[uri] = cachedKeys{set: text, fetched: k.now()}
	return text, nil
}

func (k *issuerKeys) get(ctx context.Context, location string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := k.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDiscovery+1))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || len(text) > maxDiscovery {
		return nil, fmt.Errorf("GET %s: %s, %d bytes", location, response.Status, len(text))
	}
	return text, nil
}
