// Package cli runs OpenTofu or Terraform on a folder with the provider's real binary, as a user does.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
)

// Build compiles the provider into a folder, where the CLI looks for it.
func Build(ctx context.Context, dir string) error {
	root, err := tool.Root()
	if err != nil {
		return err
	}
	// #nosec G204 -- the program is the Go command.
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, "terraform-provider-aktrust"), ".")
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = root, append(os.Environ(), "CGO_ENABLED=0"), &out, &out
	if err := RunGroup(cmd); err != nil {
		return fmt.Errorf("building the provider: %w\n%s", err, out.Bytes())
	}
	return nil
}

// Workspace is a folder with a configuration and its state.
type Workspace struct {
	// Dir is the folder.
	Dir string
	// CLI is the path of the OpenTofu or Terraform to run.
	CLI string
	// Env is added to a small environment that holds nothing of the caller's configuration.
	Env []string
}

// New prepares a folder for a CLI that finds the provider in plugins.
func New(dir, program, plugins string) (*Workspace, error) {
	rc := filepath.Join(plugins, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"aktrust/aktrust\" = %q\n  }\n  direct {}\n}\n", plugins)
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		return nil, err
	}
	env := []string{
		"TF_CLI_CONFIG_FILE=" + rc, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1",
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
	}
	return &Workspace{Dir: dir, CLI: program, Env: env}, nil
}

// Write puts a file of the configuration into the folder.
func (w *Workspace) Write(name, text string) error {
	return os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600)
}

// Result is how a command ended.
type Result struct {
	// Code is the exit code; of a plan with -detailed-exitcode, 2 means changes.
	Code int
	// Output is what it printed on both streams, without colour and without what the CLI says about a provider that is
	// being developed.
	Output string
}

// Run runs a command of the CLI. An error means that it could not be run, or was interrupted because ctx was over; a
// command that failed has a Code.
func (w *Workspace) Run(ctx context.Context, args ...string) (Result, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, w.CLI, args...) // #nosec G204 -- the developer's own choice.
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.Dir, w.Env, &out, &out
	err := RunGroup(cmd)
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("%s %s was interrupted: %w", w.CLI, strings.Join(args, " "), context.Cause(ctx))
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("running %s %s: %w", w.CLI, strings.Join(args, " "), err)
	}
	return Result{Code: cmd.ProcessState.ExitCode(), Output: withoutOverrides(out.String())}, nil
}

var overrides = regexp.MustCompile(
	`(?s)[\n│╷ ]*Warning: Provider development overrides are in effect.*?published\s+(│\s+)?releases\.[\n│╵ ]*`)

// withoutOverrides drops the CLI's warning that a provider is taken from a folder, with which every output begins.
func withoutOverrides(text string) string { return overrides.ReplaceAllString(text, "") }
