package emulator_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var directoryRows = []row{
	{name: "groups are found by a part of name or description", run: func(x *target) {
		t := x.t
		created := x.admin(t, "POST", "/api/v1/groups", object{"name": x.prefix + "Pullers", "description": x.prefix + "who pull"}).
			want(t, http.StatusOK).object(t)
		x.cleanup(t, "/api/v1/groups/"+created["id"].(string))
		x.group(t, "others")
		if created["name"] != x.prefix+"Pullers" || created["member_count"] != 0.0 || created["external_source"] != nil {
			t.Errorf("created %v", created)
		}
		for search, want := range map[string]int{"Pull": 1, "pullERS": 1, "who": 1, "": 2, "nothing": 0} {
			out := x.admin(t, "GET", "/api/v1/groups?per_page=100&search="+url.QueryEscape(x.prefix+search)).want(t, http.StatusOK)
			if items := out.items(t); len(items) != want {
				t.Errorf("search %q found %d groups, want %d", search, len(items), want)
			}
		}
		x.admin(t, "POST", "/api/v1/groups", object{"name": x.prefix + "Pullers"}).wantError(t, http.StatusConflict, "CONFLICT")
		x.admin(t, "POST", "/api/v1/groups", object{"description": "d"}).wantPlain(t, http.StatusUnprocessableEntity)
	}},
	{name: "a list has pages", run: func(x *target) {
		t := x.t
		for n := range 5 {
			x.group(t, fmt.Sprint("page-", n))
		}
		at := "/api/v1/groups?search=" + url.QueryEscape(x.prefix+"page-")
		var names []any
		for n := 1; n <= 3; n++ {
			out := x.admin(t, "GET", fmt.Sprintf("%s&per_page=2&page=%d", at, n)).want(t, http.StatusOK)
			want := map[string]any{"page": float64(n), "per_page": 2.0, "total": 5.0, "total_pages": 3.0}
			if diff := cmp.Diff(any(want), out.object(t)["pagination"]); diff != "" {
				t.Errorf("page %d (-want +got):\n%s", n, diff)
			}
			for _, item := range out.items(t) {
				names = append(names, item["name"])
			}
		}
		if len(names) != 5 || names[0] != x.prefix+"page-0" || names[4] != x.prefix+"page-4" {
			t.Errorf("names %v", names)
		}
		beyond := x.admin(t, "GET", at+"&per_page=2&page=9").want(t, http.StatusOK).object(t)
		if !cmp.Equal(beyond["items"], any([]any{})) {
			t.Errorf("items beyond the end: %v, want []", beyond["items"])
		}
		capped := x.admin(t, "GET", at+"&per_page=1000").want(t, http.StatusOK).object(t)["pagination"].(map[string]any)
		if capped["per_page"] != 100.0 {
			t.Errorf("per_page %v, want 100 at most", capped["per_page"])
		}
		x.admin(t, "GET", at+"&page=x").wantPlain(t, http.StatusBadRequest)
	}},
	{name: "a group shows its members", run: func(x *target) {
		t := x.t
		g := x.group(t, "members")
		at := "/api/v1/groups/" + g["id"].(string)
		self := x.admin(t, "GET", "/api/v1/users?per_page=1").want(t, http.StatusOK).items(t)[0]
		users := object{"user_ids": []any{self["id"]}}
		x.admin(t, "POST", at+"/members", users).wantEmpty(t, http.StatusOK)
		x.admin(t, "POST", at+"/members", users).want(t, http.StatusOK) // again changes nothing
		out := x.admin(t, "GET", at+"?member_limit=10&member_offset=0").want(t, http.StatusOK).object(t)
		members := out["members"].([]any)
		if out["members_total"] != 1.0 || len(members) != 1 || members[0].(map[string]any)["username"] != self["username"] {
			t.Errorf("members %v", out)
		}
		if out := x.admin(t, "GET", at+"?member_offset=1").object(t); len(out["members"].([]any)) != 0 || out["members_total"] != 1.0 {
			t.Errorf("members after the first: %v", out)
		}
		x.admin(t, "DELETE", at+"/members", users).wantEmpty(t, http.StatusOK)
		x.admin(t, "POST", at+"/members", object{}).wantPlain(t, http.StatusUnprocessableEntity)
		x.admin(t, "DELETE", at).wantEmpty(t, http.StatusOK)
		x.admin(t, "DELETE", at).wantError(t, http.StatusNotFound, "NOT_FOUND")
	}},
	{name: "repositories are found by key", run: func(x *target) {
		t := x.t
		created := x.repository(t, "docker", false)
		for member, want := range map[string]any{
			"key": x.prefix + "docker", "format": "docker", "repo_type": "local", "is_public": false,
		} {
			if created[member] != want {
				t.Errorf("%s %v, want %v", member, created[member], want)
			}
		}
		if out := x.admin(t, "GET", "/api/v1/repositories/"+x.prefix+"docker").want(t, http.StatusOK).object(t); out["id"] != created["id"] {
			t.Errorf("id %v, want %v", out["id"], created["id"])
		}
		out := x.admin(t, "GET", "/api/v1/repositories?q="+url.QueryEscape(x.prefix)).want(t, http.StatusOK)
		if items := out.items(t); len(items) != 1 || items[0]["id"] != created["id"] {
			t.Errorf("items %v", items)
		}
		x.guest(t, "GET", "/api/v1/repositories/"+x.prefix+"docker").want(t, http.StatusNotFound)
	}},
	{name: "a public repository is there for everybody", run: func(x *target) {
		t := x.t
		x.repository(t, "public", true)
		x.guest(t, "GET", "/api/v1/repositories/"+x.prefix+"public").want(t, http.StatusOK)
	}},
	{name: "a permission names both ends", run: func(x *target) {
		t := x.t
		g, r := x.group(t, "pullers"), x.repository(t, "docker", false)
		in := object{
			"principal_type": "group", "principal_id": g["id"], "target_type": "repository", "target_id": r["id"],
			"actions": []any{"read"},
		}
		created := x.admin(t, "POST", "/api/v1/permissions", in).want(t, http.StatusOK).object(t)
		x.cleanup(t, "/api/v1/permissions/"+created["id"].(string))
		want := with(in, object{"principal_name": g["name"], "target_name": r["name"]})
		same(t, settled(created), want)

		for query, count := range map[string]int{
			"principal_type=group&principal_id=" + g["id"].(string):        1,
			"target_type=repository&target_id=" + r["id"].(string):         1,
			"principal_id=" + g["id"].(string) + "&target_id=" + noSuchID:  0,
			"principal_type=user&principal_id=" + g["id"].(string):         0,
			"target_type=project&target_id=" + r["id"].(string) + "&page=": -1,
		} {
			out := x.admin(t, "GET", "/api/v1/permissions?"+query)
			if count < 0 {
				out.wantPlain(t, http.StatusBadRequest)
				continue
			}
			items := out.want(t, http.StatusOK).items(t)
			if len(items) != count {
				t.Errorf("%s found %d permissions, want %d", query, len(items), count)
			}
			if count == 1 {
				same(t, items[0], created)
			}
		}
		x.admin(t, "POST", "/api/v1/permissions", in).wantError(t, http.StatusConflict, "CONFLICT")
		for _, bad := range []object{{"principal_type": "robot"}, {"principal_id": noSuchID}, {"principal_id": "x"}, {"actions": nil}} {
			x.admin(t, "POST", "/api/v1/permissions", with(in, bad)).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR")
		}
		x.guest(t, "GET", "/api/v1/permissions").want(t, http.StatusUnauthorized)
	}},
	{name: "a directory is not for guests", run: func(x *target) {
		t := x.t
		for _, route := range []string{"/api/v1/groups", "/api/v1/groups/" + noSuchID, "/api/v1/users", "/api/v1/service-accounts"} {
			t.Run(route, func(t *testing.T) { x.guest(t, "GET", route).want(t, http.StatusUnauthorized) })
		}
		x.as(t, "no-such-token", "GET", "/api/v1/repositories").want(t, http.StatusUnauthorized)
		x.guest(t, "GET", "/api/v1/repositories").want(t, http.StatusOK)
	}},
	{name: "the account of a mapping is a user", profiles: since111, run: func(x *target) {
		t := x.t
		m := x.mapping(t, x.provider(t, nil), nil)
		at := "/api/v1/users/" + m["service_account_id"].(string)
		listed := func(query string) int {
			items := x.admin(t, "GET", "/api/v1/users?search="+m["service_account_username"].(string)+query).want(t, http.StatusOK).items(t)
			return len(items)
		}
		if got := listed(""); got != 1 {
			t.Errorf("found %d users, want 1", got)
		}
		out := x.admin(t, "PATCH", at, object{"is_active": false, "display_name": x.prefix}).want(t, http.StatusOK).object(t)
		if out["is_active"] != false || out["display_name"] != x.prefix || out["auth_provider"] != "ci" || out["is_admin"] != false {
			t.Errorf("user %v", out)
		}
		if active, inactive := listed("&is_active=true"), listed("&is_active=false"); active != 0 || inactive != 1 {
			t.Errorf("found %d active and %d inactive users, want 0 and 1", active, inactive)
		}
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			x.admin(t, method, "/api/v1/users/"+noSuchID, object{}).wantError(t, http.StatusNotFound, "NOT_FOUND")
		}
	}},
}
