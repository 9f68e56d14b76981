//go:build linux

package node

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Where things are on the node.
const (
	containerdRoot   = "/var/lib/containerd"
	containerdState  = "/run/containerd"
	containerdSocket = containerdState + "/containerd.sock"
	configDir        = "/run/aktrust"
	certsDir         = configDir + "/certs.d"

	// sandboxImage is nobody's: the .test top-level domain is reserved (RFC 2606).
	sandboxImage = "aktrust.test/sandbox:1"

	startTimeout = time.Minute
)

// containerdConfig is of version 2, which containerd 1.6 to 2 read. The native snapshotter copies layers, which works on
// every file system, and the layers here are tiny.
var containerdConfig = fmt.Sprintf(`version = 2
root = %q
state = %q

[grpc]
  address = %q

[debug]
  level = "warn"

[plugins."io.containerd.internal.v1.opt"]
  path = %q

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = %q
  # A profile would stay in the kernel.
  disable_apparmor = true
  # A container of this machine may not be allowed to lower the score of a process.
  restrict_oom_score_adj = true

  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = %q

  # There is no network but the host's.
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %q
    conf_dir = %q

# containerd 2.1 and later pull by this plugin, which has to be told of the snapshotter, too.
[[plugins."io.containerd.transfer.v1.local".unpack_config]]
  platform = %q
  snapshotter = "native"
`, containerdRoot, containerdState, containerdSocket, containerdRoot+"/opt", sandboxImage, certsDir,
	configDir+"/cni", configDir+"/cni", "linux/"+runtime.GOARCH)

// startContainerd starts containerd, waits until it answers, and gives it the sandbox image.
func (n *Node) startContainerd(ctx context.Context, sandbox Image) (err error) {
	config := configDir + "/containerd.toml"
	if err := n.WriteFile(config, []byte(containerdConfig), 0o600); err != nil {
		return err
	}
	started := time.Now()
	if n.containerd, err = n.run("containerd", n.tools.containerd, "--config", config); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("still so after %s", startTimeout))
	defer cancel()
	version := ""
	err = n.Await(ctx, func(context.Context) error {
		out, err := n.ctr(nil, "version")
		version = serverVersion(out)
		return err
	})
	if err != nil {
		return err
	}
	archive, err := sandbox.archive(sandboxImage)
	if err != nil {
		return fmt.Errorf("make the sandbox image: %w", err)
	}
	// The CRI plugin unpacks it for its own snapshotter.
	if _, err := n.ctr(archive, "--namespace", "k8s.io", "images", "import", "--no-unpack", "-"); err != nil {
		return err
	}
	n.logf("containerd %s is ready after %s", version, time.Since(started).Round(time.Millisecond))
	return nil
}

// serverVersion finds the version of the daemon in what ctr version prints.
func serverVersion(text string) string {
	_, server, _ := strings.Cut(text, "Server:")
	_, version, _ := strings.Cut(server, "Version:")
	version, _, _ = strings.Cut(version, "\n")
	return strings.TrimSpace(version)
}

// ctr runs a command of containerd's client.
func (n *Node) ctr(stdin []byte, args ...string) (string, error) {
	cmd := n.command(n.tools.ctr, append([]string{"--address", containerdSocket}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}

// TrustRegistry has containerd accept the certificate of a registry, which it speaks https with. host is as in the names
// of images, with its port; authority is PEM text.
func (n *Node) TrustRegistry(host, authority string) error {
	dir := filepath.Join(certsDir, host)
	ca := filepath.Join(dir, "ca.crt")
	// There are no mirrors, and containerd 1.6 insists on being told so.
	hosts := fmt.Sprintf("server = %q\nca = %q\n\n[host]\n", "https://"+host, ca)
	if err := n.WriteFile(filepath.Join(dir, "hosts.toml"), []byte(hosts), 0o644); err != nil {
		return err
	}
	return n.WriteFile(ca, []byte(authority), 0o644)
}
