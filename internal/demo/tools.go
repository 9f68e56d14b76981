package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/cli"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
)

// findCLI is the program that runs the configuration, and what it says of its version: tofu or terraform of the PATH,
// or else the OpenTofu of tools/. A program of the PATH that cannot say its version is passed over: wrappers that pick a
// version often cannot do without the home directory of their user, and the demo keeps its hands off that.
func (d *demo) findCLI(ctx context.Context) (program, version string, err error) {
	for _, name := range []string{"tofu", "terraform"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := d.versionOf(ctx, program)
		if err == nil {
			return program, version, nil
		}
		if ctx.Err() != nil {
			return "", "", err
		}
		d.report.fact("CLI", "%s is passed over: %s", program, err)
	}
	if err := bring(ctx, "tofu"); err != nil {
		return "", "", err
	}
	if program, err = tool.Path("tofu"); err != nil {
		return "", "", err
	}
	version, err = d.versionOf(ctx, program)
	return program, version, err
}

// versionOf is the first line that a CLI says about its version.
func (d *demo) versionOf(ctx context.Context, program string) (string, error) {
	w, err := cli.New(d.path(workspaceDir), program, d.path(pluginsDir))
	if err != nil {
		return "", err
	}
	result, err := w.Run(ctx, "version")
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(result.Output), "\n")
	if result.Code != 0 || first == "" {
		return "", fmt.Errorf("asked for its version it exits with %d and says %q", result.Code, first)
	}
	return first, nil
}

// bring has tools/bin build what the cache lacks, which it tells about on standard error. Nothing of that goes on when
// ctx is over.
func bring(ctx context.Context, names ...string) error {
	root, err := tool.Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "tools", "bin"), names...)
	cmd.Stderr = os.Stderr
	if err := cli.RunGroup(cmd); err != nil {
		return fmt.Errorf("bringing %s with tools/bin: %w", strings.Join(names, " and "), errors.Join(err, context.Cause(ctx)))
	}
	return nil
}
