package trust_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// said is what a link is expected to say.
type said struct {
	link           trust.Name
	status         trust.Status
	detail, remedy string
}

// Providers of one issuer, one of them "cluster" with the world's audience: the one that is meant is named, and its remedy
// makes the chain hold rather than another one.
func TestProvidersOfOneIssuer(t *testing.T) {
	const disabled = "is_enabled = true for the provider "
	second := func(w *trusttest.World, audience string, enabled bool) {
		p := w.Registry.State().Providers[0]
		p.Name, p.Audience, p.IsEnabled = "second", audience, enabled
		_, err := w.Registry.AddProvider(p)
		w.Must(err)
	}
	disable := func(w *trusttest.World) { w.UpdateProvider(func(p *emulator.Provider) { p.IsEnabled = false }) }
	asks := func(w *trusttest.World, audience string) {
		w.Entry(func(entry map[string]any) {
			entry["tokenAttributes"].(map[string]any)["serviceAccountTokenAudience"] = audience
		})
	}
	for _, c := range []struct {
		name   string
		change func(*trusttest.World)
		want   []said
	}{
		{"all disabled, and one fits", func(w *trusttest.World) { second(w, "other", false); disable(w) }, []said{
			{trust.Provider, trust.Broken, `is disabled, and so is every other of the issuer: "second"`, disabled + `"cluster"`},
			{trust.FileAudience, trust.OK, "", ""},
		}},
		{"all disabled, and none fits", func(w *trusttest.World) { second(w, "other", false); disable(w); asks(w, "third") }, []said{
			{trust.Provider, trust.Broken, "are disabled: ", "is_enabled = true for the one"},
		}},
		{"all disabled, and one nearly fits", func(w *trusttest.World) { second(w, "other", false); disable(w); asks(w, "Other") }, []said{
			{trust.Provider, trust.Broken, `every other of the issuer: "cluster"`, disabled + `"second"`},
			{trust.FileAudience, trust.Broken, "upper and lower case alone", `service_account_token_audience = "other"`},
		}},
		{"the one that fits is disabled", func(w *trusttest.World) { second(w, "other", true); disable(w) }, []said{
			{trust.Provider, trust.Broken, `is disabled, and of the same issuer the enabled ones take other audiences: "second"`, disabled + `"cluster"`},
			{trust.FileAudience, trust.OK, "", ""},
		}},
		{"a near miss of one", func(w *trusttest.World) { asks(w, w.Audience+"/") }, []said{
			{trust.FileAudience, trust.Broken, "they differ by a trailing slash alone, which counts", "service_account_token_audience = \"ak-"},
			{trust.NodeAudience, trust.Broken, "by a trailing slash alone", "and nodes may request it"},
		}},
		{"a near miss of one of two", func(w *trusttest.World) { second(w, "other", true); asks(w, w.Audience+"/") }, []said{
			{trust.FileAudience, trust.Broken, "they differ by a trailing slash alone, which counts", "service_account_token_audience = \"ak-"},
			{trust.NodeAudience, trust.Broken, "by a trailing slash alone", "and nodes may request it"},
			{trust.Provider, trust.OK, "as long as the tokens are not for its audience", ""},
			{trust.Mapping, trust.OK, `"team"`, ""},
		}},
		{"a near miss by white space, not granted", func(w *trusttest.World) { second(w, "other", true); asks(w, " other") }, []said{
			{trust.FileAudience, trust.Broken, "they differ by white space alone, which counts", `service_account_token_audience = "other"`},
			{trust.NodeAudience, trust.Broken, "", "which nodes may not request either:\nresource \"aktrust_node_audience\" \"registry\" {\n  audience = \"other\"\n"},
		}},
		{"an audience of none of two", func(w *trusttest.World) { second(w, "other", true); asks(w, "third") }, []said{
			{trust.Provider, trust.Broken, `none of them takes the audience "third"`, "Ask for the audience of the one that is meant"},
			{trust.NodeAudience, trust.Broken, "", "Mend the audience first"},
		}},
		{"no audience at all", func(w *trusttest.World) { second(w, "other", true); w.Request.KubeletConfig = "" }, []said{
			{trust.Provider, trust.Broken, "no audience is given that would single one out", "Give this check the audience"},
		}},
		{"the argument alone is wrong", func(w *trusttest.World) { w.Request.KubeletConfig, w.Request.Audience = "", w.Audience+"/" }, []said{
			{trust.FileAudience, trust.Broken, "a trailing slash alone", "for this check"},
		}},
		{"the argument is wrong beside the file", func(w *trusttest.World) { w.Request.Audience = "third" }, []said{
			{trust.FileAudience, trust.Broken, `the argument audience is "third"`, "or leave it out: the file says it"},
		}},
		{"the API server's audience", func(w *trusttest.World) {
			asks(w, w.Plane.Issuer())
			w.UpdateProvider(func(p *emulator.Provider) { p.Audience = w.Plane.Issuer() })
		}, []said{
			{trust.APIServerAudience, trust.Broken, "is an audience of the API server itself", "audience ="},
			{trust.NodeAudience, trust.Broken, "", "Do not grant it: choose another audience first"},
		}},
		{"the API server's audience at the registry alone", func(w *trusttest.World) {
			asks(w, "third")
			w.UpdateProvider(func(p *emulator.Provider) { p.Audience = w.Plane.Issuer() })
		}, []said{{trust.NodeAudience, trust.Broken, "", "Do not grant it: no provider takes it"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			c.change(w)
			result := w.Check()
			for _, want := range c.want {
				got := result.Link(want.link)
				if got.Status != want.status || !strings.Contains(got.Detail, want.detail) || !strings.Contains(got.Remedy, want.remedy) {
					t.Errorf("%+v\nwant %+v", got, want)
				}
				if want.status == trust.OK && got.Remedy != "" {
					t.Errorf("%+v holds and has a remedy", got)
				}
			}
			if strings.Contains(result.Summary(), "they differ by the trailing slash alone") {
				t.Errorf("one issuer differs from itself: %s", result.Summary())
			}
		})
	}
}
