package controlplane

import (
	"context"
	"crypto/rand"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const pollInterval = 100 * time.Millisecond

// startEtcd runs a single-member etcd that listens on Unix sockets alone: no port to race for, and nobody else on
// the machine gets at the cluster's data. The advertised addresses are placeholders that etcd insists on.
func (c *ControlPlane) startEtcd(binary string) (err error) {
	const advertised = "http://127.0.0.1:2380"
	c.etcd, err = startProcess("etcd", binary, c.path("etcd.log"),
		"--name=etcd",
		"--data-dir="+c.path("etcd"),
		"--listen-client-urls="+c.socket("client"), "--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls="+c.socket("peer"), "--initial-advertise-peer-urls="+advertised,
		"--initial-cluster=etcd="+advertised,
		"--unsafe-no-fsync", // the data does not outlive the process
		"--log-level=warn",
	)
	return err
}

func (c *ControlPlane) socket(name string) string { return "unix://" + filepath.Join(c.sockets, name) }

// startAPIServer starts kube-apiserver on c.port and waits for it; c.mu is held. When it does not get ready, it is
// not left running.
func (c *ControlPlane) startAPIServer(ctx context.Context, binary string) error {
	args, err := c.apiServerArgs()
	if err != nil {
		return err
	}
	started := time.Now()
	if c.apiServer, err = startProcess("kube-apiserver", binary, c.path("kube-apiserver.log"), args...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	if err := c.awaitReady(ctx); err != nil {
		return errors.Join(err, c.apiServer.kill())
	}
	c.options.logf("kube-apiserver is ready at %s after %s", c.URL(), time.Since(started).Round(time.Millisecond))
	return nil
}

func (c *ControlPlane) apiServerArgs() ([]string, error) {
	args := []string{
		"--etcd-servers=" + c.socket("client"),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(c.port),
		"--tls-cert-file=" + c.path(servingCertFile), "--tls-private-key-file=" + c.path(servingKeyFile),
		"--client-ca-file=" + c.path(caCertFile),
		"--token-auth-file=" + c.path("tokens.csv"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=" + c.options.Issuer,
	}
	for _, issuer := range c.options.AcceptedIssuers {
		args = append(args, "--service-account-issuer="+issuer)
	}
	if len(c.options.APIAudiences) > 0 {
		args = append(args, "--api-audiences="+strings.Join(c.options.APIAudiences, ","))
	}
	keys, err := c.options.Keys.write(c.dir)
	if err != nil {
		return nil, err
	}
	return append(append(args, keys...), c.options.Args...), nil
}

// awaitReady returns once /readyz says ok, one of the processes has ended, or ctx is over.
func (c *ControlPlane) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	admin := c.As(Admin)
	var last error
	for {
		select {
		case <-c.apiServer.done:
			return c.apiServer.failure("ended before it was ready")
		case <-c.etcd.done:
			return c.etcd.failure("ended before kube-apiserver was ready")
		case <-ctx.Done():
			return c.apiServer.failure(fmt.Sprintf("was not ready in time (%v; last answer: %v)", context.Cause(ctx), last))
		case <-tick.C:
			if last = admin.Do(ctx, http.MethodGet, "/readyz", nil, nil); last == nil {
				return nil
			}
		}
	}
}

// freePort finds a TCP port of the loopback interface that nobody listens on at the moment.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// writeTokens gives each user a random token and writes the API server's static token file: token, user, uid and
// a comma-separated list of groups a line.
func writeTokens(path string, users []User) (map[string]string, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	tokens := make(map[string]string, len(users))
	for _, user := range users {
		if _, twice := tokens[user.Name]; twice {
			return nil, fmt.Errorf("user %q is listed twice", user.Name)
		}
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return nil, fmt.Errorf("make a token: %w", err)
		}
		tokens[user.Name] = hex.EncodeToString(random)
		record := []string{tokens[user.Name], user.Name, user.Name}
		if len(user.Groups) > 0 { // an empty column would be a group without a name
			record = append(record, strings.Join(user.Groups, ","))
		}
		if err := w.Write(record); err != nil {
			return nil, fmt.Errorf("write the token of user %q: %w", user.Name, err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("write the token file: %w", err)
	}
	return tokens, os.WriteFile(path, []byte(text.String()), 0o600)
}
