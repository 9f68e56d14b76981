package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"
)

// Addresses of examples/complete.
const (
	providerAddress = "aktrust_ci_oidc_provider.cluster"
	mappingAddress  = "aktrust_ci_oidc_mapping.team"
	audienceAddress = "aktrust_node_audience.registry"
	fileAddress     = "aktrust_credential_provider_config.kubelet"
)

// steps is the walk, in order: each stands on what the ones before it have left.
func (d *demo) steps() []step {
	return []step{
		{"1. Nodes get tokens for the registry only once the configuration is applied", d.proveNodeAudience},
		{"2. A pod of the namespace team may pull the image of its team", d.provePull},
		{"3. A pod of another namespace may not", d.proveRefusal},
		{"4. A second plan finds nothing to do", d.proveEmptyPlan},
		{"5. Every plan checks two pulls: one that has to work, and one that must not", d.proveChecks},
		{"6. A link breaks that nothing in the configuration manages, and the plan names it", d.proveBrokenLink},
		{"7. The signing key is rotated without an outage", d.proveRotation},
		{"8. What others change behind the provider's back shows in the next plan, and one apply mends it", d.proveDrift},
		{"9. A destroy leaves nothing behind", d.proveDestroy},
	}
}

func (d *demo) proveNodeAudience(ctx context.Context) (string, error) {
	words, err := d.refused(ctx, d.app, audience)
	if err != nil {
		return "", err
	}
	d.report.fact("before", "%s asks for a token of %s; the API server: %s", nodeName, d.app, words)
	if err := d.apply(ctx); err != nil {
		return "", err
	}
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", err
	}
	if _, err := d.granted(ctx, d.app, plugin.audience); err != nil {
		return "", err
	}
	d.report.fact("after", "%s asks again, for the audience that the kubelet's file names: granted", nodeName)
	return fmt.Sprintf("a node is refused a token for %q before the apply, and granted one after it", plugin.audience), nil
}

func (d *demo) provePull(ctx context.Context) (string, error) {
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", err
	}
	d.report.fact("file", "for the image %s the kubelet runs %s with a token for %s", d.image("team"), plugin.name, plugin.audience)
	token, err := d.granted(ctx, d.app, plugin.audience)
	if err != nil {
		return "", err
	}
	got, err := d.exchange(ctx, token, plugin)
	if err != nil {
		return "", fmt.Errorf("the registry does not take the token of %s: %w", d.app, err)
	}
	d.report.fact("exchange", "the registry gives %s a credential of %s, good for %s", d.app, got.Username,
		time.Duration(got.ExpiresIn)*time.Second)
	var accounts struct{ Team string }
	if err := d.output(ctx, "accounts", &accounts); err != nil {
		return "", err
	}
	if accounts.Team != got.Username {
		return "", fmt.Errorf("the credential is of %s, and the output accounts.team says %s", got.Username, accounts.Team)
	}
	digest, first, err := d.client.pull(ctx, "team", got)
	if err != nil {
		return "", fmt.Errorf("%s may not pull %s: %w", got.Username, d.image("team"), err)
	}
	if digest != d.digests["team"] {
		return "", fmt.Errorf("the manifest that was read has the digest %s, the image's is %s", digest, d.digests["team"])
	}
	d.report.fact("pull", "without the credential: %s\nwith it: manifest %s", first, digest)
	_, _, err = d.client.pull(ctx, "platform", got)
	var refused *refusal
	switch {
	case err == nil:
		return "", fmt.Errorf("%s may read the repository platform, which no group of it may", got.Username)
	case !errors.As(err, &refused) || refused.status != http.StatusNotFound: // as if there were none
		return "", fmt.Errorf("the repository platform does not answer as a closed one does: %w", err)
	}
	d.report.fact("elsewhere", "the same credential for %s: %s", d.image("platform"), refused)
	return fmt.Sprintf("a token of %s buys a credential of the mapping's account, which reads the team's image alone", d.app), nil
}

func (d *demo) proveRefusal(ctx context.Context) (string, error) {
	plugin, err := readFile(d.path(nodeFile), d.image("team"))
	if err != nil {
		return "", err
	}
	token, err := d.granted(ctx, d.sandbox, plugin.audience)
	if err != nil {
		return "", err
	}
	refused, err := d.mustRefuse(ctx, token, plugin)
	if err != nil {
		return "", err
	}
	d.report.fact("exchange", "%s presents a valid token of its own; the registry: %s", d.sandbox, refused)
	return fmt.Sprintf("the registry refuses the token of %s, which no mapping is for", d.sandbox), nil
}

func (d *demo) proveEmptyPlan(ctx context.Context) (string, error) {
	if err := d.unchanged(ctx); err != nil {
		return "", err
	}
	return "plan -detailed-exitcode exits with 0", nil
}

func (d *demo) proveDestroy(ctx context.Context) (string, error) {
	objects, err := d.ourObjects(ctx)
	if err != nil {
		return "", err
	}
	state := d.registry.State()
	if len(objects) == 0 || len(state.Providers) == 0 || len(state.Mappings) == 0 {
		return "", fmt.Errorf("before the destroy there should be something: the cluster has %q, the registry %d providers and %d mappings",
			objects, len(state.Providers), len(state.Mappings))
	}
	out, err := d.command(ctx, 0, "destroy", "-auto-approve", "-no-color")
	if err != nil {
		return "", err
	}
	d.report.fact("destroy", "%s", lineWith(out, "Destroy complete!"))
	if err := d.nothingInRegistry(); err != nil {
		return "", err
	}
	d.report.fact("registry", "%d provider and %d mappings are gone, their accounts deactivated;\n"+
		"groups, repositories and permissions are as they were before", len(state.Providers), len(state.Mappings))
	left, err := d.ourObjects(ctx)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		return "", fmt.Errorf("the cluster still has %s", strings.Join(left, ", "))
	}
	words, err := d.refused(ctx, d.app, audience)
	if err != nil {
		return "", err
	}
	d.report.fact("cluster", "%s are gone; %s asks for a token again: %s", strings.Join(objects, " and "), nodeName, words)
	switch _, err := os.Lstat(d.path(nodeFile)); {
	case err == nil:
		return "", fmt.Errorf("the kubelet's file %s is still there", d.path(nodeFile))
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	d.report.fact("file", "gone")
	return "registry, cluster and file hold nothing of the configuration any more", nil
}

// nothingInRegistry compares the registry with what it was before anything was applied. The accounts of mappings stay
// there without rights: the registry deactivates them and deletes none.
func (d *demo) nothingInRegistry() error {
	after := d.registry.State()
	for _, account := range after.Accounts[len(d.before.Accounts):] {
		if account.IsActive {
			return fmt.Errorf("the registry's account %s is still active", account.Username)
		}
	}
	after.Accounts = d.before.Accounts
	for i := range after.Groups {
		after.Groups[i].MemberIDs = d.before.Groups[i].MemberIDs // the deactivated accounts
	}
	if !reflect.DeepEqual(after, d.before) {
		text, err := json.MarshalIndent(after, "", "  ")
		return errors.Join(fmt.Errorf("the registry is not what it was before:\n%s", text), err)
	}
	return nil
}

// mustRefuse presents a token that the registry has to refuse, and returns how it does.
func (d *demo) mustRefuse(ctx context.Context, token string, plugin plugin) (*refusal, error) {
	got, err := d.exchange(ctx, token, plugin)
	var refused *refusal
	switch {
	case err == nil:
		return nil, fmt.Errorf("the registry gives a credential of %s for a token that it must refuse", got.Username)
	case !errors.As(err, &refused) || refused.status != http.StatusUnauthorized:
		return nil, fmt.Errorf("the registry does not refuse the token as it should: %w", err)
	}
	return refused, nil
}

// exchange presents a token at the registry and as the provider that the kubelet's file names.
func (d *demo) exchange(ctx context.Context, token string, plugin plugin) (credential, error) {
	if plugin.url != d.registry.URL() {
		return credential{}, fmt.Errorf("the kubelet's file sends its plugin to %q", plugin.url)
	}
	got, err := d.client.exchange(ctx, token, plugin.providerID)
	d.report.conceal(got.AccessToken)
	return got, err
}

// image is the name of a repository's image, as a pod has it.
func (d *demo) image(repository string) string {
	return fmt.Sprintf("%s/%s/%s:%s", d.registry.Host(), repository, imageName, imageTag)
}
