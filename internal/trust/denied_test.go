package trust_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// Who is kept out by the chain is denied; who meets a broken set-up, or nobody, is not.
func TestDenied(t *testing.T) {
	cases := []struct {
		row  string
		want bool
	}{
		{"audience-not-granted", true},
		{"no-mappings", true},
		{"other-namespace", true},
		{"mapping-disabled", true},
		{"account-deactivated", true},
		{"no-grant", true},
		{"group-without-read", true},
		{"outside-ceiling", true},
		{"empty-ceiling", true},
		{"registry-unreachable", false},
		{"certificate-unknown", false},
		{"service-account-missing", false},
		{"key-rotated", false},
		{"issuer-slash", false},
		{"provider-disabled", false},
		{"audience-mismatch", false},
		{"pattern-port", false},
		{"clock", false},
		{"manifest-missing", false},
	}
	for _, c := range cases {
		t.Run(c.row, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			w.Break(c.row)
			if result := w.Check(); result.Denied() != c.want || result.Allowed() || (result.Undenied() == "") != c.want {
				t.Errorf("denied is %t and allowed %t: %s %s", result.Denied(), result.Allowed(), result.Summary(), result.Undenied())
			}
		})
	}
}

// A registry that goes down while others keep somebody out does not make a negative test pass.
func TestDownIsNotDenied(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Break("audience-not-granted")
	w.Break("registry-unreachable")
	if result := w.Check(); result.Denied() || result.Link(trust.NodeAudience).Status != trust.Broken {
		t.Errorf("%s", result.Summary())
	}
}

func TestPublicRepositoryKeepsNobodyOut(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Registry.AddRepository(emulator.Repository{Key: "public", IsPublic: true})
	w.Request.Image = w.Registry.Host() + "/public/app:1"
	if result := w.Check(); !result.Allowed() || !strings.Contains(result.Summary(), "is public") {
		t.Errorf("%s", result.Summary())
	}
	w.Break("other-namespace")
	if result := w.Check(); result.Denied() || result.Allowed() || !strings.Contains(result.Summary(), "is public") {
		t.Errorf("%s", result.Summary())
	}
}

// What is broken for everybody is no refusal of one, whatever stands beside it: an audience with a typo is granted to nobody.
func TestBrokenForEverybody(t *testing.T) {
	second := func(w *trusttest.World) { // of the same issuer, for another audience
		p := w.Registry.State().Providers[0]
		p.Name, p.Audience = "second", w.Audience+"-2"
		_, err := w.Registry.AddProvider(p)
		w.Must(err)
	}
	for _, c := range []struct {
		name   string
		breaks []string
		change func(*trusttest.World)
		faults string // none means that it is a refusal
	}{
		{"a typo in the argument", nil, func(w *trusttest.World) { w.Request.Audience, w.Request.KubeletConfig = w.Audience+"i", "" }, "file_audience, exchange"},
		{"a typo in the argument, beside a file", nil, func(w *trusttest.World) { w.Request.Audience = w.Audience + "i" }, "file_audience, exchange"},
		{"a typo with two providers", nil, func(w *trusttest.World) {
			second(w)
			w.Request.Audience, w.Request.KubeletConfig = w.Audience+"-3", ""
		}, "provider, exchange"},
		{"a wrong file, and no mapping", []string{"pattern-port", "other-namespace"}, nil, "file"},
		{"an old registry, and no mapping", []string{"other-namespace"}, func(w *trusttest.World) {
			w.Cluster = versioned{w.Cluster, "v1.33.0", nil}
		}, "versions"},
		{"rotated keys, and no permission", []string{"key-rotated", "no-grant"}, nil, "keys, exchange"},
		{"clocks that differ, and no mapping", []string{"clock", "other-namespace"}, nil, "exchange"},
		{"clocks that differ, and no audience", []string{"clock", "audience-not-granted"}, nil, "exchange"},
		{"no image, and no audience", []string{"manifest-missing", "audience-not-granted"}, nil, "manifest"},
		{"a manifest that is refused without a reason, and no audience", []string{"audience-not-granted"}, func(w *trusttest.World) {
			w.Request.Manifest = true
			w.Registry.Inject(emulator.Fault{Path: "/v2/...", Kind: emulator.Forbidden})
		}, "manifest"},
		{"the API server's audience, and no mapping", []string{"api-server-audience", "other-namespace"}, nil, "api_server_audience"},
		{"neither audience nor mapping", []string{"audience-not-granted", "other-namespace"}, nil, ""},
		{"neither audience nor permission", []string{"audience-not-granted", "no-grant"}, nil, ""},
		{"no permission, and the manifest is tried", []string{"no-grant"}, func(w *trusttest.World) { w.Request.Manifest = true }, ""},
		{"no account, and the manifest is asked for", []string{"account-deactivated"}, func(w *trusttest.World) { w.Request.Manifest = true }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			for _, row := range c.breaks {
				w.Break(row)
			}
			if c.change != nil {
				c.change(w)
			}
			result := w.Check()
			if result.Allowed() || result.Denied() != (c.faults == "") {
				t.Errorf("denied is %t and allowed %t: %s", result.Denied(), result.Allowed(), result.Summary())
			}
			if why := result.Undenied(); c.faults != "" && !strings.Contains(why, "broken for everybody ("+c.faults+")") {
				t.Errorf("%q does not name %s: %s", why, c.faults, result.Summary())
			}
		})
	}
}
