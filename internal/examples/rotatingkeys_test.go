//go:build linux

package examples_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
)

// newKey makes a key, and tells its kid.
func (p *pulling) newKey() (*controlplane.Key, string) {
	p.t.Helper()
	key, err := controlplane.NewRSAKey()
	p.must(err)
	return key, p.kid(key)
}

func (p *pulling) kid(key *controlplane.Key) string {
	p.t.Helper()
	id, err := key.ID()
	p.must(err)
	return id
}

// The order of the guide: at every moment every token that is valid is exchanged, and each plan says what comes and goes.
func TestKeysRotateWithoutAnOutage(t *testing.T) {
	p := newPulling(t, "keys")
	acctest.Silent(t, p.Apply(), "Warning")
	p.calm()
	p.mint("old")
	p.pulls("old")

	// 1. The API server serves the new key and signs with the old one.
	next, kid := p.newKey()
	var old string
	p.restart(func(o *controlplane.Options) { old, o.Keys.Verify = p.kid(o.Keys.Sign), []*controlplane.Key{next} })
	p.pulls("old")
	planned := p.Plan(2)
	acctest.Says(t, planned, `+ "`+kid+`"`, "0 to add, 1 to change, 0 to destroy")
	acctest.Silent(t, planned, `- "`+old+`"`, "Warning")

	// 2. The registry gets it.
	acctest.Silent(t, p.Apply(), "Warning")
	p.mint("old, after the registry has both")
	p.pulls("old", "old, after the registry has both")
	p.calm()

	// 3. The API server signs with the new key and still accepts the old one's tokens. The registry has nothing to do.
	p.restart(func(o *controlplane.Options) { o.Keys.Sign, o.Keys.Verify = next, []*controlplane.Key{o.Keys.Sign} })
	p.mint("new")
	p.pulls("old", "old, after the registry has both", "new")
	p.calm()

	// 4. When the old tokens have expired, the API server loses the old key, and then the registry.
	p.restart(func(o *controlplane.Options) { o.Keys.Verify = nil })
	p.pulls("new")
	planned = p.Plan(2)
	acctest.Says(t, planned, `- "`+old+`"`, "0 to add, 1 to change, 0 to destroy")
	acctest.Silent(t, planned, `- "`+kid+`"`, "Warning")
	acctest.Silent(t, p.Apply(), "Warning")
	p.pulls("new")
	p.refused("old", "is not in this provider's static JWKS")
	p.calm()
	if kids := output[[]string](t, outputsOf(t, p.Workspace), "key_ids"); !slices.Equal(kids, []string{kid}) {
		t.Errorf("the registry has the keys %q, want %q", kids, kid)
	}
}

// The wrong orders, as the guide describes them.
func TestKeysRotateInTheWrongOrder(t *testing.T) {
	p := newPulling(t, "keys-wrong-order")
	p.Apply()
	p.mint("old")

	// The API server signs with a key that the registry has not got: new tokens are refused.
	next, kid := p.newKey()
	var old string
	p.restart(func(o *controlplane.Options) {
		old = p.kid(o.Keys.Sign)
		o.Keys.Sign, o.Keys.Verify = next, []*controlplane.Key{o.Keys.Sign}
	})
	p.pulls("old")
	p.mint("new")
	p.refused("new", "is not in this provider's static JWKS")
	planned := p.Plan(2)
	acctest.Says(t, planned, `+ "`+kid+`"`, "assertion failed", "[keys]")
	saidIn(t, planned, "rotating-keys", "tokens are signed", "NEW", kid, "OLD", old)
	p.Apply()
	p.calm()
	p.pulls("old", "new")

	// Keys are dropped from the registry first: that of running tokens, and that of the tokens to come.
	main := filepath.Join(directory(t, "rotating-keys"), "main.tf")
	const whole = "data.aktrust_cluster_jwks.this.jwks"
	without := func(kid string) string {
		return "jsonencode({ keys = [for key in jsondecode(" + whole + ").keys : key if key.kid != \"" + kid + "\"] })"
	}
	write(t, p.Workspace, "main.tf", strings.Replace(readFile(t, main), whole, without(old), 1))
	planned = p.Plan(2)
	saidIn(t, planned, "rotating-keys", "Warning: Tokens of a dropped key may still be in use", "NEW", kid, "OLD", old)
	acctest.Silent(t, planned, "The key that signs now would be dropped")

	write(t, p.Workspace, "main.tf", strings.Replace(readFile(t, main), whole, without(kid), 1))
	planned = p.Plan(2, "-out=plan.bin")
	saidIn(t, planned, "rotating-keys", "Warning: The key that signs now would be dropped", "NEW", kid)
	acctest.Silent(t, planned, "may still be in use")
	p.Expect(0, "apply", "-no-color", "plan.bin") // A warning stops nobody.
	p.refused("new", "is not in this provider's static JWKS")

	// The way back is to have the whole set again.
	write(t, p.Workspace, "main.tf", readFile(t, main))
	p.Apply()
	p.pulls("old", "new")
	p.calm()
}

// What is published of the keys is one more copy of them: a plan says when it is one rotation behind.
func TestPublishedKeysAreOneRotationBehind(t *testing.T) {
	p, server := newPulling(t, "published"), publisher.Start(t, publisher.Options{})
	p.restart(func(o *controlplane.Options) { o.Issuer = server.URL() })
	example := readFile(t, directory(t, "data-sources", "aktrust_published_issuer", "data-source.tf"))
	const expected = "  expected_jwks = data.aktrust_cluster_jwks.prod.jwks\n"
	if !strings.Contains(example, expected) {
		t.Fatal("the example does not compare what is published with the cluster's keys")
	}
	write(t, p.Workspace, "published.tf", strings.Replace(example, expected, expected+"  ca_certificate = "+acctest.HCL(server.CA())+"\n", 1)+
		"output \"jwks\" { value = data.aktrust_cluster_jwks.prod.jwks }\n")
	publish := func() {
		p.Apply()
		server.Issue("", p.Expect(0, "output", "-no-color", "-raw", "jwks"))
		p.Apply() // what is published now is an output
		p.calm()
	}
	publish()
	next, kid := p.newKey()
	p.restart(func(o *controlplane.Options) { o.Keys.Verify = []*controlplane.Key{next} })
	saidIn(t, p.Plan(2), "rotating-keys", "lacks the key", "NEW", kid)
	publish()
}
