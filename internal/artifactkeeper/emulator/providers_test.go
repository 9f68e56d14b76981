package emulator_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func upper(id any) string { return strings.ToUpper(id.(string)) }

// settled is an object without what the server makes: the rest can be
// compared whole.
func settled(in map[string]any) map[string]any {
	out := map[string]any{}
	for member, value := range in {
		switch member {
		case "id", "created_at", "updated_at", "provider_id", "service_account_id", "service_account_username":
		default:
			out[member] = value
		}
	}
	return out
}

// expect adds to a provider the members that only newer releases return.
func (x *target) expect(provider map[string]any) map[string]any {
	if x.has111() {
		if _, ok := provider["key_source"]; !ok {
			provider["key_source"], provider["static_jwks"] = "discovery", nil
		}
	}
	return provider
}

func same(t *testing.T, got, want map[string]any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var providerRows = []row{
	{name: "a provider gets defaults", run: func(x *target) {
		t := x.t
		issuer := "https://" + x.prefix + "issuer.example.test"
		out := x.provider(t, object{"name": x.prefix + "p", "issuer_url": issuer})
		same(t, settled(out), x.expect(object{
			"name": x.prefix + "p", "provider_type": "generic", "issuer_url": issuer, "audience": "artifact-keeper",
			"is_enabled": true, "mapping_count": 0.0,
		}))
		for _, member := range []string{"created_at", "updated_at"} {
			if _, err := time.Parse(time.RFC3339, out[member].(string)); err != nil {
				t.Errorf("%s: %v", member, err)
			}
		}
	}},
	{name: "a provider reads as it was created", run: func(x *target) {
		t := x.t
		created := x.provider(t, object{
			"provider_type": "kubernetes", "audience": "https://" + x.prefix + "aud", "is_enabled": false,
			"issuer_url": "https://issuer.example.test/with/slash/",
		})
		same(t, settled(created), x.expect(object{
			"name": x.prefix + "provider", "provider_type": "kubernetes", "issuer_url": "https://issuer.example.test/with/slash/",
			"audience": "https://" + x.prefix + "aud", "is_enabled": false, "mapping_count": 0.0,
		}))
		same(t, x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t), created)
	}},
	{name: "members that the API does not know are ignored", run: func(x *target) {
		t := x.t
		out := x.provider(t, object{"no_such_member": object{"deep": true}})
		if _, ok := out["no_such_member"]; ok {
			t.Error("an unknown member is returned")
		}
	}},
	{name: "null is the same as left out", run: func(x *target) {
		t := x.t
		created := x.provider(t, object{"provider_type": nil, "audience": nil, "is_enabled": nil})
		if created["provider_type"] != "generic" || created["audience"] != "artifact-keeper" || created["is_enabled"] != true {
			t.Errorf("null on create is no default: %v", created)
		}
		updated := x.admin(t, "PUT", path(created), object{
			"name": nil, "provider_type": nil, "issuer_url": nil, "audience": nil, "is_enabled": nil,
		}).want(t, http.StatusOK).object(t)
		same(t, settled(updated), settled(created))
	}},
	{name: "an update keeps what it leaves out", run: func(x *target) {
		t := x.t
		created := x.provider(t, object{"provider_type": "github", "audience": "a"})
		want := settled(created)
		for _, step := range []object{
			{"name": x.prefix + "renamed"}, {"audience": "b"}, {"provider_type": "gitlab"},
			{"issuer_url": "https://other.example.test"}, {"is_enabled": false},
		} {
			maps.Copy(want, step)
			same(t, settled(x.admin(t, "PUT", path(created), step).want(t, http.StatusOK).object(t)), want)
		}
		same(t, settled(x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t)), want)
	}},
	{name: "a toggle changes nothing but is_enabled", run: func(x *target) {
		t := x.t
		created := x.provider(t, nil)
		want := settled(created)
		for _, enabled := range []bool{false, true} {
			want["is_enabled"] = enabled
			same(t, settled(x.admin(t, "PATCH", path(created)+"/toggle", object{"enabled": enabled}).
				want(t, http.StatusOK).object(t)), want)
		}
		x.admin(t, "PATCH", path(created)+"/toggle", object{}).wantPlain(t, http.StatusUnprocessableEntity)
	}},
	{name: "a deletion answers 200 without a body", run: func(x *target) {
		t := x.t
		created := x.provider(t, nil)
		x.admin(t, "DELETE", path(created)).wantEmpty(t, http.StatusOK)
		x.admin(t, "GET", path(created)).wantError(t, http.StatusNotFound, "NOT_FOUND")
		x.admin(t, "DELETE", path(created)).wantError(t, http.StatusNotFound, "NOT_FOUND")
	}},
	{name: "name and issuer are not unique, and the list is by age", run: func(x *target) {
		t := x.t
		var ids []any
		for range 3 {
			ids = append(ids, x.provider(t, nil)["id"])
		}
		var listed []any
		for _, p := range x.admin(t, "GET", providersPath).want(t, http.StatusOK).list(t) {
			if p["name"] == x.prefix+"provider" {
				listed = append(listed, p["id"])
			}
		}
		if diff := cmp.Diff(ids, listed); diff != "" {
			t.Errorf("(-created +listed):\n%s", diff)
		}
	}},
	{name: "an issuer without TLS is saved", run: func(x *target) {
		t := x.t
		if out := x.provider(t, object{"issuer_url": "http://issuer.example.test"}); out["issuer_url"] != "http://issuer.example.test" {
			t.Errorf("issuer_url %v", out["issuer_url"])
		}
	}},
	{
		name: "any provider type is kept as written", profiles: before111,
		run: func(x *target) {
			t := x.t
			for _, kind := range []string{"k8s", "Kubernetes", ""} {
				if out := x.provider(t, object{"provider_type": kind}); out["provider_type"] != kind {
					t.Errorf("provider_type %v, want %q", out["provider_type"], kind)
				}
			}
		},
	},
	{
		name: "a provider type is one of four, whatever its case", profiles: since111,
		run: func(x *target) {
			t := x.t
			out := x.provider(t, object{"provider_type": " KuberNetes "})
			if out["provider_type"] != "kubernetes" {
				t.Errorf("provider_type %v, want kubernetes", out["provider_type"])
			}
			for _, kind := range []string{"k8s", "", "kubernetes2"} {
				x.admin(t, "PUT", path(out), object{"provider_type": kind}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "provider_type", "kubernetes, generic")
				x.admin(t, "POST", providersPath, object{
					"name": x.prefix + "p", "issuer_url": "https://i.example.test", "provider_type": kind,
				}).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", "provider_type")
			}
			same(t, x.admin(t, "GET", path(out)).want(t, http.StatusOK).object(t), out)
		},
	},
	{
		name: "the API server's audience is refused", profiles: []emulator.Profile{emulator.Profile111},
		run: func(x *target) {
			t := x.t
			created := x.provider(t, nil)
			for _, audience := range []string{"https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local"} {
				x.admin(t, "PUT", path(created), object{"audience": audience, "name": "changed"}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", audience)
				x.admin(t, "POST", providersPath, object{"name": "p", "issuer_url": "https://i.example.test", "audience": audience}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", audience)
			}
			same(t, x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t), created)
		},
	},
	{
		name: "the API server's audience is accepted", profiles: []emulator.Profile{emulator.Profile18, emulator.Profile110, emulator.ProfileNext},
		run: func(x *target) {
			t := x.t
			if out := x.provider(t, object{"audience": "https://kubernetes.default.svc"}); out["audience"] != "https://kubernetes.default.svc" {
				t.Errorf("audience %v", out["audience"])
			}
		},
	},
	{name: "a provider takes its mappings along", run: func(x *target) {
		t := x.t
		created := x.provider(t, nil)
		mapping := x.mapping(t, created, nil)
		x.mapping(t, created, nil)
		if out := x.admin(t, "GET", path(created)).want(t, http.StatusOK).object(t); out["mapping_count"] != 2.0 {
			t.Errorf("mapping_count %v, want 2", out["mapping_count"])
		}
		x.admin(t, "DELETE", path(created)).wantEmpty(t, http.StatusOK)
		x.admin(t, "GET", mappingPath(mapping)).wantError(t, http.StatusNotFound, "NOT_FOUND")
		x.admin(t, "GET", mappingsOf(created)).wantError(t, http.StatusNotFound, "NOT_FOUND")
		if x.has111() {
			account := x.admin(t, "GET", "/api/v1/users/"+mapping["service_account_id"].(string)).want(t, http.StatusOK).object(t)
			if account["is_active"] != false {
				t.Error("the account of a deleted mapping is active")
			}
		}
	}},
}

// TestNameTooLong is the failure of a column that is too narrow, which the
// registry does not explain.
func TestNameTooLong(t *testing.T) {
	t.Parallel()
	for _, profile := range emulator.Profiles() {
		x := startTarget(t, emulator.Options{Profile: profile})
		p := x.provider(t, object{"name": strings.Repeat("ä", 255)})
		m := x.mapping(t, p, object{"name": strings.Repeat("ä", 255)})
		long := object{"name": strings.Repeat("ä", 256)}
		x.admin(t, "PUT", path(p), long).wantError(t, http.StatusInternalServerError, "DATABASE_ERROR")
		x.admin(t, "PUT", mappingPath(m), long).wantError(t, http.StatusInternalServerError, "DATABASE_ERROR")
		same(t, x.admin(t, "GET", mappingPath(m)).object(t), m)
	}
}
