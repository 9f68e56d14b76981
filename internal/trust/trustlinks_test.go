package trust_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// A registry that does not compare the issuer of the document is not said to refuse what it takes.
func TestDocumentOfAnotherIssuer(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Break("document-issuer")
	result := w.Check()
	if result.Username == "" || !strings.Contains(result.Summary(), "works at this registry today") || strings.Contains(result.Summary(), "refused;") {
		t.Error(result.Summary())
	}
	w.Break("pattern-case")
	if result := w.Check(); !strings.Contains(result.Summary(), "is refused; 2 broken links") {
		t.Error(result.Summary())
	}
}

// A provider that is named and does not exist is told apart from one that nobody names.
func TestNamedProvider(t *testing.T) {
	const none = "00000000-0000-0000-0000-000000000000"
	w := trusttest.New(t, emulator.Options{})
	for _, args := range [][]string{{"--provider-id=" + none}, {"--provider-id", none}, {"-provider-id=" + none}} {
		w.Entry(func(entry map[string]any) { entry["args"] = args })
		if link := w.Check().Link(trust.Provider); link.Status != trust.Broken || !strings.Contains(link.Detail, "the plugin's --provider-id") {
			t.Errorf("%s: %+v", args, link)
		}
	}
	w.Entry(func(entry map[string]any) {
		entry["env"] = []any{map[string]string{"name": "AK_PROVIDER_ID", "value": none}}
	})
	if link := w.Check().Link(trust.Provider); link.Status != trust.Broken {
		t.Errorf("%+v", link)
	}
	w.Entry(func(entry map[string]any) { // the last flag counts, and a flag more than a variable
		entry["args"] = []string{"--provider-id=" + none, "--provider-id=" + w.Provider}
		entry["env"] = []any{map[string]string{"name": "AK_PROVIDER_ID", "value": none}}
	})
	if result := w.Check(); !result.Allowed() {
		t.Error(result.Summary())
	}
	w.Request.ProviderID = none
	if link := w.Check().Link(trust.Provider); link.Status != trust.Broken || !strings.Contains(link.Detail, "the argument provider_id") {
		t.Errorf("%+v", link)
	}
}

// A pull goes by what the plugin names, which may be another provider than a check names.
func TestPluginNamesAnotherProvider(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Request.ProviderID = strings.ToUpper(w.Provider)
	for _, c := range []struct {
		name, id string // what the plugin is told
		second   bool   // the issuer has another provider of the audience
		detail   string // empty when the pull is allowed
	}{
		{"none", "", false, ""},
		{"the same", w.Provider, false, ""},
		{"one that is gone", "00000000-0000-0000-0000-000000000000", false, `the plugin "ak-kubelet-provider" of the file names 0000`},
		{"the same of two", w.Provider, true, ""},
		{"none of two", "", true, `the plugin "ak-kubelet-provider" of the file names none`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.second && len(w.Registry.State().Providers) == 1 {
				w.Break("two-providers")
			}
			w.Entry(func(entry map[string]any) {
				entry["args"] = []string{"--url=" + w.Registry.URL(), "--provider-id=" + c.id}
			})
			result := w.Check()
			link := result.Link(trust.Provider)
			if result.Allowed() != (c.detail == "") || !strings.Contains(link.Detail, c.detail) || strings.Contains(link.Remedy, w.Provider) != (c.detail != "") {
				t.Errorf("%+v", link)
			}
			if result.Denied() {
				t.Errorf("%s", result.Summary())
			}
		})
	}
}

// A key of another cluster under the kid of this one passes for the right one until its material is looked at.
func TestOtherKeyUnderTheSameKid(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	documents, err := w.Admin.OIDCDocuments(t.Context())
	w.Must(err)
	published, err := jwks.Parse(documents.JWKS)
	w.Must(err)
	w.UpdateProvider(func(p *emulator.Provider) {
		p.StaticJWKS = bytes.ReplaceAll(trusttest.StrangeKeys(t), []byte("another-clusters-key"), []byte(published.KeyIDs()[0]))
	})
	if link := w.Check().Link(trust.Keys); link.Status != trust.Broken || !strings.Contains(link.Detail, "has another key under the kid") {
		t.Errorf("%+v", link)
	}
}
