//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/cli"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/e2e/node"
)

const (
	nodeName = "e2e-node"
	// pluginName is the plugin's in examples/complete.
	pluginName = "ak-kubelet-provider"
	// pluginVariable names another plugin to test.
	pluginVariable = "AKTRUST_E2E_PLUGIN"

	// patience bounds the whole test, and soon one condition of it: a kubelet that was refused an image tries again after
	// ten seconds, then after twenty.
	patience = 5 * time.Minute
	soon     = 90 * time.Second
)

// world is everything that runs.
type world struct {
	ctx      context.Context // of the whole test: a signal ends it before the test does
	plane    *controlplane.ControlPlane
	registry *emulator.Server
	node     *node.Node
	cli      *cli.Workspace
	images   map[string]node.Image
	digests  map[string]string // of the images' manifests
}

// interruptible is over at a signal, when the process that started the test is gone, or when patience is.
func interruptible(t *testing.T) context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	t.Cleanup(stop)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the test was not through after %s", patience))
	t.Cleanup(cancel)
	ctx, orphaned := context.WithCancelCause(ctx)
	parent := os.Getppid()
	tick := time.NewTicker(500 * time.Millisecond)
	t.Cleanup(tick.Stop)
	go func() {
		for os.Getppid() == parent { // go test dies of a SIGTERM without passing it on
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		orphaned(errors.New("the process that started the test is gone"))
	}()
	return ctx
}

func stopped(t *testing.T, err error) {
	if err != nil {
		t.Errorf("cleaning up: %s", err)
	}
}

// newWorld brings up a control plane, a registry and a node without a kubelet, and prepares examples/complete.
func newWorld(t *testing.T) *world {
	w := &world{ctx: interruptible(t), images: map[string]node.Image{}, digests: map[string]string{}}
	var err error
	if w.node, err = node.New(t.Logf); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopped(t, w.node.Stop()) })
	if err := w.build(w.ctx); err != nil {
		t.Fatal(err)
	}
	group, ctx := errgroup.WithContext(w.ctx)
	group.Go(func() error { return cli.Build(ctx, w.programs()) })
	group.Go(func() error { return w.startCluster(ctx, t) })
	group.Go(func() error { return w.startRegistry(t) })
	group.Go(func() error { return w.node.Start(ctx, w.images["sandbox"]) })
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.node.TrustRegistry(w.registry.Host(), w.registry.CACertificate()), w.prepareExample()); err != nil {
		t.Fatal(err)
	}
	return w
}

// programs is the directory of what was built from this repository.
func (w *world) programs() string { return filepath.Join(w.node.Dir(), "programs") }

// build compiles what runs in containers and on the node, and makes the images.
func (w *world) build(ctx context.Context) error {
	root, err := tool.Root()
	if err != nil {
		return err
	}
	if err := os.Mkdir(w.programs(), 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", w.programs(), "./internal/e2e/waiter", "./internal/e2e/plugin")
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &out
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // there is no C library in the images
	if err := cli.RunGroup(cmd); err != nil {
		return fmt.Errorf("building the programs of the test: %w\n%s", err, out.Bytes())
	}
	program, err := os.ReadFile(filepath.Join(w.programs(), "waiter"))
	if err != nil {
		return err
	}
	for _, name := range []string{"sandbox", "app", "tool"} {
		if w.images[name], err = node.NewImage(program, name); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) startCluster(ctx context.Context, t *testing.T) (err error) {
	w.plane, err = controlplane.Start(ctx, controlplane.Options{Logf: t.Logf, Nodes: []string{nodeName}})
	if err != nil {
		return err
	}
	t.Cleanup(func() { stopped(t, w.plane.Stop()) })
	admin := w.plane.As(controlplane.Admin)
	for _, namespace := range []string{"team", "sandbox"} {
		err := errors.Join(admin.EnsureNamespace(ctx, namespace), admin.EnsureServiceAccount(ctx, namespace, "app", nil))
		if err != nil {
			return err
		}
	}
	return nil
}

// startRegistry starts a registry with what its administrator has set up already: a repository with two images, and
// the groups of examples/complete, of which one may read it.
func (w *world) startRegistry(t *testing.T) (err error) {
	if w.registry, err = emulator.Start(emulator.Options{}); err != nil {
		return err
	}
	t.Cleanup(w.registry.Close)
	repository := w.registry.AddRepository(emulator.Repository{Key: "team"})
	readers := w.registry.AddGroup("team-readers", "")
	w.registry.AddGroup("platform-readers", "")
	w.registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: readers.ID, TargetType: "repository", TargetID: repository.ID,
	})
	for _, name := range []string{"app", "tool"} {
		image := w.images[name]
		w.digests[name], err = w.registry.AddImage(emulator.Image{
			Repository: "team", Name: name, Tag: "1.0", Blobs: [][]byte{image.Config, image.Layer},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prepareExample copies examples/complete as it is, and puts variables next to it.
func (w *world) prepareExample() error {
	program, err := tool.Path("tofu")
	if err != nil {
		return err
	}
	workspace := filepath.Join(w.node.Dir(), "workspace")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return err
	}
	if w.cli, err = cli.New(workspace, program, w.programs()); err != nil {
		return err
	}
	w.cli.Env = append(w.cli.Env, "ARTIFACT_KEEPER_TOKEN="+w.registry.Token())
	root, err := tool.Root()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "examples", "complete", "*.tf"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("examples/complete has no configuration"), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := w.cli.Write(filepath.Base(file), string(text)); err != nil {
			return err
		}
	}
	return w.writeVariables()
}

func (w *world) writeVariables() error {
	authority := filepath.Join(w.node.Dir(), "registry-ca.crt")
	kubeconfig := filepath.Join(w.node.Dir(), "kubeconfig")
	pull := func(namespace string) map[string]string {
		return map[string]string{"namespace": namespace, "service_account": "app", "image": "team/app:1.0"}
	}
	variables, err := json.Marshal(map[string]any{
		"cluster_name":            "e2e",
		"registry_endpoint":       w.registry.URL(),
		"registry_ca_certificate": w.registry.CACertificate(),
		"node_ca_file":            authority,
		"kubeconfig":              kubeconfig,
		"kubeconfig_context":      controlplane.Context,
		"kubelet_config_path":     filepath.Join(w.node.Dir(), "credential-provider.yaml"),
		"allowed_pull":            pull("team"),
		"denied_pull":             pull("sandbox"),
	})
	return errors.Join(err,
		w.cli.Write("terraform.tfvars.json", string(variables)),
		w.plane.WriteKubeconfig(kubeconfig, controlplane.Admin),
		os.WriteFile(authority, []byte(w.registry.CACertificate()), 0o644),
	)
}
