package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/cli"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// What lies where in the demo's own folder.
const (
	workspaceDir   = "workspace"
	pluginsDir     = "plugins"
	kubeconfigFile = "kubeconfig"
	caFile         = "registry-ca.crt"
	// nodeFile stands for the kubelet's file on a node.
	nodeFile = "node/etc/kubernetes/credential-provider.yaml"
)

// demo is everything that runs, and what one step leaves for the next.
type demo struct {
	report   *report
	dir      string // removed at the end
	plane    *controlplane.ControlPlane
	signing  *controlplane.Key // the API server's
	registry *emulator.Server
	client   *registryClient
	cli      *cli.Workspace

	before  emulator.State // of the registry, before anything was applied
	digests map[string]string
	app     workload // may pull
	sandbox workload // may not
	// foreign is a token of sandbox, from before something drifts.
	foreign string
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

// prepare brings up whatever the steps need, and says what and how long it took.
func (d *demo) prepare(ctx context.Context) error {
	d.report.title("The chain of trust from a cluster to a registry, end to end, on the loopback interface of this machine")
	var err error
	if d.dir, err = os.MkdirTemp("", "aktrust-demo-"); err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	for _, dir := range []string{workspaceDir, pluginsDir} {
		if err := os.Mkdir(d.path(dir), 0o700); err != nil {
			return fmt.Errorf("making a folder for the demo: %w", err)
		}
	}
	started := time.Now()
	program, version, err := d.findCLI(ctx)
	if err != nil {
		return err
	}
	d.report.took(started, "CLI", "%s, %s", version, program)
	if err := bring(ctx, "etcd", "kube-apiserver"); err != nil {
		return err
	}

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.buildProvider(groupCtx) })
	group.Go(func() error { return d.startCluster(groupCtx) })
	group.Go(d.startRegistry)
	if err := group.Wait(); err != nil {
		return err
	}
	return d.prepareWorkspace(program)
}

func (d *demo) buildProvider(ctx context.Context) error {
	started := time.Now()
	if err := cli.Build(ctx, d.path(pluginsDir)); err != nil {
		return err
	}
	d.report.took(started, "provider", "built from this clone")
	return nil
}

// startCluster starts an API server, with a node and its pods as if a scheduler had bound them.
func (d *demo) startCluster(ctx context.Context) (err error) {
	started := time.Now()
	if d.signing, err = controlplane.NewRSAKey(); err != nil {
		return err
	}
	d.plane, err = controlplane.Start(ctx, controlplane.Options{
		Dir: d.dir, Keys: controlplane.Keys{Sign: d.signing}, Nodes: []string{nodeName},
	})
	if err != nil {
		return err
	}
	admin := d.plane.As(controlplane.Admin)
	d.report.conceal(d.plane.Token(controlplane.Admin))
	d.report.conceal(d.plane.Token(controlplane.NodeUser(nodeName)))
	var version struct{ GitVersion string }
	if err := errors.Join(admin.Get(ctx, "/version", &version), admin.EnsureNode(ctx, nodeName)); err != nil {
		return err
	}
	if d.app, err = schedule(ctx, admin, "team", "app"); err != nil {
		return err
	}
	if d.sandbox, err = schedule(ctx, admin, "sandbox", "app"); err != nil {
		return err
	}
	d.report.took(started, "cluster", "kube-apiserver %s with etcd at %s, issuer %s", version.GitVersion, d.plane.URL(), d.plane.Issuer())
	return d.plane.WriteKubeconfig(d.path(kubeconfigFile), controlplane.Admin)
}

// startRegistry starts a registry with what its administrator has set up already: two repositories with an image each,
// and for each a group whose members may read it.
func (d *demo) startRegistry() (err error) {
	started := time.Now()
	if d.registry, err = emulator.Start(emulator.Options{}); err != nil {
		return err
	}
	d.report.conceal(d.registry.Token())
	d.digests = map[string]string{}
	for _, key := range []string{"team", "platform"} {
		repository := d.registry.AddRepository(emulator.Repository{Key: key})
		group := d.registry.AddGroup(key+"-readers", "")
		d.registry.AddPermission(emulator.Permission{
			PrincipalType: "group", PrincipalID: group.ID, TargetType: "repository", TargetID: repository.ID,
		})
		image := emulator.Image{Repository: key, Name: imageName, Tag: imageTag, Blobs: [][]byte{[]byte("{}"), []byte(key)}}
		if d.digests[key], err = d.registry.AddImage(image); err != nil {
			return err
		}
	}
	d.before = d.registry.State()
	if d.client, err = newRegistryClient(d.registry); err != nil {
		return err
	}
	if err := os.WriteFile(d.path(caFile), []byte(d.registry.CACertificate()), 0o600); err != nil {
		return err
	}
	d.report.took(started, "registry", "emulator of Artifact Keeper %s at %s, with a group of readers for each of the repositories "+
		"team and platform", emulator.DefaultProfile.Version(), d.registry.URL())
	return nil
}

// prepareWorkspace copies examples/complete as it is, and puts variables next to it. The registry's token is none of
// them: it goes through the environment.
func (d *demo) prepareWorkspace(program string) error {
	root, err := tool.Root()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "examples", "complete", "*.tf"))
	if err != nil || len(files) == 0 {
		return errors.Join(errors.New("examples/complete has no configuration"), err)
	}
	if d.cli, err = cli.New(d.path(workspaceDir), program, d.path(pluginsDir)); err != nil {
		return err
	}
	d.cli.Env = append(d.cli.Env, "ARTIFACT_KEEPER_TOKEN="+d.registry.Token())
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := d.cli.Write(filepath.Base(file), string(text)); err != nil {
			return err
		}
	}
	variables, err := json.MarshalIndent(map[string]any{
		"cluster_name":            "demo",
		"registry_endpoint":       d.registry.URL(),
		"registry_ca_certificate": d.registry.CACertificate(),
		"node_ca_file":            "/etc/kubernetes/registry-ca.crt",
		"kubeconfig":              d.path(kubeconfigFile),
		"kubeconfig_context":      controlplane.Context,
		"kubelet_config_path":     d.path(nodeFile),
		"allowed_pull":            d.app.pull("team"),
		"denied_pull":             d.sandbox.pull("team"),
	}, "", "  ")
	if err != nil {
		return err
	}
	d.report.fact("workspace", "%s: examples/complete as it is, with variables of its own", d.cli.Dir)
	return d.cli.Write("terraform.tfvars.json", string(variables))
}

// stop ends what runs and removes what was written. It may be called however far the demo got.
func (d *demo) stop() error {
	var errs []error
	if d.plane != nil {
		errs = append(errs, d.plane.Stop())
	}
	if d.registry != nil {
		d.registry.Close()
	}
	if d.dir != "" {
		errs = append(errs, os.RemoveAll(d.dir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	return nil
}
