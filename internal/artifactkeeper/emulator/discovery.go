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
	"syscall"
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

var errPrivateAddress = errors.New("the address is private, and private issuers are not allowed")

// issuerKeys fetches the keys of issuers by OIDC discovery and keeps them for
// a while.
type issuerKeys struct {
	client       *http.Client
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
	k := &issuerKeys{allowPrivate: o.AllowPrivateIssuers, now: o.Now, known: map[string]cachedKeys{}}
	// The check of the address that is really dialled is the one that counts:
	// a name may resolve differently a moment later.
	dialer := &net.Dialer{Timeout: discoveryTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return err
		}
		return k.checkAddress(ip)
	}}
	k.client = &http.Client{
		Timeout: discoveryTimeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext,
			TLSClientConfig: &tls.Config{
				MinVersion: tls.VersionTLS12, RootCAs: o.IssuerCAs,
			},
			DisableKeepAlives: true, // nothing is left open when the registry ends
		},
	}
	return k
}

func (k *issuerKeys) checkAddress(ip netip.Addr) error {
	ip = ip.Unmap()
	private := ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast()
	if private && !k.allowPrivate {
		return errPrivateAddress
	}
	return nil
}

// fetch returns the key set of an issuer. An issuer that the registry will
// not ask is the operator's mistake, 400; one that does not answer is 500
// without details.
func (k *issuerKeys) fetch(ctx context.Context, issuer string) (json.RawMessage, error) {
	location, err := url.Parse(issuer)
	if err != nil || location.Scheme != "https" || location.Host == "" {
		return nil, validation("CI OIDC issuer URL must use HTTPS")
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", location.Hostname())
	if err != nil {
		return nil, internalError()
	}
	for _, ip := range addresses {
		if err := k.checkAddress(ip); err != nil {
			return nil, validation("CI OIDC issuer URL is not allowed: %v", err)
		}
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
