package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// drift is a change that somebody makes behind the provider's back.
type drift struct {
	label string
	// do makes the change, and returns what was done and what comes of it, in words, and what the plan must say of it.
	do func(ctx context.Context) (done string, said []string, err error)
	// address and attributes are where in the plan.
	address    string
	attributes []string
}

func (d *demo) drifts() []drift {
	return []drift{
		{"filter", d.widenFilter, mappingAddress, []string{"claim_filters"}},
		{"key", d.rotateKey, providerAddress, []string{"key_ids"}},
		{"binding", d.deleteBinding, audienceAddress, []string{"groups"}},
		{"file", d.editFile, fileAddress, []string{"providers"}},
	}
}

func (d *demo) proveDrift(ctx context.Context) (string, error) {
	said := map[string][]string{}
	for _, drift := range d.drifts() {
		done, words, err := drift.do(ctx)
		if err != nil {
			return "", err
		}
		d.report.fact(drift.label, "%s", done)
		said[drift.label] = words
	}
	plan, err := d.command(ctx, 2, "plan", "-detailed-exitcode", "-no-color")
	if err != nil {
		return "", err
	}
	d.report.fact("plan", "%s", lineWith(plan, "Plan:"))
	for _, drift := range d.drifts() {
		lines := strings.Join(planLines(plan, drift.address, drift.attributes...), "\n")
		for _, words := range said[drift.label] {
			if !strings.Contains(lines, words) {
				return "", fmt.Errorf("the plan does not say %q of %s:\n%s", words, drift.address, plan)
			}
		}
		d.report.fact("  "+drift.label, "%s\n%s", drift.address, lines)
	}
	if err := d.apply(ctx); err != nil {
		return "", err
	}
	if err := d.repaired(ctx); err != nil {
		return "", err
	}
	if err := d.unchanged(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("one plan shows all %d changes, one apply mends them, and the plan after it exits with 0", len(said)), nil
}

// widenFilter lets a second namespace into a mapping, in the registry's admin API.
func (d *demo) widenFilter(ctx context.Context) (done string, said []string, err error) {
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", nil, err
	}
	mapping, err := d.attribute(ctx, mappingAddress, "id")
	if err != nil {
		return "", nil, err
	}
	const namespace = "/kubernetes.io/namespace"
	filters := map[string]any{namespace: []string{d.app.pod.Namespace, d.sandbox.pod.Namespace}}
	if err := d.client.setFilters(ctx, plugin.providerID, mapping, filters); err != nil {
		return "", nil, err
	}
	if d.foreign, err = d.granted(ctx, d.sandbox, plugin.audience); err != nil {
		return "", nil, err
	}
	got, err := d.exchange(ctx, d.foreign, plugin)
	if err != nil {
		return "", nil, fmt.Errorf("the filter was widened, but the registry does not take the token of %s: %w", d.sandbox, err)
	}
	done = fmt.Sprintf("an administrator of the registry lets the namespace %s into the mapping of %s;\n%s gets a credential of %s",
		d.sandbox.pod.Namespace, d.app.pod.Namespace, d.sandbox, got.Username)
	return done, []string{namespace, d.sandbox.pod.Namespace}, nil
}

// rotateKey has the API server sign with another key, and publish the old one still.
func (d *demo) rotateKey(ctx context.Context) (done string, said []string, err error) {
	next, err := controlplane.NewRSAKey()
	if err != nil {
		return "", nil, err
	}
	id, err := next.ID()
	if err != nil {
		return "", nil, err
	}
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", nil, err
	}
	if err := d.plane.RotateSigningKey(ctx, controlplane.Keys{Sign: next, Verify: []*controlplane.Key{d.signing}}); err != nil {
		return "", nil, err
	}
	d.signing = next
	token, err := d.granted(ctx, d.app, plugin.audience)
	if err != nil {
		return "", nil, err
	}
	refused, err := d.mustRefuse(ctx, token, plugin)
	if err != nil {
		return "", nil, err
	}
	done = fmt.Sprintf("the API server was restarted to sign with another key, next to the old one; the registry to %s: %s", d.app, refused)
	return done, []string{fmt.Sprintf("+ %q", id)}, nil
}

// deleteBinding deletes the ClusterRoleBinding, as kubectl does.
func (d *demo) deleteBinding(ctx context.Context) (done string, said []string, err error) {
	name, err := d.attribute(ctx, audienceAddress, "name")
	if err != nil {
		return "", nil, err
	}
	if err := d.plane.As(controlplane.Admin).Delete(ctx, rbac+"clusterrolebindings/"+name); err != nil {
		return "", nil, err
	}
	if _, err := d.refused(ctx, d.app, audience); err != nil {
		return "", nil, err
	}
	done = fmt.Sprintf("the ClusterRoleBinding %s was deleted; %s gets no token any more", name, nodeName)
	return done, []string{`+ "system:nodes"`}, nil
}

var cacheDuration = regexp.MustCompile(`(defaultCacheDuration:) \S+`)

// editFile changes the kubelet's file by hand.
func (d *demo) editFile(context.Context) (done string, said []string, err error) {
	path := d.path(nodeFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	edited := cacheDuration.ReplaceAll(text, []byte("$1 720h"))
	if bytes.Equal(edited, text) {
		return "", nil, fmt.Errorf("%s has no defaultCacheDuration to edit:\n%s", path, text)
	}
	// Written in place, as an editor may do it; the mode stays.
	if err := os.WriteFile(path, edited, 0o600); err != nil {
		return "", nil, err
	}
	return "someone on the node keeps credentials for a month: defaultCacheDuration is 720h", []string{`"720h" -> "5m"`}, nil
}

// repaired proves that the chain does again what it should, and nothing more.
func (d *demo) repaired(ctx context.Context) error {
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return err
	}
	if err := d.pulls(ctx); err != nil {
		return err
	}
	refused, err := d.mustRefuse(ctx, d.foreign, plugin)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(d.path(nodeFile))
	if err != nil {
		return err
	}
	if strings.Contains(string(text), "720h") {
		return errors.New("the kubelet's file still has what was edited into it")
	}
	d.report.fact("after", "%s, with a token of the new key, pulls again; the registry to %s: %s", d.app, d.sandbox, refused)
	return nil
}
