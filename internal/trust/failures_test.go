package trust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
)

// nowhere is a network on which nothing answers.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

// publishes is a network on which an issuer publishes two documents.
type publishes struct{ discovery, keys string }

func (p publishes) RoundTrip(request *http.Request) (*http.Response, error) {
	text := p.keys
	if strings.HasSuffix(request.URL.Path, "/.well-known/openid-configuration") {
		text = p.discovery
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(text))), Request: request,
	}, nil
}

// breaks says how to break the link of each row. What is nil is broken by the options of the registry.
var breaks = map[string]func(*world){
	"wrong-plugin-version": func(w *world) { w.request.KubeletConfig = w.file(host, w.audience, "v1beta1") },
	"pattern-port":         func(w *world) { w.request.Image = host + ":8443/" + key + "/app:1" },
	"pattern-labels":       func(w *world) { w.request.KubeletConfig = w.file("*."+host, w.audience, "v1") },
	"pattern-case":         func(w *world) { w.request.KubeletConfig = w.file(strings.ToUpper(host), w.audience, "v1") },
	"pattern-star":         func(w *world) { w.request.KubeletConfig = w.file(host+"/*", w.audience, "v1") },
	"no-token-attributes":  func(w *world) { w.request.KubeletConfig = w.file(host, "", "v1") },
	"audience-mismatch": func(w *world) {
		w.updateProvider(func(p *emulator.Provider) { p.Audience = "artifact-keeper" })
	},
	"audience-not-granted": func(w *world) { w.revoke(w.audience) },
	"audience-granted-other": func(w *world) {
		w.revoke(w.audience)
		w.grant(w.audience+"-other", nil)
	},
	"audience-granted-elsewhere": func(w *world) {
		w.must(w.plane.As("admin").EnsureNamespace(w.t.Context(), "elsewhere"))
		w.revoke(w.audience)
		w.grant(w.audience, []string{"elsewhere"})
	},
	"service-account-missing": func(w *world) { w.request.ServiceAccount = "worker" },
	"api-server-audience": func(w *world) {
		w.grant(w.plane.Issuer(), nil)
		w.request.KubeletConfig = w.file(host, w.plane.Issuer(), "v1")
		w.updateProvider(func(p *emulator.Provider) { p.Audience = w.plane.Issuer() })
	},
	"issuer-slash": func(w *world) { w.updateProvider(func(p *emulator.Provider) { p.IssuerURL += "/" }) },
	"two-providers": func(w *world) {
		second := w.registry.State().Providers[0]
		second.Name = "again"
		_, err := w.registry.AddProvider(second)
		w.must(err)
	},
	"provider-disabled": func(w *world) { w.updateProvider(func(p *emulator.Provider) { p.IsEnabled = false }) },
	"no-provider":       func(w *world) { w.must(w.registry.DeleteProvider(w.provider)) },
	"key-rotated": func(w *world) {
		w.updateProvider(func(p *emulator.Provider) { p.StaticJWKS = strangeKeys(w.t) })
	},
	"issuer-unreachable": func(w *world) { w.discovery() },
	"document-issuer": func(w *world) {
		w.discovery()
		documents, err := w.cluster.OIDCDocuments(w.t.Context())
		w.must(err)
		w.sources.Publisher = trust.NewPublisher(publishes{
			discovery: `{"issuer":"` + documents.Issuer + `/","jwks_uri":"` + documents.Issuer + `/keys"}`, keys: documents.JWKS,
		})
	},
	"no-mappings": func(w *world) { w.must(w.registry.DeleteMapping(w.mapping)) },
	"other-namespace": func(w *world) {
		w.filters(map[string]any{"/kubernetes.io/namespace": "another"})
	},
	"dotted-key": func(w *world) { w.filters(map[string]any{"kubernetes.io.namespace": w.namespace}) },
	"boolean-as-text": func(w *world) {
		// A ServiceAccount may be called true, and a filter may be written without the quotes.
		w.must(w.plane.As("admin").EnsureServiceAccount(w.t.Context(), w.namespace, "true", nil))
		w.request.ServiceAccount = "true"
		w.filters(map[string]any{"/kubernetes.io/serviceaccount/name": true})
	},
	"mapping-disabled": func(w *world) { w.updateMapping(func(m *emulator.Mapping) { m.IsEnabled = false }) },
	"earlier-mapping": func(w *world) {
		w.addMapping(emulator.Mapping{Name: "everyone", Priority: 1}, map[string]any{"/kubernetes.io/namespace": w.namespace})
	},
	"account-deactivated": func(w *world) { w.must(w.registry.SetAccountActive(w.mappingAccountID, false)) },
	"no-grant": func(w *world) {
		w.updateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = nil })
		w.must(w.registry.RemoveMember(w.group, w.mappingAccountID))
	},
	"group-without-read": func(w *world) {
		writers := w.registry.AddGroup("writers", "").ID
		w.registry.AddPermission(emulator.Permission{
			PrincipalType: "group", PrincipalID: writers, TargetType: "repository", TargetID: w.repository, Actions: []string{"write"},
		})
		w.updateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{writers} })
	},
	"outside-ceiling": func(w *world) {
		other := w.registry.AddRepository(emulator.Repository{Key: "other"}).ID
		w.updateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{other} })
	},
	"empty-ceiling":        func(w *world) { w.updateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{} }) },
	"registry-unreachable": func(w *world) { w.registry.Close() },
	"certificate-unknown":  func(w *world) { w.sources.Registry = w.client("") },
	"clock":                nil,
	"manifest-missing": func(w *world) {
		w.request.Manifest = true
		w.request.Image = host + "/" + key + "/app:2"
	},
}

// options are those of the registry, where a row needs other ones.
var options = map[string]emulator.Options{
	"clock": {Now: func() time.Time { return time.Now().Add(2 * time.Hour) }},
}

// follows lists the links that fall with others: without a link the ones after it cannot hold, or cannot be seen.
var follows = map[trust.Name][]trust.Name{
	trust.FileAudience: {trust.Exchange},
	trust.Issuer:       {trust.Exchange},
	trust.Provider:     {trust.Exchange},
	trust.Keys:         {trust.Exchange},
	trust.Mapping:      {trust.Exchange},
	trust.Account:      {trust.Exchange},
}

func (w *world) discovery() {
	w.updateProvider(func(p *emulator.Provider) { p.KeySource, p.StaticJWKS = "discovery", nil })
}

// Every row of the guide is a link that a check names when it is broken, and no other is named as broken.
func TestEveryFailure(t *testing.T) {
	for _, row := range failures.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			breakIt, known := breaks[row.Name]
			if !known {
				t.Fatal("nothing here breaks this row")
			}
			w := newWorld(t, options[row.Name])
			if breakIt != nil {
				breakIt(w)
			}
			result := w.check()
			link := result.Link(row.Link)
			if link.Status != trust.Broken || !strings.Contains(link.Detail, row.Detail) || !strings.Contains(link.Remedy, row.Remedy) {
				t.Errorf("%s: %+v\nwant it broken, with the detail %q and the remedy %q", row.Link, link, row.Detail, row.Remedy)
			}
			for _, name := range result.With(trust.Broken) {
				if name != row.Link && !slices.Contains(follows[row.Link], name) {
					t.Errorf("%s is named as broken too: %+v", name, result.Link(name))
				}
			}
			if result.Allowed() {
				t.Error("the pull counts as allowed")
			}
			if !strings.Contains(result.Summary(), row.Detail) {
				t.Errorf("the summary does not say %q: %s", row.Detail, result.Summary())
			}
			silent(t, w, result)
		})
	}
}

// silent checks that a result holds no credential.
func silent(t *testing.T, w *world, result trust.Result) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"eyJ", "ak_ci_", "ak_pull_", w.registry.Token(), w.plane.Token("admin")} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the result holds %q: %s", secret, text)
		}
	}
}
