package emulator_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

var ignoreUnexported = cmpopts.IgnoreUnexported(emulator.Account{})

var transportRows = []row{
	{name: "health needs no token", run: func(x *target) {
		t := x.t
		out := x.guest(t, "GET", "/health").want(t, http.StatusOK).object(t)
		if out["status"] != "healthy" {
			t.Errorf("status %v, want healthy", out["status"])
		}
		if version, _ := out["version"].(string); version == "" {
			t.Error("no version")
		}
	}},
	{name: "a route that does not exist is 404 without a body", run: func(x *target) {
		t := x.t
		for _, route := range []string{"/api/v1/no-such-thing", providersPath + "/", "/api/v1/groups/", "/api/v1//groups"} {
			t.Run(route, func(t *testing.T) { x.admin(t, "GET", route).wantEmpty(t, http.StatusNotFound) })
		}
	}},
	{name: "a method that a route lacks is 405 without a body", run: func(x *target) {
		t := x.t
		out := x.admin(t, "PATCH", providersPath)
		out.wantEmpty(t, http.StatusMethodNotAllowed)
		if out.header.Get("Allow") == "" {
			t.Error("no Allow header")
		}
	}},
	{name: "admin routes want a valid token", run: func(x *target) {
		t := x.t
		for _, route := range []string{providersPath, providersPath + "/" + noSuchID, providersPath + "/" + noSuchID + "/mappings"} {
			t.Run(route, func(t *testing.T) {
				x.guest(t, "GET", route).want(t, http.StatusUnauthorized)
				x.as(t, "no-such-token", "GET", route).want(t, http.StatusUnauthorized)
				x.ask(t, question{method: "GET", path: route, authorization: "Digest x"}).want(t, http.StatusUnauthorized)
			})
		}
	}},
	{name: "a stranger's request is not looked at", run: func(x *target) {
		t := x.t
		// Otherwise the complaint would be about the id, or the body.
		x.guest(t, "GET", providersPath+"/not-a-uuid").want(t, http.StatusUnauthorized)
		x.guest(t, "POST", providersPath).want(t, http.StatusUnauthorized)
	}},
	{name: "a body that does not deserialise is refused in plain text", run: func(x *target) {
		t := x.t
		good := `"name": "n", "issuer_url": "https://i.example.test"`
		for name, c := range map[string]struct {
			body   string
			status int
		}{
			"no JSON":            {`{"name": `, http.StatusBadRequest},
			"text after":         {`{` + good + `} more`, http.StatusBadRequest},
			"a list":             {`["x"]`, http.StatusUnprocessableEntity},
			"null":               {`null`, http.StatusUnprocessableEntity},
			"missing member":     {`{"name": "n"}`, http.StatusUnprocessableEntity},
			"null for required":  {`{"name": null, "issuer_url": "https://i.example.test"}`, http.StatusUnprocessableEntity},
			"number for text":    {`{` + good + `, "audience": 1}`, http.StatusUnprocessableEntity},
			"text for a boolean": {`{` + good + `, "is_enabled": "true"}`, http.StatusUnprocessableEntity},
		} {
			t.Run(name, func(t *testing.T) { x.admin(t, "POST", providersPath, c.body).wantPlain(t, c.status) })
		}
	}},
	{name: "a body without a JSON content type is 415", run: func(x *target) {
		t := x.t
		x.ask(t, question{
			method: "POST", path: providersPath, authorization: "Bearer " + x.token, body: `{}`, contentType: "text/plain",
		}).wantPlain(t, http.StatusUnsupportedMediaType)
	}},
	{name: "an id that is no UUID is refused in plain text", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		for _, q := range []question{
			{method: "GET", path: providersPath + "/x"}, {method: "PUT", path: providersPath + "/x", body: `{}`},
			{method: "DELETE", path: providersPath + "/x"}, {method: "PATCH", path: providersPath + "/x/toggle", body: `{}`},
			{method: "GET", path: providersPath + "/x/mappings"}, {method: "POST", path: providersPath + "/x/mappings", body: `{}`},
			{method: "GET", path: mappingsOf(p) + "/x"}, {method: "PUT", path: mappingsOf(p) + "/x", body: `{}`},
			{method: "DELETE", path: mappingsOf(p) + "/x"}, {method: "PATCH", path: mappingsOf(p) + "/x/toggle", body: `{}`},
		} {
			t.Run(q.method+" "+q.path, func(t *testing.T) {
				q.authorization, q.contentType = "Bearer "+x.token, "application/json"
				x.ask(t, q).wantPlain(t, http.StatusBadRequest)
			})
		}
	}},
	{name: "an object that does not exist is NOT_FOUND", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		for _, c := range []struct {
			method, path string
			body         []any
		}{
			{"GET", providersPath + "/" + noSuchID, nil},
			{"PUT", providersPath + "/" + noSuchID, []any{object{}}},
			{"DELETE", providersPath + "/" + noSuchID, nil},
			{"PATCH", providersPath + "/" + noSuchID + "/toggle", []any{object{"enabled": true}}},
			{"GET", providersPath + "/" + noSuchID + "/mappings", nil},
			{"POST", providersPath + "/" + noSuchID + "/mappings", []any{object{"name": "n", "claim_filters": object{}}}},
			{"GET", mappingsOf(p) + "/" + noSuchID, nil},
			{"PUT", mappingsOf(p) + "/" + noSuchID, []any{object{}}},
			{"DELETE", mappingsOf(p) + "/" + noSuchID, nil},
			{"PATCH", mappingsOf(p) + "/" + noSuchID + "/toggle", []any{object{"enabled": true}}},
			{"GET", "/api/v1/groups/" + noSuchID, nil},
			{"GET", "/api/v1/repositories/" + x.prefix + "none", nil},
		} {
			t.Run(c.method+" "+c.path, func(t *testing.T) {
				x.admin(t, c.method, c.path, c.body...).wantError(t, http.StatusNotFound, "NOT_FOUND", "not found")
			})
		}
	}},
	{name: "an id is found in any spelling of a UUID", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		out := x.admin(t, "GET", providersPath+"/"+upper(p["id"])).want(t, http.StatusOK).object(t)
		if out["id"] != p["id"] {
			t.Errorf("id %v, want %v", out["id"], p["id"])
		}
	}},
}
