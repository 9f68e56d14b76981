package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// The check blocks of examples/complete.
const (
	allowedCheck = "check.allowed_pull"
	deniedCheck  = "check.denied_pull"
)

// checked plans, expects that there is nothing to do, and returns the words of the CLI, and what failed of each check block:
// nothing for one that holds.
func (d *demo) checked(ctx context.Context) (plan string, failed map[string][]string, err error) {
	const file = "plan.bin"
	if plan, err = d.command(ctx, 0, "plan", "-detailed-exitcode", "-no-color", "-out="+file); err != nil {
		return "", nil, err
	}
	text, err := d.command(ctx, 0, "show", "-json", file)
	if err != nil {
		return "", nil, err
	}
	failed, err = failedChecks(text)
	return plan, failed, err
}

// failedChecks reads the check blocks of a plan in JSON.
func failedChecks(plan string) (map[string][]string, error) {
	var shown struct {
		Checks []struct {
			Address struct {
				Kind    string `json:"kind"`
				Display string `json:"to_display"`
			} `json:"address"`
			Status    string `json:"status"`
			Instances []struct {
				Problems []struct{ Message string } `json:"problems"`
			} `json:"instances"`
		}
	}
	if err := json.Unmarshal([]byte(plan), &shown); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	failed := map[string][]string{}
	for _, check := range shown.Checks {
		if check.Address.Kind != "check" {
			continue
		}
		problems := []string{}
		for _, instance := range check.Instances {
			for _, problem := range instance.Problems {
				problems = append(problems, problem.Message)
			}
		}
		if check.Status != "pass" && len(problems) == 0 {
			problems = append(problems, "its status is "+check.Status)
		}
		failed[check.Address.Display] = problems
	}
	return failed, nil
}

// holds is an error unless both check blocks were looked at and hold.
func holds(failed map[string][]string) error {
	for _, check := range []string{allowedCheck, deniedCheck} {
		problems, looked := failed[check]
		switch {
		case !looked:
			return fmt.Errorf("the plan does not look at %s", check)
		case len(problems) > 0:
			return fmt.Errorf("%s fails: %s", check, strings.Join(problems, " "))
		}
	}
	return nil
}

func (d *demo) proveChecks(ctx context.Context) (string, error) {
	plan, failed, err := d.checked(ctx)
	if err != nil {
		return "", err
	}
	if err := holds(failed); err != nil {
		return "", err
	}
	d.report.fact("plan", "%s", lineWith(plan, "No changes."))
	d.report.fact("allowed", "%s: %s pulls %s, as it should", allowedCheck, d.app, d.image("team"))
	d.report.fact("denied", "%s: %s is kept out by the chain itself, as it should", deniedCheck, d.sandbox)
	return "the plan exits with 0, both checks hold, and no pod had to try", nil
}

// proveBrokenLink takes the group's permission away, which no resource of the configuration manages.
func (d *demo) proveBrokenLink(ctx context.Context) (string, error) {
	state := d.registry.State()
	readers := state.Groups[slices.IndexFunc(state.Groups, func(g emulator.Group) bool { return g.Name == "team-readers" })]
	at := slices.IndexFunc(state.Permissions, func(p emulator.Permission) bool { return p.PrincipalID == readers.ID })
	if err := d.registry.DeletePermission(state.Permissions[at].ID); err != nil {
		return "", err
	}
	d.report.fact("broken", "an administrator of the registry takes the permission of the group %s away", readers.Name)
	plan, failed, err := d.checked(ctx)
	if err != nil {
		return "", err
	}
	summary := strings.Join(failed[allowedCheck], " ")
	if !strings.Contains(summary, "[permission]") {
		return "", fmt.Errorf("%s does not name the link permission: %q\n%s", allowedCheck, summary, plan)
	}
	d.report.fact("plan", "%s", lineWith(plan, "No changes."))
	d.report.fact("check", "%s fails: %s", allowedCheck, summary)
	d.registry.AddPermission(state.Permissions[at])
	d.before.Permissions = d.registry.State().Permissions // The new one has another id.
	if _, failed, err = d.checked(ctx); err != nil {
		return "", err
	}
	if err := holds(failed); err != nil {
		return "", err
	}
	d.report.fact("mended", "the permission is back, and both checks hold")
	return "the plan that has nothing to do says which link is broken, before a pod sits in ImagePullBackOff", nil
}
