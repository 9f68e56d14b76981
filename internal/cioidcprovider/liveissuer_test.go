package cioidcprovider_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const liveIssuer = "Warning: The cluster still issues tokens of this issuer"

// A plan that takes away the provider of tokens that the cluster still issues says so, after one look. Where that cannot be
// seen it says nothing, and takes it away all the same.
func TestLiveIssuer(t *testing.T) {
	o := observe(t)
	key, _ := o.served(t)
	for _, c := range []struct {
		name       string
		issuer     string // the API server's when empty
		kind       string // kubernetes when empty
		user       string // Admin when empty
		connection string // to the API server when empty
		disabled   bool   // before
		change     func(config string) string
		arguments  []string
		warns      bool
		requests   []string
	}{
		{name: "removed", change: removed, warns: true, requests: []string{discovery}},
		{name: "all destroyed", arguments: []string{"-destroy"}, warns: true, requests: []string{discovery}},
		{name: "disabled", change: disabled, warns: true, requests: []string{discovery}},
		{name: "renamed", change: func(config string) string { return strings.Replace(config, `"prod"`, `"next"`, 1) }},
		{name: "replaced", arguments: []string{"-replace=" + address}},
		{name: "disabled already", disabled: true, change: removed},
		{name: "disabled already, and renamed", disabled: true, change: func(config string) string { return strings.Replace(config, `"prod"`, `"next"`, 1) }},
		{name: "another cluster's", issuer: "https://oidc.example.com", change: removed, requests: []string{discovery}},
		{name: "with a slash more", issuer: o.plane.Issuer() + "/", change: removed, requests: []string{discovery}},
		{name: "not of a cluster", kind: "generic", change: removed},
		{name: "nothing may be seen", user: controlplane.Nobody, change: removed, requests: []string{discovery}},
		{name: "no cluster", connection: " ", change: removed},
		{name: "a cluster yet to come", connection: "kubernetes = { host = terraform_data.host.output }", change: removed},
		{name: "nobody answers", connection: "kubernetes = { host = \"https://127.0.0.1:1\" }", arguments: []string{"-destroy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			if c.issuer == "" {
				c.issuer = o.plane.Issuer()
			}
			if c.kind == "" {
				c.kind = "kubernetes"
			}
			if c.user == "" {
				c.user = controlplane.Admin
			}
			if c.connection == "" {
				c.connection = o.connect()
			}
			w := o.workspace(t, c.user)
			config := func(connection string) string {
				made := strings.Replace(rotating(server, connection, c.issuer, also(key)), `"kubernetes"`, acctest.HCL(c.kind), 1)
				if c.disabled {
					made = disabled(made)
				}
				return made
			}
			w.Config(config(o.connect()))
			w.Apply()
			o.take()
			changed := config(c.connection)
			if c.change != nil {
				changed = c.change(changed)
			}
			w.Config(changed + "resource \"terraform_data\" \"host\" { input = \"https://127.0.0.1:1\" }\n")
			out := w.Plan(2, c.arguments...)
			if c.warns {
				acctest.Says(t, out, liveIssuer, fmt.Sprintf("issues tokens of %q", c.issuer), `the audience "artifact-keeper" of the CI OIDC provider "prod"`)
			} else {
				acctest.Silent(t, out, "Warning: The", "Error: ")
			}
			if got := o.take(); !slices.Equal(got, c.requests) {
				t.Errorf("asks %q, want %q", got, c.requests)
			}
			w.Apply(c.arguments...)
			o.take()
			if c.arguments == nil {
				acctest.Silent(t, w.Plan(0), liveIssuer)
				if got := o.take(); len(got) != 0 {
					t.Errorf("a plan without a change asks %q", got)
				}
			}
		})
	}
}

// removed is a configuration without the provider.
func removed(config string) string {
	before, _, _ := strings.Cut(config, "resource \"aktrust_ci_oidc_provider\"")
	return before
}

func disabled(config string) string {
	return strings.Replace(config, "  name =", "  is_enabled = false\n  name =", 1)
}

// Many providers of a cluster that takes connections and never answers are destroyed after one short look.
func TestDestroyWithADeadCluster(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var looks atomic.Int32
	go func() {
		for {
			connection, err := silent.Accept()
			if err != nil {
				return
			}
			looks.Add(1)
			t.Cleanup(func() { _ = connection.Close() })
		}
	}()
	t.Cleanup(func() { _ = silent.Close() })
	server := acctest.Registry(t, emulator.Options{})
	connect := fmt.Sprintf("kubernetes = {\n  host = \"https://%s\"\n  insecure = true\n}", silent.Addr())
	config := rotating(server, connect, "https://oidc.example.com/${count.index}", keys("a"))
	w := acctest.NewWorkspace(t, strings.Replace(config, "  name =", "  count = 30\n  name =", 1))
	w.Apply()
	acctest.Says(t, w.Apply("-destroy"), "30 destroyed")
	if n := looks.Load(); n != 1 {
		t.Errorf("%d looks, want 1", n)
	}
	if left := len(server.State().Providers); left != 0 {
		t.Errorf("%d providers are left", left)
	}
}

// However many key sets lose a key in one plan, the cluster is looked at once, and each is warned of.
func TestDroppedKeysOfManyAreOneLook(t *testing.T) {
	o, server := observe(t), acctest.Registry(t, emulator.Options{})
	o.haveDefault(t, true)
	key, _ := o.served(t)
	three := func(set string) string {
		return strings.Replace(rotating(server, o.connect(), o.plane.Issuer(), set), `name = "prod"`,
			"count = 3\n  name = \"prod ${count.index}\"\n  audience = \"registry-${count.index}\"", 1)
	}
	w := o.workspace(t, controlplane.Admin)
	w.Config(three(also(key, "new")))
	w.Apply()
	o.take()
	w.Config(three(also("", "new")))
	planned := w.Plan(2, "-compact-warnings")
	acctest.Says(t, planned, "The key that signs now would be dropped")
	if asked := o.take(); !slices.Equal(asked, []string{discovery, keySet, token}) {
		t.Errorf("the cluster was asked %q", asked)
	}
}
