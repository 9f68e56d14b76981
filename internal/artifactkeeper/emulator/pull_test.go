package emulator_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// wantDistribution requires an error of the distribution specification.
func (r reply) wantDistribution(t *testing.T, status int, code string) reply {
	t.Helper()
	var out struct {
		Errors []struct{ Code, Message string }
	}
	r.want(t, status).decode(t, &out)
	if len(out.Errors) != 1 || out.Errors[0].Code != code || out.Errors[0].Message == "" {
		t.Errorf("errors %v, want one %s", out.Errors, code)
	}
	return r
}

var pullRows = []row{
	{name: "a pull without a credential is told where to get one", run: func(x *target) {
		t := x.t
		r := x.repository(t, "private", false)
		realm := `Bearer realm="` + x.url + `/v2/token",service="artifact-keeper"`
		for route, challenge := range map[string]string{
			"/v2/": realm,
			"/v2/" + r["key"].(string) + "/app/manifests/v1":     realm + `,scope="repository:` + r["key"].(string) + `/app:pull"`,
			"/v2/" + x.prefix + "none/team/app/manifests/latest": realm + `,scope="repository:` + x.prefix + `none/team/app:pull"`,
		} {
			out := x.guest(t, "GET", route).wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
			if got := out.header.Get("WWW-Authenticate"); got != challenge {
				t.Errorf("WWW-Authenticate %s\nwant %s", got, challenge)
			}
		}
	}},
	{name: "the token endpoint serves one service", run: func(x *target) {
		t := x.t
		x.guest(t, "GET", "/v2/token?service=other").wantDistribution(t, http.StatusBadRequest, "DENIED")
		x.ask(t, question{method: "GET", path: "/v2/token?service=artifact-keeper", authorization: basic("nobody", "wrong")}).
			wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
		out := x.guest(t, "GET", "/v2/token?service=artifact-keeper&scope=repository:a/b:pull&scope=repository:c/d:pull").
			want(t, http.StatusOK).object(t)
		for _, member := range []string{"token", "access_token", "expires_in", "issued_at"} {
			if out[member] == nil || out[member] == "" {
				t.Errorf("no %s in %v", member, out)
			}
		}
	}},
	{name: "an exchanged token opens the version check", profiles: since111, run: func(x *target) {
		t := x.t
		c := x.cluster(t, nil)
		x.mapping(t, c.provider, object{"claim_filters": object{}})
		bought := x.exchange(t, c.token(t)).want(t, http.StatusOK).object(t)
		pull := x.ask(t, question{
			method: "GET", path: "/v2/token?service=artifact-keeper&scope=" + url.QueryEscape("repository:a/b:pull"),
			authorization: basic(bought["username"].(string), bought["access_token"].(string)),
		}).want(t, http.StatusOK).object(t)
		if lifetime := pull["expires_in"].(float64); lifetime > 600 {
			t.Errorf("expires_in %v, want at most that of the exchanged token", lifetime)
		}
		x.as(t, pull["token"].(string), "GET", "/v2/").want(t, http.StatusOK)
		x.as(t, pull["token"].(string), "GET", "/v2/"+x.prefix+"none/app/manifests/v1").
			wantDistribution(t, http.StatusNotFound, "NAME_UNKNOWN")
		r := x.repository(t, "private", false)
		x.as(t, pull["token"].(string), "POST", "/v2/"+r["key"].(string)+"/app/blobs/uploads/").
			wantDistribution(t, http.StatusForbidden, "DENIED")
	}},
}

// yard is an emulator with an image in a private repository, and the account
// of a mapping that may or may not pull it.
type yard struct {
	*target
	cluster *cluster
	repo    emulator.Repository
	mapping map[string]any
	digest  string
}

func startYard(t *testing.T, options emulator.Options) *yard {
	t.Helper()
	x := startTarget(t, options)
	y := &yard{target: x, cluster: x.cluster(t, nil), repo: x.emulator.AddRepository(emulator.Repository{Key: "team"})}
	y.mapping = x.mapping(t, y.cluster.provider, object{"claim_filters": object{}})
	digest, err := x.emulator.AddImage(emulator.Image{
		Repository: "team", Name: "app/web", Tag: "v1", Blobs: [][]byte{[]byte(`{"os":"linux"}`), []byte("layer")},
	})
	if err != nil {
		t.Fatal(err)
	}
	y.digest = digest
	return y
}

// pull asks for the manifest with a fresh credential, as a node does.
func (y *yard) pull(t *testing.T) reply {
	t.Helper()
	bought := y.exchange(t, y.cluster.token(t)).want(t, http.StatusOK).object(t)
	token := y.ask(t, question{
		method: "GET", path: "/v2/token?service=artifact-keeper",
		authorization: basic(bought["username"].(string), bought["access_token"].(string)),
	}).want(t, http.StatusOK).object(t)
	return y.as(t, token["token"].(string), "GET", "/v2/team/app/web/manifests/v1")
}

func (y *yard) update(t *testing.T, with object) {
	t.Helper()
	y.admin(t, "PUT", mappingPath(y.mapping), with).want(t, http.StatusOK)
}

// TestWhoMayPull walks through what lets an account read a repository.
func TestWhoMayPull(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{})
	server, account := y.emulator, y.mapping["service_account_id"].(string)
	refused := func(why string) {
		t.Helper()
		if out := y.pull(t); out.status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404; body: %s", why, out.status, out.body)
		}
	}
	allowed := func(why string) {
		t.Helper()
		if out := y.pull(t); out.status != http.StatusOK {
			t.Errorf("%s: status %d, want 200; body: %s", why, out.status, out.body)
		}
	}
	refused("no grant")
	group := server.AddGroup("pullers", "")
	rule := server.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: group.ID, TargetType: "repository", TargetID: y.repo.ID,
	})
	refused("a group that it is not in")
	y.update(t, object{"group_binding_ids": []any{group.ID}})
	allowed("bound to the group")
	y.update(t, object{"allowed_repo_ids": []any{noSuchID}})
	refused("outside of the ceiling")
	y.update(t, object{"allowed_repo_ids": []any{}})
	refused("a ceiling of nothing")
	y.update(t, object{"allowed_repo_ids": []any{y.repo.ID}})
	allowed("inside of the ceiling")
	y.update(t, object{"allowed_repo_ids": nil, "group_binding_ids": []any{}})
	refused("stripped of its groups")
	y.update(t, object{"group_binding_ids": nil})
	if err := server.AddMember(group.ID, account); err != nil {
		t.Fatal(err)
	}
	allowed("put into the group by hand, with no binding to object")

	if err := server.DeletePermission(rule.ID); err != nil {
		t.Fatal(err)
	}
	refused("the rule is gone")
	server.AddRole(emulator.Role{AccountID: account, RepositoryID: y.repo.ID, Actions: []string{"read"}})
	allowed("by a role, where no rule applies")
	write := server.AddPermission(emulator.Permission{
		PrincipalType: "user", PrincipalID: account, TargetType: "repository", TargetID: y.repo.ID, Actions: []string{"write"},
	})
	refused("a rule applies, and does not say read")
	admin := server.AddPermission(emulator.Permission{
		PrincipalType: "service_account", PrincipalID: account, TargetType: "repository", TargetID: y.repo.ID, Actions: []string{"admin"},
	})
	allowed("admin implies read")
	for _, id := range []string{write.ID, admin.ID} {
		if err := server.DeletePermission(id); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.DeleteGroup(group.ID); err != nil {
		t.Fatal(err)
	}
	server.AddRole(emulator.Role{AccountID: account, Actions: []string{"admin"}})
	allowed("by a role on everything")
}

// TestPullThroughProject shows a rule on the project of a repository.
func TestPullThroughProject(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{})
	y.emulator.AddRepository(emulator.Repository{Key: "in-project", ProjectID: noSuchID})
	if _, err := y.emulator.AddImage(emulator.Image{Repository: "in-project", Name: "app", Tag: "v1"}); err != nil {
		t.Fatal(err)
	}
	token, err := y.emulator.NewToken(y.mapping["service_account_id"].(string), 0)
	if err != nil {
		t.Fatal(err)
	}
	at := "/v2/in-project/app/manifests/v1"
	y.as(t, token, "GET", at).wantDistribution(t, http.StatusNotFound, "NAME_UNKNOWN")
	y.emulator.AddPermission(emulator.Permission{
		PrincipalType: "user", PrincipalID: y.mapping["service_account_id"].(string), TargetType: "project", TargetID: noSuchID,
	})
	y.as(t, token, "GET", at).want(t, http.StatusOK)
}

// TestUnreadableLooksMissing compares the answers for what may not be read
// and for what is not there.
func TestUnreadableLooksMissing(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{})
	hidden := y.pull(t).wantDistribution(t, http.StatusNotFound, "NAME_UNKNOWN")
	if err := y.emulator.DeleteRepository(y.repo.ID); err != nil {
		t.Fatal(err)
	}
	if gone := y.pull(t); gone.body != hidden.body || gone.status != hidden.status {
		t.Errorf("missing: %d %s, unreadable: %d %s", gone.status, gone.body, hidden.status, hidden.body)
	}
}

// TestAsBuilt shows where the registry's source differs from its pages.
func TestAsBuilt(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{AsBuilt: true})
	account := y.mapping["service_account_id"].(string)
	y.admin(t, "GET", "/api/v1/service-accounts/"+account).wantError(t, http.StatusNotFound, "NOT_FOUND", "Service account")
	y.admin(t, "GET", "/api/v1/users/"+account).want(t, http.StatusOK)
	if items := y.admin(t, "GET", "/api/v1/service-accounts").items(t); len(items) != 0 {
		t.Errorf("service accounts %v, want none", items)
	}
	y.pull(t).wantDistribution(t, http.StatusNotFound, "NAME_UNKNOWN") // nobody has a rule
	group := y.emulator.AddGroup("others", "")
	y.emulator.AddPermission(emulator.Permission{PrincipalType: "group", PrincipalID: group.ID, TargetType: "repository", TargetID: y.repo.ID})
	y.pull(t).wantDistribution(t, http.StatusForbidden, "DENIED")
	y.update(t, object{"allowed_repo_ids": []any{}})
	y.pull(t).wantDistribution(t, http.StatusForbidden, "DENIED")
	claims := with(y.cluster.claims(), object{"nbf": startClock().Now().Unix() + 3600})
	y.exchange(t, sign(t, "ES256", "kid", y.cluster.key, claims)).want(t, http.StatusOK)
}

// TestImages reads an image in all the ways that a client does.
func TestImages(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{})
	index, err := y.emulator.AddImage(emulator.Image{
		Repository: "team", Name: "app/web", MediaType: "application/vnd.oci.image.index.v1+json", Manifest: []byte(`{"manifests":[]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	byTag := y.admin(t, "GET", "/v2/team/app/web/manifests/v1").want(t, http.StatusOK)
	if byTag.header.Get("Docker-Content-Digest") != y.digest || byTag.header.Get("Content-Type") != "application/vnd.oci.image.manifest.v1+json" {
		t.Errorf("headers %v", byTag.header)
	}
	if byDigest := y.admin(t, "GET", "/v2/team/app/web/manifests/"+y.digest).want(t, http.StatusOK); byDigest.body != byTag.body {
		t.Errorf("by digest %s, by tag %s", byDigest.body, byTag.body)
	}
	if out := y.admin(t, "GET", "/v2/team/app/web/manifests/"+index).want(t, http.StatusOK); !strings.Contains(out.header.Get("Content-Type"), "index") {
		t.Errorf("index: %v", out.header)
	}
	var manifest struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	reply{status: byTag.status, header: http.Header{"Content-Type": {"application/json"}}, body: byTag.body}.decode(t, &manifest)
	for digest, want := range map[string]string{manifest.Config.Digest: `{"os":"linux"}`, manifest.Layers[0].Digest: "layer"} {
		if out := y.admin(t, "GET", "/v2/team/app/web/blobs/"+digest).want(t, http.StatusOK); out.body != want {
			t.Errorf("blob %s is %q, want %q", digest, out.body, want)
		}
		head := y.admin(t, "HEAD", "/v2/team/app/web/blobs/"+digest).want(t, http.StatusOK)
		if head.body != "" || head.header.Get("Content-Length") == "0" {
			t.Errorf("HEAD: body %q, Content-Length %s", head.body, head.header.Get("Content-Length"))
		}
	}
	tags := y.admin(t, "GET", "/v2/team/app/web/tags/list").want(t, http.StatusOK).object(t)
	if diff := cmp.Diff(map[string]any{"name": "app/web", "tags": []any{"v1"}}, tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	y.admin(t, "GET", "/v2/team/app/web/manifests/v2").wantDistribution(t, http.StatusNotFound, "MANIFEST_UNKNOWN")
	y.admin(t, "GET", "/v2/team/other/manifests/v1").wantDistribution(t, http.StatusNotFound, "MANIFEST_UNKNOWN")
	y.admin(t, "GET", "/v2/team/app/web/blobs/sha256:00").wantDistribution(t, http.StatusNotFound, "BLOB_UNKNOWN")
	y.admin(t, "GET", "/v2/team/other/tags/list").wantDistribution(t, http.StatusNotFound, "NAME_UNKNOWN")
	y.admin(t, "GET", "/v2/team/app").wantDistribution(t, http.StatusNotFound, "UNSUPPORTED")
	y.admin(t, "PUT", "/v2/team/app/manifests/v1").wantDistribution(t, http.StatusMethodNotAllowed, "UNSUPPORTED")
	y.admin(t, "DELETE", "/v2/token").wantDistribution(t, http.StatusMethodNotAllowed, "UNSUPPORTED")
}

// TestGuestsPullWhatIsPublic shows the anonymous token.
func TestGuestsPullWhatIsPublic(t *testing.T) {
	t.Parallel()
	y := startYard(t, emulator.Options{})
	y.emulator.AddRepository(emulator.Repository{Key: "open", IsPublic: true})
	if _, err := y.emulator.AddImage(emulator.Image{Repository: "open", Name: "app", Tag: "v1"}); err != nil {
		t.Fatal(err)
	}
	token := y.guest(t, "GET", "/v2/token?service=artifact-keeper").want(t, http.StatusOK).object(t)["token"].(string)
	y.as(t, token, "GET", "/v2/open/app/manifests/v1").want(t, http.StatusOK)
	y.as(t, token, "GET", "/v2/team/app/web/manifests/v1").wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
	y.as(t, token, "GET", "/v2/none/app/manifests/v1").wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
	y.as(t, token, "PUT", "/v2/open/app/manifests/v1").wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
}

// TestTokenByForm is the OAuth 2 flow of the token endpoint.
func TestTokenByForm(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	username, password := x.emulator.Credentials()
	form := func(username, password string) reply {
		return x.ask(t, question{
			method: "POST", path: "/v2/token", contentType: "application/x-www-form-urlencoded",
			body: url.Values{"grant_type": {"password"}, "username": {username}, "password": {password}}.Encode(),
		})
	}
	for _, secret := range []string{password, x.token} {
		token := form(username, secret).want(t, http.StatusOK).object(t)["token"].(string)
		x.as(t, token, "GET", "/v2/").want(t, http.StatusOK)
	}
	form(username, "wrong").wantDistribution(t, http.StatusUnauthorized, "UNAUTHORIZED")
	if out := form("", "").want(t, http.StatusOK).object(t); out["token"] != "anonymous" {
		t.Errorf("token %v, want the guest's", out["token"])
	}
	x.ask(t, question{method: "GET", path: "/v2/", authorization: basic(username, password)}).want(t, http.StatusOK)
}
