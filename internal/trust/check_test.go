package trust_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// statuses are all links of a result with their status.
func statuses(result trust.Result) map[trust.Name]trust.Status {
	out := map[trust.Name]trust.Status{}
	for _, link := range result.Links {
		out[link.Name] = link.Status
	}
	return out
}

func TestEverythingHolds(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Request.Manifest = true
	result := w.Check()
	want := map[trust.Name]trust.Status{}
	var order []trust.Name
	for _, name := range trust.Names() {
		want[name] = trust.OK
	}
	for _, link := range result.Links {
		order = append(order, link.Name)
		if link.Detail == "" || link.Remedy != "" {
			t.Errorf("a link that holds has a detail and no remedy: %+v", link)
		}
	}
	if diff := cmp.Diff(want, statuses(result)); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(order, trust.Names()) {
		t.Errorf("the links come as %v", order)
	}
	if !result.Allowed() || result.Denied() || result.MappingID != w.Mapping || result.MappingName != "team" {
		t.Errorf("%+v", result)
	}
	if !strings.HasPrefix(result.Username, "ci-") || result.ExpiresIn <= 0 || result.ExpiresIn > 600 {
		t.Errorf("the credential is for %q and %d seconds", result.Username, result.ExpiresIn)
	}
}

// Without the file, what is about it is skipped, and the audience is that of the provider.
func TestWithoutTheFile(t *testing.T) {
	w := trusttest.New(t, emulator.Options{AsBuilt: true})
	w.Request.KubeletConfig = ""
	result := w.Check()
	if want := []trust.Name{trust.File, trust.FileAudience, trust.Manifest}; !slices.Equal(result.With(trust.Skipped), want) || !result.Allowed() {
		t.Errorf("%+v", result)
	}
}

func TestFaultsAreAllNamed(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	var rows []failures.Row
	for _, name := range []string{"audience-not-granted", "key-rotated", "no-grant", "pattern-case"} {
		w.Break(name)
		rows = append(rows, failures.Find(name))
	}
	w.Request.Audience = w.Audience
	result := w.Check()
	trusttest.Expect(t, result.Links, result.Allowed(), result.Summary(), rows...)
}

func TestRepositoryThatDoesNotExist(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Request.Image = w.Registry.Host() + "/imagse/app:1"
	result := w.Check()
	if got := result.Link(trust.Permission); got.Status != trust.Broken || !strings.Contains(got.Detail, `"imagse"`) || result.Denied() {
		t.Errorf("%+v", got)
	}
}

// A filter on the pod or the node cannot be judged, because a token that was made for a check has neither. That the registry
// refuses such a token says nothing about a pod's.
func TestFiltersOnThePod(t *testing.T) {
	for name, filters := range map[string]map[string]any{
		"pod":   {"/kubernetes.io/pod/name": "app-0"},
		"node":  {"/kubernetes.io/node/name": "node-1"},
		"whole": {"/kubernetes.io": map[string]any{"namespace": "team"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			w.Filters(filters)
			result := w.Check()
			if got := result.Link(trust.Mapping); got.Status != trust.Unknown || !strings.Contains(got.Detail, "depends on the pod") ||
				!strings.Contains(got.Remedy, "no link is broken") || result.MappingID != "" {
				t.Errorf("%+v", got)
			}
			if got := result.With(trust.Unknown); !slices.Equal(got, []trust.Name{trust.Mapping, trust.Exchange}) {
				t.Errorf("unknown are %v", got)
			}
			if broken := result.With(trust.Broken); len(broken) > 0 || result.Allowed() || result.Denied() {
				t.Errorf("broken are %v: %s", broken, result.Summary())
			}
			w.Break("key-rotated") // which a pod's token meets as well
			if got := w.Check().With(trust.Broken); !slices.Equal(got, []trust.Name{trust.Keys, trust.Exchange}) {
				t.Errorf("broken are %v", got)
			}
			w.Pin()
			// An earlier one that may win leaves it open which one does; one that surely does not, does not.
			w.AddMapping(emulator.Mapping{Name: "later", Priority: 200}, map[string]any{"/kubernetes.io/namespace": w.Namespace})
			if got := w.Check(); got.Link(trust.Mapping).Status != trust.Unknown || got.Link(trust.Exchange).Status != trust.OK || got.Allowed() {
				t.Errorf("%+v", got)
			}
			filters["/kubernetes.io/namespace"] = "another"
			w.Filters(filters)
			if got := w.Check(); got.Link(trust.Mapping).Status != trust.OK || got.MappingName != "later" {
				t.Errorf("%+v", got.Link(trust.Mapping))
			}
		})
	}
}

// A pull may meet other addresses than the check: that of the image and that of the plugin. They may be names of one registry,
// so that they are told and decide nothing.
func TestOtherAddresses(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	here := w.Registry.Host()
	for _, c := range []struct {
		name, image  string
		change       func(entry map[string]any)
		file, others string
	}{
		{"one", here, func(map[string]any) {}, "", ""},
		{"without a flag", here, func(entry map[string]any) { delete(entry, "args") }, "", ""},
		{"a path and the case", here, func(entry map[string]any) { entry["args"] = []string{"--url=HTTPS://" + here + "/ak/"} }, "", ""},
		{
			"the plugin", here, func(entry map[string]any) { entry["args"] = []string{"--url", "https://AK.example.com:443/"} },
			"asks the registry at ak.example.com", "the plugin asks ak.example.com:",
		},
		{"the variable", here, func(entry map[string]any) {
			delete(entry, "args")
			entry["env"] = []any{map[string]string{"name": "AK_URL", "value": "https://ak.example.com"}}
		}, "asks the registry at ak.example.com", "the plugin asks ak.example.com:"},
		{
			"the image", "ak.example.com", func(entry map[string]any) { entry["matchImages"] = []string{"ak.example.com"} },
			"", "the image is pulled from ak.example.com:",
		},
		{"both", "ak.example.com", func(entry map[string]any) {
			entry["matchImages"], entry["args"] = []string{"ak.example.com"}, []string{"--url=https://ak.example.com"}
		}, "asks the registry at ak.example.com", "the image is pulled from ak.example.com and the plugin asks ak.example.com:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.Request.Image = c.image + "/" + trusttest.Key + "/app:1"
			w.Entry(c.change)
			result := w.Check()
			file := result.Link(trust.File)
			if !result.Allowed() || !strings.Contains(file.Detail, c.file) || (file.Remedy != "") != (c.file != "") {
				t.Errorf("%+v", result)
			}
			if !strings.Contains(result.Summary(), c.others) || strings.Contains(result.Summary(), "one registry") != (c.others != "") {
				t.Errorf("%q is not what %s says", c.others, result.Summary())
			}
			if permission := result.Link(trust.Permission); strings.Contains(permission.Detail, "is pulled from") != (c.image != here) {
				t.Errorf("%+v", permission)
			}
		})
	}
}

func TestEarlierMappingIsNamed(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Break("earlier-mapping")
	got := w.Check().Link(trust.Mapping)
	if got.Status != trust.OK || !strings.Contains(got.Detail, `"everyone"`) || !strings.Contains(got.Detail, `"team" matches too`) ||
		!strings.Contains(got.Remedy, "higher priority number than 100") {
		t.Errorf("%+v", got)
	}
}

// Whoever may do nothing learns which permissions are missing.
func TestWithoutPermissions(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	nobody, err := cluster.New(cluster.Config{Host: w.Plane.URL(), ClusterCACertificate: w.Plane.CA(), Token: w.Plane.Token("nobody")})
	w.Must(err)
	w.Cluster = trust.FromClient(nobody)
	result := w.Check()
	for name, rule := range map[trust.Name]string{
		trust.Versions:       "the verb list on nodes",
		trust.NodeAudience:   "the verb create on subjectaccessreviews",
		trust.ServiceAccount: "the verb get on serviceaccounts",
		trust.TokenRequest:   "the verb create on serviceaccounts/token",
		trust.Issuer:         "system:service-account-issuer-discovery",
	} {
		if link := result.Link(name); link.Status != trust.Unknown || !strings.Contains(link.Remedy, rule) {
			t.Errorf("%+v, want it unknown for want of %q", link, rule)
		}
	}
	if broken := result.With(trust.Broken); len(broken) > 0 || result.Allowed() || result.Denied() {
		t.Errorf("broken are %v: %s", broken, result.Summary())
	}
}

func TestOldVersions(t *testing.T) {
	w := trusttest.New(t, emulator.Options{Profile: emulator.Profile110})
	got := w.Check().Link(trust.Versions)
	if got.Status != trust.Broken || !strings.Contains(got.Detail, "the registry is 1.10.0") {
		t.Errorf("%+v", got)
	}
}

func TestRefusedRequests(t *testing.T) {
	for _, request := range []trust.Request{
		{Namespace: "a", ServiceAccount: "b", Image: "Not An Image"},
		{Namespace: "", ServiceAccount: "b", Image: "ak.test/images/app"},
		{Namespace: "a", ServiceAccount: "", Image: "ak.test/images/app"},
	} {
		if _, err := trust.Check(t.Context(), trust.Sources{}, request); err == nil {
			t.Errorf("%+v is checked", request)
		}
	}
}

// A page in the place of the registry is no refusal by it.
func TestSomethingElseAnswers(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Registry.Inject(emulator.Fault{Path: "/api/...", Kind: emulator.HTMLPage})
	result := w.Check()
	for _, name := range []trust.Name{trust.Issuer, trust.Provider, trust.Permission} {
		if link := result.Link(name); link.Status != trust.Unknown || link.Remedy == "" {
			t.Errorf("%+v", link)
		}
	}
	if link := result.Link(trust.Exchange); link.Status != trust.Broken || result.Denied() {
		t.Errorf("%+v", link)
	}
}

// With a registry whose token is no administrator's, what it hides is unknown, and the exchange still speaks.
func TestWithoutAnAdministrator(t *testing.T) {
	w := trusttest.New(t, emulator.Options{})
	w.Registry.Inject(emulator.Fault{Path: "/api/v1/admin/...", Kind: emulator.Forbidden})
	result := w.Check()
	if link := result.Link(trust.Provider); link.Status != trust.Unknown || !strings.Contains(link.Remedy, "administrator's rights") {
		t.Errorf("%+v", link)
	}
	if result.Link(trust.Exchange).Status != trust.OK || result.Allowed() || result.Denied() || result.Username == "" {
		t.Error(result.Summary())
	}
}
