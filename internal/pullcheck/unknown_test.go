package pullcheck_test

import (
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

// A filter on the pod leaves a check without an answer, whatever is expected. The condition that the remedy gives still tells
// such a chain from one with a broken link.
func TestFilterOnThePod(t *testing.T) {
	w := newWorld(t)
	w.Filters(map[string]any{"/kubernetes.io/namespace": w.Namespace, "/kubernetes.io/pod/name": "app-0"})
	space := w.workspace(w.check())
	mapping := w.apply(space).link(trust.Mapping)
	_, condition, found := strings.Cut(mapping.Remedy, "condition = ")
	if !found || mapping.Status != trust.Unknown {
		t.Fatalf("%+v", mapping)
	}
	const broken = "a link is broken"
	whole := "check \"whole\" {\n  assert {\n    condition = " + strings.ReplaceAll(condition, "NAME", "test") +
		"\n    error_message = \"" + broken + "\"\n  }\n}\n"
	for _, expect := range []string{"allowed", "denied"} {
		space.Config(w.check(`expect = "`+expect+`"`) + whole)
		got := w.apply(space)
		if got.Allowed || got.AsExpected || got.Mapping != nil || got.Warned != got.Summary || !strings.Contains(got.Summary, "cannot be confirmed") {
			t.Errorf("%+v", got)
		}
	}
	w.Break("key-rotated")
	if got := w.apply(space); !strings.Contains(got.Warned, broken) {
		t.Errorf("%+v", got)
	}
}

// The plugin of the file asks another address than the check. That may be another name of the registry, so that it is told to
// whoever reads the summary.
func TestPluginAsksElsewhere(t *testing.T) {
	w := newWorld(t)
	w.Entry(func(entry map[string]any) { entry["args"] = []string{"--url=https://ak.example.com"} })
	got := w.apply(w.workspace(w.check()))
	file := got.link(trust.File)
	if !got.Allowed || !strings.Contains(got.Summary, "the plugin asks ak.example.com") || !strings.Contains(file.Detail, "ak.example.com") ||
		!strings.Contains(file.Remedy, "--url="+w.Registry.URL()) {
		t.Errorf("%+v", got)
	}
}
