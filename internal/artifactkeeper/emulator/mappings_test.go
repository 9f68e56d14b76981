package emulator_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// expectMapping adds to a mapping the members that only newer releases return.
func (x *target) expectMapping(mapping map[string]any) map[string]any {
	if _, ok := mapping["group_binding_ids"]; !ok && x.has111() {
		mapping["group_binding_ids"] = nil
	}
	return mapping
}

var mappingRows = []row{
	{name: "a mapping gets defaults", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		out := x.mapping(t, p, object{"name": x.prefix + "m", "claim_filters": object{}})
		same(t, settled(out), x.expectMapping(object{
			"name": x.prefix + "m", "priority": 100.0, "claim_filters": object{}, "allowed_repo_ids": nil, "is_enabled": true,
		}))
		if out["provider_id"] != p["id"] {
			t.Errorf("provider_id %v, want %v", out["provider_id"], p["id"])
		}
		same(t, x.admin(t, "GET", mappingPath(out)).want(t, http.StatusOK).object(t), out)
	}},
	{name: "claim filters come back by meaning", run: func(x *target) {
		t := x.t
		filters := object{
			"text": "a<b>&c", "number": 1.5, "whole": 42.0, "yes": true, "nothing": nil, "any of": []any{"x", 1.0, false, nil},
			"dotted.name": "d", "object": object{"b": 1.0, "a": []any{}},
		}
		m := x.mapping(t, x.provider(t, nil), object{"claim_filters": filters})
		same(t, m["claim_filters"].(map[string]any), filters)
		same(t, x.admin(t, "GET", mappingPath(m)).object(t), m)
	}},
	{name: "a mapping needs a name and filters", run: func(x *target) {
		t := x.t
		at := mappingsOf(x.provider(t, nil))
		for _, body := range []object{
			{"name": "n"}, {"claim_filters": object{}}, {"name": nil, "claim_filters": object{}},
			{"name": "n", "claim_filters": object{}, "priority": "1"}, {"name": "n", "claim_filters": object{}, "priority": 1.5},
			{"name": "n", "claim_filters": object{}, "priority": 2147483648}, {"name": "n", "claim_filters": object{}, "priority": -2147483649},
			{"name": "n", "claim_filters": object{}, "allowed_repo_ids": []any{"not-a-uuid"}},
			{"name": "n", "claim_filters": object{}, "allowed_repo_ids": "x"},
		} {
			x.admin(t, "POST", at, body).wantPlain(t, http.StatusUnprocessableEntity)
		}
		if list := x.admin(t, "GET", at).want(t, http.StatusOK).list(t); len(list) != 0 {
			t.Errorf("refused requests made %d mappings", len(list))
		}
	}},
	{name: "filters that are no object are saved", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		for _, filters := range []any{"text", []any{"a"}, nil} {
			if m := x.mapping(t, p, object{"claim_filters": filters}); !cmp.Equal(m["claim_filters"], filters) {
				t.Errorf("claim_filters %v, want %v", m["claim_filters"], filters)
			}
		}
	}},
	{name: "an update keeps what it leaves out", run: func(x *target) {
		t := x.t
		m := x.mapping(t, x.provider(t, nil), object{"allowed_repo_ids": []any{noSuchID}})
		want := settled(m)
		for _, step := range []object{
			{"name": x.prefix + "renamed"}, {"priority": -5.0}, {"claim_filters": object{"a": "b"}}, {"is_enabled": false},
			{"allowed_repo_ids": []any{}},
		} {
			maps.Copy(want, step)
			same(t, settled(x.admin(t, "PUT", mappingPath(m), step).want(t, http.StatusOK).object(t)), want)
		}
		out := x.admin(t, "PUT", mappingPath(m), object{"name": nil, "priority": nil, "claim_filters": nil, "is_enabled": nil}).
			want(t, http.StatusOK).object(t)
		same(t, settled(out), want)
		for member := range m {
			if strings.HasPrefix(member, "service_account") && out[member] != m[member] {
				t.Errorf("%s changed from %v to %v", member, m[member], out[member])
			}
		}
	}},
	{name: "allowed_repo_ids has three states", run: func(x *target) {
		t := x.t
		m := x.mapping(t, x.provider(t, nil), object{"allowed_repo_ids": []any{}})
		if !cmp.Equal(m["allowed_repo_ids"], any([]any{})) {
			t.Errorf("[] on create became %v", m["allowed_repo_ids"])
		}
		cleared := any([]any{noSuchID}) // an old registry keeps the list
		if x.has111() {
			cleared = nil
		}
		for _, step := range []struct {
			send object
			want any
		}{
			{object{"allowed_repo_ids": []any{noSuchID}}, []any{noSuchID}},
			{object{}, []any{noSuchID}},
			{object{"allowed_repo_ids": nil}, cleared},
			{object{"allowed_repo_ids": []any{}}, []any{}},
			{object{"allowed_repo_ids": []any{upper(noSuchID[:35] + "a")}}, []any{noSuchID[:35] + "a"}},
		} {
			out := x.admin(t, "PUT", mappingPath(m), step.send).want(t, http.StatusOK).object(t)
			if diff := cmp.Diff(step.want, out["allowed_repo_ids"]); diff != "" {
				t.Errorf("after %v (-want +got):\n%s", step.send, diff)
			}
		}
	}},
	{
		name: "group_binding_ids has three states", profiles: since111,
		run: func(x *target) {
			t := x.t
			one, two := x.group(t, "one"), x.group(t, "two")
			p := x.provider(t, nil)
			m := x.mapping(t, p, object{"group_binding_ids": []any{one["id"]}})
			count := func(group map[string]any) any {
				return x.admin(t, "GET", "/api/v1/groups/"+group["id"].(string)).want(t, http.StatusOK).object(t)["member_count"]
			}
			if count(one) != 1.0 || count(two) != 0.0 {
				t.Errorf("members %v and %v after the create, want 1 and 0", count(one), count(two))
			}
			for _, step := range []struct {
				send         object
				want         any
				inOne, inTwo any
			}{
				{send: object{"group_binding_ids": []any{one["id"], two["id"]}}, want: []any{one["id"], two["id"]}, inOne: 1.0, inTwo: 1.0},
				{send: object{}, want: []any{one["id"], two["id"]}, inOne: 1.0, inTwo: 1.0},
				{send: object{"group_binding_ids": []any{two["id"]}}, want: []any{two["id"]}, inOne: 0.0, inTwo: 1.0},
				{send: object{"group_binding_ids": nil}, want: nil, inOne: 0.0, inTwo: 1.0}, // says nothing, so the membership stays
				{send: object{"group_binding_ids": []any{}}, want: []any{}, inOne: 0.0, inTwo: 0.0},
			} {
				out := x.admin(t, "PUT", mappingPath(m), step.send).want(t, http.StatusOK).object(t)
				if diff := cmp.Diff(step.want, out["group_binding_ids"]); diff != "" {
					t.Errorf("after %v (-want +got):\n%s", step.send, diff)
				}
				if count(one) != step.inOne || count(two) != step.inTwo {
					t.Errorf("after %v members %v and %v, want %v and %v", step.send, count(one), count(two), step.inOne, step.inTwo)
				}
			}
		},
	},
	{
		name: "a group that does not exist is refused by name", profiles: since111,
		run: func(x *target) {
			t := x.t
			p := x.provider(t, nil)
			m := x.mapping(t, p, nil)
			bad := object{"name": "n", "claim_filters": object{}, "group_binding_ids": []any{x.group(t, "g")["id"], noSuchID}}
			x.admin(t, "POST", mappingsOf(p), bad).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", noSuchID)
			x.admin(t, "PUT", mappingPath(m), bad).wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", noSuchID)
			if list := x.admin(t, "GET", mappingsOf(p)).list(t); len(list) != 1 || !cmp.Equal(list[0], m) {
				t.Errorf("a refused request changed the mappings to %v", list)
			}
		},
	},
	{
		name: "an old registry ignores group_binding_ids and shows no account", profiles: before111,
		run: func(x *target) {
			t := x.t
			out := x.mapping(t, x.provider(t, nil), object{"group_binding_ids": []any{"not even a UUID"}})
			for _, member := range []string{"group_binding_ids", "service_account_id", "service_account_username"} {
				if _, ok := out[member]; ok {
					t.Errorf("%s is returned", member)
				}
			}
		},
	},
	{
		name: "an account is made with its mapping", profiles: since111,
		run: func(x *target) {
			t := x.t
			p := x.provider(t, nil)
			m := x.mapping(t, p, nil)
			want := "ci-" + strings.ReplaceAll(m["id"].(string), "-", "")[:12]
			if m["service_account_username"] != want {
				t.Errorf("service_account_username %v, want %s", m["service_account_username"], want)
			}
			account := "/api/v1/users/" + m["service_account_id"].(string)
			if out := x.admin(t, "GET", account).want(t, http.StatusOK).object(t); out["is_active"] != true || out["username"] != want {
				t.Errorf("the account is %v", out)
			}
			x.admin(t, "DELETE", mappingPath(m)).wantEmpty(t, http.StatusOK)
			if out := x.admin(t, "GET", account).want(t, http.StatusOK).object(t); out["is_active"] != false {
				t.Error("the account of a deleted mapping is active")
			}
			if again := x.mapping(t, p, nil); again["service_account_id"] == m["service_account_id"] {
				t.Error("a recreated mapping has the old account")
			}
		},
	},
	{
		name: "a pointer with a bad escape is refused", profiles: since111,
		run: func(x *target) {
			t := x.t
			p := x.provider(t, nil)
			m := x.mapping(t, p, object{"claim_filters": object{"/kubernetes.io/namespace": "n", "/a~0b~1c": "d", "a~b": "e", "/": "f"}})
			for _, bad := range []string{"/a~", "/a~2b", "/~~0"} {
				x.admin(t, "PUT", mappingPath(m), object{"claim_filters": object{bad: "x"}}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", bad)
				x.admin(t, "POST", mappingsOf(p), object{"name": "n", "claim_filters": object{bad: "x"}}).
					wantError(t, http.StatusBadRequest, "VALIDATION_ERROR", bad)
			}
			same(t, x.admin(t, "GET", mappingPath(m)).object(t), m)
		},
	},
	{
		name: "any filter key is saved", profiles: before111,
		run: func(x *target) {
			t := x.t
			x.mapping(t, x.provider(t, nil), object{"claim_filters": object{"/a~2": "x"}})
		},
	},
	{name: "a toggle changes nothing but is_enabled", run: func(x *target) {
		t := x.t
		m := x.mapping(t, x.provider(t, nil), nil)
		want := settled(m)
		for _, enabled := range []bool{false, true} {
			want["is_enabled"] = enabled
			same(t, settled(x.admin(t, "PATCH", mappingPath(m)+"/toggle", object{"enabled": enabled}).want(t, http.StatusOK).object(t)), want)
		}
	}},
	{name: "mappings are listed by priority, then by age", run: func(x *target) {
		t := x.t
		p := x.provider(t, nil)
		for _, m := range []struct {
			name     string
			priority int
		}{{"d", 100}, {"a", -1}, {"e", 100}, {"b", 5}, {"c", 5}} {
			x.mapping(t, p, object{"name": m.name, "priority": m.priority})
		}
		var names []any
		for _, m := range x.admin(t, "GET", mappingsOf(p)).want(t, http.StatusOK).list(t) {
			names = append(names, m["name"])
		}
		if diff := cmp.Diff([]any{"a", "b", "c", "d", "e"}, names); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}},
	{name: "a mapping is found under its own provider only", run: func(x *target) {
		t := x.t
		m := x.mapping(t, x.provider(t, nil), nil)
		elsewhere := mappingsOf(x.provider(t, nil)) + "/" + m["id"].(string)
		x.admin(t, "GET", elsewhere).wantError(t, http.StatusNotFound, "NOT_FOUND")
		x.admin(t, "PUT", elsewhere, object{"name": "stolen"}).wantError(t, http.StatusNotFound, "NOT_FOUND")
		x.admin(t, "PATCH", elsewhere+"/toggle", object{"enabled": false}).wantError(t, http.StatusNotFound, "NOT_FOUND")
		x.admin(t, "DELETE", elsewhere).wantError(t, http.StatusNotFound, "NOT_FOUND")
		same(t, x.admin(t, "GET", mappingPath(m)).want(t, http.StatusOK).object(t), m)
	}},
}

// TestAccountNameTaken is the one conflict that a mapping can meet: nothing is
// written then.
func TestAccountNameTaken(t *testing.T) {
	t.Parallel()
	ids := fixedIDs()
	x := startTarget(t, emulator.Options{NewID: ids.next})
	p := x.provider(t, nil)
	next := ids.peek(1) // the account takes the first, the mapping the second
	x.emulator.AddAccount(emulator.Account{Username: "ci-" + strings.ReplaceAll(next, "-", "")[:12]}, "")
	body := object{"name": "n", "claim_filters": object{}}
	x.admin(t, "POST", mappingsOf(p), body).wantError(t, http.StatusConflict, "CONFLICT", "already taken")
	if got := x.emulator.State().Mappings; len(got) != 0 {
		t.Errorf("mappings after the conflict: %v", got)
	}
	x.admin(t, "POST", mappingsOf(p), body).want(t, http.StatusOK)
}
