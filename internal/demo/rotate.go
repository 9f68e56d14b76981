package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// proveRotation replaces the key that signs, in the order in which nothing is refused: the registry knows the new key
// before the API server signs with it, and the old one goes last.
func (d *demo) proveRotation(ctx context.Context) (string, error) {
	old := d.signing
	next, err := controlplane.NewRSAKey()
	if err != nil {
		return "", err
	}
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", err
	}
	early, err := d.granted(ctx, d.app, plugin.audience)
	if err != nil {
		return "", err
	}
	stages := []struct {
		label, done string
		keys        controlplane.Keys
		sign        string // before the kid in the plan; empty where the plan has nothing to do
		key         *controlplane.Key
	}{
		{"publish", "the API server publishes the next key, and signs with the old one", controlplane.Keys{
			Sign: old, Verify: []*controlplane.Key{next}}, "+", next},
		{"switch", "it signs with the next key, and publishes the old one still", controlplane.Keys{
			Sign: next, Verify: []*controlplane.Key{old}}, "", nil},
		{"withdraw", "tokens of the old key are taken for expired, and it is withdrawn", controlplane.Keys{Sign: next}, "-", old},
	}
	for _, stage := range stages {
		if err := d.plane.RotateSigningKey(ctx, stage.keys); err != nil {
			return "", err
		}
		d.report.fact(stage.label, "%s", stage.done)
		if err := d.pulls(ctx); err != nil {
			return "", err
		}
		if _, err := d.exchange(ctx, early, plugin); err != nil {
			return "", fmt.Errorf("the registry does not take a token from before the rotation: %w", err)
		}
		if stage.key == nil {
			if err := d.unchanged(ctx); err != nil {
				return "", err
			}
			continue
		}
		if err := d.applyKeys(ctx, stage.sign, stage.key); err != nil {
			return "", err
		}
		if err := d.pulls(ctx); err != nil {
			return "", err
		}
	}
	d.signing = next
	refused, err := d.mustRefuse(ctx, early, plugin)
	if err != nil {
		return "", err
	}
	d.report.fact("after", "the registry to a token from before the rotation: %s", refused)
	return fmt.Sprintf("before and after every step %s pulls, with a new token and, until its key is withdrawn, with an old one",
		d.app), nil
}

// applyKeys plans, expects that the provider's keys change by one, and applies.
func (d *demo) applyKeys(ctx context.Context, sign string, key *controlplane.Key) error {
	id, err := key.ID()
	if err != nil {
		return err
	}
	plan, err := d.command(ctx, 2, "plan", "-detailed-exitcode", "-no-color")
	if err != nil {
		return err
	}
	want := fmt.Sprintf("%s %q", sign, id)
	lines := strings.Join(planLines(plan, providerAddress, "key_ids"), "\n")
	if !strings.Contains(lines, want) {
		return fmt.Errorf("the plan does not say %s of %s:\n%s", want, providerAddress, plan)
	}
	d.report.fact("plan", "%s: %s", providerAddress, want)
	return d.apply(ctx)
}

// pulls proves that a token which the API server signs now buys a credential that reads the team's image.
func (d *demo) pulls(ctx context.Context) error {
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return err
	}
	token, err := d.granted(ctx, d.app, plugin.audience)
	if err != nil {
		return err
	}
	got, err := d.exchange(ctx, token, plugin)
	if err != nil {
		return fmt.Errorf("the registry does not take the token of %s: %w", d.app, err)
	}
	if _, _, err := d.client.pull(ctx, "team", got); err != nil {
		return fmt.Errorf("%s may not pull %s: %w", got.Username, d.image("team"), err)
	}
	return nil
}
