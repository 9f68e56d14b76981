package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// commandError is a command of the CLI that did not end as it should.
type commandError struct {
	command    string
	code, want int
	output     string
}

func (e *commandError) Error() string {
	return fmt.Sprintf("%s exits with %d, not with %d:\n%s", e.command, e.code, e.want, strings.TrimSpace(e.output))
}

// command runs a command of the CLI that must end with an exit code, and returns its output.
func (d *demo) command(ctx context.Context, code int, args ...string) (string, error) {
	result, err := d.cli.Run(ctx, args...)
	if err != nil {
		return "", err
	}
	if result.Code != code {
		return "", &commandError{command: strings.Join(args, " "), code: result.Code, want: code, output: result.Output}
	}
	return result.Output, nil
}

// apply applies the configuration and tells what the CLI says of it.
func (d *demo) apply(ctx context.Context) error {
	out, err := d.command(ctx, 0, "apply", "-auto-approve", "-no-color")
	if err != nil {
		return err
	}
	d.report.fact("apply", "%s", lineWith(out, "Apply complete!"))
	if strings.Contains(out, "Check block assertion failed") {
		return fmt.Errorf("after the apply a check fails:\n%s", out)
	}
	return nil
}

// unchanged plans and expects that there is nothing to do.
func (d *demo) unchanged(ctx context.Context) error {
	out, err := d.command(ctx, 0, "plan", "-detailed-exitcode", "-no-color")
	if err != nil {
		return err
	}
	d.report.fact("plan", "%s", lineWith(out, "No changes."))
	return nil
}

// output reads an output of the configuration.
func (d *demo) output(ctx context.Context, name string, out any) error {
	text, err := d.command(ctx, 0, "output", "-json", name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return fmt.Errorf("reading the output %s: %w", name, err)
	}
	return nil
}

// attribute reads a text attribute of a resource from the state.
func (d *demo) attribute(ctx context.Context, address, name string) (string, error) {
	text, err := d.command(ctx, 0, "show", "-json")
	if err != nil {
		return "", err
	}
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		return "", fmt.Errorf("reading the state: %w", err)
	}
	for _, resource := range state.Values.RootModule.Resources {
		if value, ok := resource.Values[name].(string); ok && resource.Address == address {
			return value, nil
		}
	}
	return "", fmt.Errorf("the state has no text %s of %s", name, address)
}

// lineWith is the first line of a text that contains a part, without the space around it; the part itself when there
// is none.
func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return strings.TrimSpace(line)
		}
	}
	return part
}
