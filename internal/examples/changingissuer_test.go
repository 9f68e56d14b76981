//go:build linux

package examples_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

const nextIssuer = "https://oidc.next.test/prod"

// issuers sets the variable of the example.
func issuers(list string) string { return "-var=issuers={" + list + "}" }

// speaks expects that the API server takes, or does not take, a pod's own token for it.
func (p *pulling) speaks(token string, want bool) {
	p.t.Helper()
	err := p.plane.WithToken(token).Get(p.t.Context(), "/version", nil)
	if (err == nil) != want {
		p.t.Errorf("the API server takes a token of the old issuer: %v, want %v", err, want)
	}
}

// The order of the guide, beginning with a configuration for one issuer.
func TestIssuerChangesWithoutAnOutage(t *testing.T) {
	p := newPulling(t, "issuer")
	p.Apply()
	own, err := p.plane.As(controlplane.Admin).CreateToken(t.Context(), "team", "app", "", nil)
	p.must(err)
	p.mint("old")
	p.pulls("old")
	before := p.registry.State()

	// 0. The issuer is written out, under a name that leaves room for a second one. Nothing is made anew.
	for file, text := range readAll(t, "changing-the-issuer") {
		write(t, p.Workspace, file, text)
	}
	old := issuers(`old="` + controlplane.DefaultIssuer + `"`)
	planned := p.Plan(2, old)
	acctest.Says(t, planned, "(moved from aktrust_ci_oidc_provider.cluster)", "(moved from aktrust_ci_oidc_mapping.team)", "0 to add, 2 to change, 0 to destroy")
	acctest.Silent(t, planned, "Warning")
	p.Apply(old)
	p.pulls("old")
	if after := p.registry.State(); after.Providers[0].ID != before.Providers[0].ID || after.Mappings[0].ID != before.Mappings[0].ID {
		t.Error("the provider or the mapping is another one")
	}

	// 1. A provider for the new issuer, and its mappings.
	both := issuers(`old="` + controlplane.DefaultIssuer + `",new="` + nextIssuer + `"`)
	planned = p.Plan(2, both)
	acctest.Says(t, planned, `aktrust_ci_oidc_provider.cluster["new"] will be created`, `aktrust_ci_oidc_mapping.team["new"] will be created`,
		"2 to add, 0 to change, 0 to destroy")
	acctest.Silent(t, planned, "Warning")
	acctest.Silent(t, p.Apply(both), "Warning")
	p.pulls("old")
	acctest.Silent(t, p.Plan(0, both), "Warning")

	// 2. The API server issues tokens with the new issuer, 3. and accepts those of the old one.
	p.restart(func(o *controlplane.Options) {
		o.Issuer, o.AcceptedIssuers = nextIssuer, []string{controlplane.DefaultIssuer}
	})
	p.mint("new")
	p.pulls("old", "new")
	p.speaks(own, true)
	acctest.Silent(t, p.Plan(0, both), "Warning")
	p.namesNoProvider()

	// 4. When the old tokens have expired, the API server forgets the old issuer, and then the registry.
	p.restart(func(o *controlplane.Options) { o.AcceptedIssuers = nil })
	p.pulls("new")
	p.speaks(own, false)
	next := issuers(`new="` + nextIssuer + `"`)
	planned = p.Plan(2, next)
	acctest.Says(t, planned, "0 to add, 0 to change, 2 to destroy")
	acctest.Silent(t, planned, "Warning")
	p.Apply(next)
	p.pulls("new")
	p.refused("old", "No enabled CI OIDC provider is configured for issuer")
	acctest.Silent(t, p.Plan(0, next), "Warning")
}

// namesNoProvider shows why the plugin must not name a provider while there are two issuers: a token of the other one is
// refused.
func (p *pulling) namesNoProvider() {
	p.t.Helper()
	for _, provider := range p.registry.State().Providers {
		for name, of := range map[string]string{"old": controlplane.DefaultIssuer, "new": nextIssuer} {
			_, err := p.client.Exchange(p.t.Context(), p.tokens[name], provider.ID)
			if (err == nil) != (provider.IssuerURL == of) {
				p.t.Errorf("with the id of the provider of %s, the registry says of the token %q: %v", provider.IssuerURL, name, err)
			}
		}
	}
}

// The wrong order: the API server first. What the configuration for one issuer plans then is another outage.
func TestIssuerChangesInTheWrongOrder(t *testing.T) {
	p, inPlace := newPulling(t, "issuer-wrong-order"), newPulling(t, "issuer-in-place")
	for _, p := range []*pulling{p, inPlace} {
		p.Apply()
		p.mint("old")
	}
	p.restart(func(o *controlplane.Options) {
		o.Issuer, o.AcceptedIssuers = nextIssuer, []string{controlplane.DefaultIssuer}
	})
	for _, p := range []*pulling{p, inPlace} {
		p.pulls("old")
		p.mint("new")
		p.refused("new", "No enabled CI OIDC provider is configured for issuer")
		planned := p.Plan(2)
		saidIn(t, planned, "changing-the-issuer", "Warning: Tokens of the old issuer are refused", "OLD", controlplane.DefaultIssuer)
		acctest.Says(t, planned, "assertion failed", "[issuer]", nextIssuer)
	}

	// Who applies it all the same, cuts off the tokens that are in use.
	inPlace.Apply()
	inPlace.refused("old", "No enabled CI OIDC provider is configured for issuer")
	if !inPlace.valid("old") {
		t.Error("the old token is not valid any more, so that nothing is cut off")
	}
	if _, err := inPlace.client.Exchange(t.Context(), inPlace.tokens["new"], ""); err != nil {
		t.Error(err)
	}
	inPlace.calm()

	// Who writes the old issuer out, does not.
	for file, text := range readAll(t, "changing-the-issuer") {
		write(t, p.Workspace, file, text)
	}
	both := issuers(`old="` + controlplane.DefaultIssuer + `",new="` + nextIssuer + `"`)
	planned := p.Plan(2, both)
	acctest.Says(t, planned, "2 to add, 2 to change, 0 to destroy")
	acctest.Silent(t, planned, "Tokens of the old issuer")
	p.Apply(both)
	p.pulls("old", "new")
	acctest.Silent(t, p.Plan(0, both), "Warning")
}

// readAll are the files of an example.
func readAll(t *testing.T, name string) map[string]string {
	t.Helper()
	own, theirs := split(t, name)
	if len(theirs) != 0 || !strings.Contains(own["main.tf"], "for_each") {
		t.Fatalf("examples/%s is not what this test is about", name)
	}
	return own
}
