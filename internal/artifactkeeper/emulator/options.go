package emulator

import (
	"crypto/rand"
	"crypto/x509"
	"net"
	"time"

	"github.com/google/uuid"
)

// DefaultTokenTTL is how long a login session and an exchanged token live
// unless the options say otherwise, as in the registry's own defaults.
const DefaultTokenTTL = 15 * time.Minute

// Options configures a [Server]. The zero value is a usable registry of the
// newest release on a free port of 127.0.0.1.
type Options struct {
	// Profile picks the release whose behaviour is emulated. Empty means
	// [DefaultProfile].
	Profile Profile

	// Address is the TCP address to listen on. Empty means 127.0.0.1:0.
	Address string
	// Hosts are further DNS names or IP addresses for the server certificate,
	// beside 127.0.0.1, ::1 and localhost.
	Hosts []string
	// BasePath is a prefix in front of every route, such as "/registry", for
	// a registry behind a path-routing proxy. It has a leading slash and no
	// trailing one.
	BasePath string
	// PlainHTTP serves without TLS, for clients that must refuse it.
	PlainHTTP bool
	// ClientCAs, when set, makes the server ask for a client certificate
	// signed by one of them and refuse the handshake without it.
	ClientCAs *x509.CertPool
	// RequireHeaders are header values that an access proxy in front would
	// ask for. A request without them gets the proxy's 403 page.
	RequireHeaders map[string]string
	// Latency is added to every request before it is handled.
	Latency time.Duration

	// Token is the administrator's bearer token, which never expires. Empty
	// means a random one; see [Server.Token].
	Token string
	// Username and Password are what the administrator logs in with. Empty
	// means "admin" and a random password; see [Server.Credentials].
	Username string
	Password string
	// MustChangePassword makes the administrator's login answer
	// must_change_password, and every call of that session 428.
	MustChangePassword bool
	// TOTPRequired makes the administrator's login answer totp_required
	// without a session.
	TOTPRequired bool
	// AccessTokenTTL is the lifetime of a login session, CITokenTTL the
	// longest lifetime of an exchanged token. Zero means [DefaultTokenTTL].
	AccessTokenTTL time.Duration
	CITokenTTL     time.Duration

	// Now is the registry's clock, for expiry, rate limits and timestamps.
	// Nil means time.Now.
	Now func() time.Time
	// NewID makes the identifiers of new objects. Nil means random UUIDs.
	NewID func() uuid.UUID

	// AllowPrivateIssuers lets discovery reach private addresses, which the
	// registry refuses unless its operator allows them. Loopback and
	// link-local ones it refuses always.
	AllowPrivateIssuers bool
	// IssuerNetwork is the network in which issuers are looked up and dialled;
	// the rules about addresses hold in it. Nil means the process's own.
	IssuerNetwork Network
	// IssuerCAs are the authorities trusted for discovery. Nil means the
	// system's.
	IssuerCAs *x509.CertPool

	// AsBuilt answers as the registry's source does where that differs from
	// its documentation:
	//   - the account of a mapping is a user: /service-accounts does not list
	//     it, GET /service-accounts/{id} is 404, GET /users/{id} is the way;
	//   - pulling from a repository that is governed by permission rules, or
	//     lies outside the token's ceiling, is 403 DENIED instead of 404;
	//   - nbf of a presented token is not looked at.
	AsBuilt bool
}

func (o Options) withDefaults() Options {
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	if o.Token == "" {
		o.Token = newSecret("ak_admin_")
	}
	if o.Username == "" {
		o.Username = "admin"
	}
	if o.Password == "" {
		o.Password = newSecret("")
	}
	if o.AccessTokenTTL == 0 {
		o.AccessTokenTTL = DefaultTokenTTL
	}
	if o.CITokenTTL == 0 {
		o.CITokenTTL = DefaultTokenTTL
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.New
	}
	if o.IssuerNetwork == nil {
		o.IssuerNetwork = machineNetwork{net.DefaultResolver, &net.Dialer{}}
	}
	return o
}

// newSecret is a prefix and 26 random characters: recognisable in a leak, and
// never equal to another one.
func newSecret(prefix string) string { return prefix + rand.Text() }
