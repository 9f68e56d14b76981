// Package controlplane runs a real Kubernetes API server with its own etcd on the loopback interface, for tests
// and for trying things out: no kubelet, no scheduler, no controllers, but real authentication, the Node and RBAC
// authorizers, the NodeRestriction admission plugin and real ServiceAccount tokens.
//
// A control plane starts in about five seconds. Everything it needs (certificates, key pairs, tokens, data) is made
// for it in directories of its own. Stop removes them; they, and on Linux its processes, also go when the process that
// started it ends without calling Stop.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
)

const (
	// DefaultIssuer is the ServiceAccount issuer of a control plane that does not ask for another.
	// It is nobody's: the .test top-level domain is reserved (RFC 2606).
	DefaultIssuer = "https://oidc.cluster.test"

	// Admin is the name of the user in the group system:masters that every control plane has.
	Admin = "admin"

	defaultStartTimeout = 2 * time.Minute
	startAttempts       = 3 // a free port can be taken between looking and listening
)

// Options says what kind of control plane to start. The zero value is a useful one.
type Options struct {
	// Dir is where the control plane makes its own temporary directory; empty means the system's.
	Dir string
	// Logf is told what happens, one line at a time; nil means silence.
	Logf func(format string, args ...any)
	// Issuer is the value of --service-account-issuer; empty means DefaultIssuer.
	// Anything but an https URL makes the API server answer 404 for its OIDC documents.
	Issuer string
	// AcceptedIssuers are further values of --service-account-issuer: no token is issued in their name, and those that were
	// are accepted.
	AcceptedIssuers []string
	// APIAudiences are the values of --api-audiences; empty leaves the API server's default, all of the issuers.
	APIAudiences []string
	// Keys sign and verify ServiceAccount tokens; the zero value means one fresh RSA key for both.
	Keys Keys
	// Users are known by a static token, see Token. Admin is always there.
	Users []User
	// Nodes are names of nodes whose kubelets get a static token as user system:node:NAME in group system:nodes.
	// The Node objects are not made by this, see EnsureNode.
	Nodes []string
	// Args are further flags of kube-apiserver, after all others, so that they win.
	Args []string
	// StartTimeout bounds the time from start until /readyz says ok; 0 means two minutes.
	StartTimeout time.Duration
}

// User is somebody whom the API server knows by a static token.
type User struct {
	Name   string
	Groups []string
}

// ControlPlane is a running API server with its etcd. Its methods may be used from several goroutines.
type ControlPlane struct {
	dir     string // keys, data, logs
	sockets string // etcd's: apart, because the path of a Unix socket has little room (104 bytes on macOS, 108 on Linux)
	port    int
	pki     *pki
	tokens  map[string]string // by user name
	reaper  *reaper

	mu        sync.Mutex // guards everything below, and lets one Restart or Stop run at a time
	options   Options
	stopped   bool
	etcd      *process
	apiServer *process
}

type binaries struct{ etcd, apiServer string }

func findBinaries() (found binaries, err error) {
	if found.etcd, err = tool.Path("etcd"); err != nil {
		return found, err
	}
	found.apiServer, err = tool.Path("kube-apiserver")
	return found, err
}

// Start brings up etcd and kube-apiserver, which tool.Path finds or builds, and returns once the API server is ready.
// An error holds the end of the log of the process that failed; nothing is left running then.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	binaries, err := findBinaries()
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{options: options.withDefaults()}
	if err := c.prepare(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	if err := c.start(ctx, binaries); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Issuer == "" {
		o.Issuer = DefaultIssuer
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = defaultStartTimeout
	}
	return o
}

// prepare makes the directories and everything in them that the processes read.
func (c *ControlPlane) prepare() (err error) {
	if c.dir, err = os.MkdirTemp(c.options.Dir, "aktrust-control-plane-"); err != nil {
		return fmt.Errorf("make a directory for the control plane: %w", err)
	}
	if c.sockets, err = os.MkdirTemp("", "aktrust-"); err != nil {
		return fmt.Errorf("make a directory for etcd's sockets: %w", err)
	}
	if c.reaper, err = startReaper(c.dir, c.sockets); err != nil {
		return err
	}
	if c.options.Keys.Sign == nil {
		if c.options.Keys.Sign, err = NewRSAKey(); err != nil {
			return err
		}
	}
	if c.pki, err = newPKI(c.dir); err != nil {
		return err
	}
	c.tokens, err = writeTokens(c.path("tokens.csv"), c.options.everybody())
	return err
}

func (c *ControlPlane) start(ctx context.Context, binaries binaries) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.startEtcd(binaries.etcd); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		c.port = port
		err = c.startAPIServer(ctx, binaries.apiServer)
		if err == nil || attempt == startAttempts || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
		c.options.logf("port %d was taken by somebody else meanwhile, trying another", c.port)
	}
}

// Restart stops the API server, lets change alter the options, and starts it again on the same port with the same
// data. Keys, Issuer, AcceptedIssuers, APIAudiences and Args take effect; users and nodes are those of the start.
func (c *ControlPlane) Restart(ctx context.Context, change func(*Options)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return errors.New("restart the control plane: it has been stopped")
	}
	binaries, err := findBinaries()
	if err != nil {
		return err
	}
	change(&c.options)
	if err := c.apiServer.kill(); err != nil {
		return fmt.Errorf("restart the control plane: %w", err)
	}
	return c.startAPIServer(ctx, binaries.apiServer)
}

// RotateSigningKey restarts the API server with other ServiceAccount keys. Tokens signed by a key that is in neither
// Sign nor Verify stop being accepted.
func (c *ControlPlane) RotateSigningKey(ctx context.Context, keys Keys) error {
	return c.Restart(ctx, func(o *Options) { o.Keys = keys })
}

// Stop ends both processes, waits for them, and removes their directories. Stopping twice is fine.
func (c *ControlPlane) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	return errors.Join(c.apiServer.kill(), c.etcd.kill(), c.reaper.run(), os.RemoveAll(c.dir), os.RemoveAll(c.sockets))
}

// URL is the address of the API server: https, loopback, no path.
func (c *ControlPlane) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port) }

// CA is the PEM certificate of the authority that signed the API server's certificate and accepts client certificates.
func (c *ControlPlane) CA() string { return string(c.pki.caPEM) }

// Issuer is the ServiceAccount issuer in force.
func (c *ControlPlane) Issuer() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options.Issuer
}

// Token is the static token of a user; "" for a user whom the control plane does not know.
func (c *ControlPlane) Token(user string) string { return c.tokens[user] }

// NodeUser is the user name under which the kubelet of a node speaks.
func NodeUser(node string) string { return "system:node:" + node }

func (c *ControlPlane) path(name string) string { return filepath.Join(c.dir, name) }

func (o Options) logf(format string, args ...any) {
	if o.Logf != nil {
		o.Logf(format, args...)
	}
}

// everybody lists who gets a static token.
func (o Options) everybody() []User {
	users := append([]User{{Name: Admin, Groups: []string{"system:masters"}}}, slices.Clone(o.Users)...)
	for _, node := range o.Nodes {
		users = append(users, User{Name: NodeUser(node), Groups: []string{"system:nodes"}})
	}
	return users
}
