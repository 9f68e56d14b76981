package trusttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
)

// Break breaks the link of a row of the guide, for real. A row that nothing breaks ends the test.
func (w *World) Break(row string) {
	w.t.Helper()
	breakIt, known := breaks[row]
	if !known {
		w.t.Fatalf("nothing here breaks the row %s", row)
	}
	breakIt(w)
}

// breaks says how, by the name of the row.
var breaks = map[string]func(*World){
	"wrong-plugin-version": func(w *World) {
		w.Entry(func(entry map[string]any) { entry["apiVersion"] = "credentialprovider.kubelet.k8s.io/v1beta1" })
	},
	"pattern-port":        func(w *World) { w.misses("ak.test:8443", "ak.test") },
	"pattern-labels":      func(w *World) { w.misses("ak.test", "*.ak.test") },
	"pattern-case":        func(w *World) { w.misses("ak.test", "AK.test") },
	"pattern-star":        func(w *World) { w.misses("ak.test", "ak.test/*") },
	"no-token-attributes": func(w *World) { w.Entry(func(entry map[string]any) { delete(entry, "tokenAttributes") }) },
	"audience-mismatch": func(w *World) {
		w.UpdateProvider(func(p *emulator.Provider) { p.Audience = "artifact-keeper" })
	},
	"audience-spelling": func(w *World) {
		w.Grant(w.Audience + "/")
		w.Entry(func(entry map[string]any) {
			entry["tokenAttributes"].(map[string]any)["serviceAccountTokenAudience"] = w.Audience + "/"
		})
	},

	"audience-not-granted": func(w *World) { w.Revoke(w.Audience) },
	"audience-granted-other": func(w *World) {
		w.Revoke(w.Audience)
		w.Grant(w.Audience + "-other")
	},
	"audience-granted-elsewhere": func(w *World) {
		w.Must(w.Plane.As(controlplane.Admin).EnsureNamespace(w.t.Context(), "elsewhere"))
		w.Revoke(w.Audience)
		w.Grant(w.Audience, "elsewhere")
	},
	"service-account-missing": func(w *World) { w.Request.ServiceAccount = Worker },
	"api-server-audience": func(w *World) {
		w.Grant(w.Plane.Issuer())
		w.Entry(func(entry map[string]any) {
			entry["tokenAttributes"].(map[string]any)["serviceAccountTokenAudience"] = w.Plane.Issuer()
		})
		w.UpdateProvider(func(p *emulator.Provider) { p.Audience = w.Plane.Issuer() })
	},

	"issuer-slash": func(w *World) { w.UpdateProvider(func(p *emulator.Provider) { p.IssuerURL += "/" }) },
	"two-providers": func(w *World) {
		second := w.Registry.State().Providers[0]
		second.Name = "again"
		_, err := w.Registry.AddProvider(second)
		w.Must(err)
	},
	"provider-disabled": func(w *World) { w.UpdateProvider(func(p *emulator.Provider) { p.IsEnabled = false }) },
	"all-providers-disabled": func(w *World) {
		w.UpdateProvider(func(p *emulator.Provider) { p.IsEnabled = false })
		second := w.Registry.State().Providers[0]
		second.Name, second.Audience = "second", w.Audience+"-second"
		_, err := w.Registry.AddProvider(second)
		w.Must(err)
	},
	"no-provider": func(w *World) { w.Must(w.Registry.DeleteProvider(w.Provider)) },
	"provider-id-unknown": func(w *World) {
		w.Entry(func(entry map[string]any) {
			entry["args"] = []string{"--url=" + w.Registry.URL(), "--provider-id=00000000-0000-0000-0000-000000000000"}
		})
	},
	"key-rotated":        func(w *World) { w.UpdateProvider(func(p *emulator.Provider) { p.StaticJWKS = StrangeKeys(w.t) }) },
	"issuer-unreachable": func(w *World) { w.Discovery() },
	"published-keys-stale": func(w *World) {
		w.Discovery()
		w.Issuer.Publish(w.Issuer.URL, string(StrangeKeys(w.t)))
	},
	"document-issuer": func(w *World) {
		w.Discovery()
		w.Publish(w.Issuer.URL + "/")
	},

	"no-mappings":     func(w *World) { w.Must(w.Registry.DeleteMapping(w.Mapping)) },
	"other-namespace": func(w *World) { w.Filters(map[string]any{"/kubernetes.io/namespace": "another"}) },
	"dotted-key":      func(w *World) { w.Filters(map[string]any{"kubernetes.io.namespace": w.Namespace}) },
	"boolean-as-text": func(w *World) {
		// A ServiceAccount may be called true, and a filter may be written without the quotes.
		w.Must(w.Plane.As(controlplane.Admin).EnsureServiceAccount(w.t.Context(), w.Namespace, "true", nil))
		w.Request.ServiceAccount = "true"
		w.Filters(map[string]any{"/kubernetes.io/serviceaccount/name": true})
	},
	"mapping-disabled": func(w *World) { w.UpdateMapping(func(m *emulator.Mapping) { m.IsEnabled = false }) },

	"earlier-mapping": func(w *World) {
		w.AddMapping(emulator.Mapping{Name: "everyone", Priority: 1}, map[string]any{"/kubernetes.io/namespace": w.Namespace})
	},
	"everybody-mapping": func(w *World) {
		w.AddMapping(emulator.Mapping{Name: "everybody", Priority: 1, GroupBindingIDs: []string{}}, map[string]any{})
	},
	"account-deactivated": func(w *World) { w.Must(w.Registry.SetAccountActive(w.MappingAccount, false)) },
	"no-grant": func(w *World) {
		w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = nil })
		w.Must(w.Registry.RemoveMember(w.Group, w.MappingAccount))
	},
	"group-without-read": func(w *World) {
		writers := w.Registry.AddGroup("writers", "").ID
		w.Registry.AddPermission(emulator.Permission{
			PrincipalType: "group", PrincipalID: writers, TargetType: "repository", TargetID: w.Repository, Actions: []string{"write"},
		})
		w.UpdateMapping(func(m *emulator.Mapping) { m.GroupBindingIDs = []string{writers} })
	},
	"outside-ceiling": func(w *World) {
		other := w.Registry.AddRepository(emulator.Repository{Key: "other"}).ID
		w.UpdateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{other} })
	},
	"empty-ceiling": func(w *World) { w.UpdateMapping(func(m *emulator.Mapping) { m.AllowedRepoIDs = []string{} }) },

	"registry-unreachable": func(w *World) { w.Registry.Close() },
	"certificate-unknown":  func(w *World) { w.CACertificate = "" },
	"clock":                func(w *World) { w.Later(2 * time.Hour) },
	"manifest-missing": func(w *World) {
		w.Request.Manifest = true
		w.Request.Image = w.Registry.Host() + "/" + Key + "/app:2"
	},
}

// misses has an image pulled from a host, and a file with a pattern.
func (w *World) misses(host, pattern string) {
	w.Request.Image = host + "/" + Key + "/app:1"
	w.Entry(func(entry map[string]any) { entry["matchImages"] = []string{pattern} })
}

// Discovery has the registry fetch the keys from the issuer.
func (w *World) Discovery() {
	w.t.Helper()
	w.UpdateProvider(func(p *emulator.Provider) { p.KeySource, p.StaticJWKS = "discovery", nil })
}

// Pin has the registry keep the keys of the cluster.
func (w *World) Pin() {
	w.t.Helper()
	documents, err := w.Admin.OIDCDocuments(w.t.Context())
	w.Must(err)
	w.UpdateProvider(func(p *emulator.Provider) { p.KeySource, p.StaticJWKS = "static", json.RawMessage(documents.JWKS) })
}

// Publish has the issuer publish the keys of the cluster as they are now, with a discovery document that names an
// issuer.
func (w *World) Publish(named string) {
	w.t.Helper()
	documents, err := w.Admin.OIDCDocuments(w.t.Context())
	w.Must(err)
	w.Issuer.Publish(named, documents.JWKS)
}

// StrangeKeys is a key set of another cluster.
func StrangeKeys(t testing.TB) json.RawMessage {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: private.Public(), KeyID: "another-clusters-key", Use: "sig", Algorithm: "ES256"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
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

// Expect holds the outcome of a check against the rows that were broken: their links are named with the words of the rows, no
// other link is but those that fall with them, and the summary says the same.
func Expect(t testing.TB, links []trust.Link, allowed bool, summary string, rows ...failures.Row) {
	t.Helper()
	result := trust.Result{Links: links}
	var expected []trust.Name
	for _, row := range rows {
		link := result.Link(row.Link)
		if link.Status != trust.Broken || !strings.Contains(link.Detail, row.Detail) || !strings.Contains(link.Remedy, row.Remedy) {
			t.Errorf("%s: %+v\nwant it broken, with the detail %q and the remedy %q", row.Link, link, row.Detail, row.Remedy)
		}
		if !strings.Contains(summary, row.Detail) {
			t.Errorf("the summary does not say %q: %s", row.Detail, summary)
		}
		expected = append(append(expected, row.Link), follows[row.Link]...)
	}
	for _, name := range result.With(trust.Broken) {
		if !slices.Contains(expected, name) {
			t.Errorf("%s is named as broken too: %+v", name, result.Link(name))
		}
	}
	if allowed {
		t.Error("the pull counts as allowed")
	}
}
