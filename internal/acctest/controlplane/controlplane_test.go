package controlplane

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestUsersAreWhoTheyAre(t *testing.T) {
	c := Shared(t)
	cert, key, err := c.ClientCertificate("jane", "team-a", "team-b")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(cert, "BEGIN CERTIFICATE") || !strings.Contains(key, "BEGIN PRIVATE KEY") {
		t.Errorf("ClientCertificate returned %q and %q", cert, key)
	}
	for user, groups := range map[string][]string{
		Admin:          {"system:masters", "system:authenticated"},
		Nobody:         {"system:authenticated"},
		NodeUser(Node): {"system:nodes", "system:authenticated"},
	} {
		var review struct {
			Status struct {
				UserInfo struct {
					Username string
					Groups   []string
				}
			}
		}
		err := c.As(user).Do(t.Context(), http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews",
			object{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, &review)
		if err != nil {
			t.Fatal(err)
		}
		if got := review.Status.UserInfo; got.Username != user || !slices.Equal(got.Groups, groups) {
			t.Errorf("the API server takes the token of %s for %s in %v", user, got.Username, got.Groups)
		}
	}

	err = c.As("a stranger").Get(t.Context(), "/api/v1/nodes", nil)
	var status *StatusError
	if !errors.As(err, &status) || status.Code != http.StatusForbidden || !strings.Contains(err.Error(), "system:anonymous") {
		t.Errorf("a user without a token got %v", err)
	}
}

// The whole reason for a real API server: a kubelet gets a token for the audience of a registry only once RBAC says so.
func TestNodeNeedsTheGrantForAnAudience(t *testing.T) {
	c := Shared(t)
	ctx, admin, namespace := t.Context(), c.As(Admin), c.Namespace(t)
	kubelet, err := c.Kubelet(ctx, Node, namespace+"/puller")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Kubelet(ctx, Node, namespace+"/puller"); err != nil || again.pods[namespace+"/puller"] != kubelet.pods[namespace+"/puller"] {
		t.Errorf("the same again: %v, %v", again, err)
	}
	if err := kubelet.Gets(ctx, "https://registry.test/"); err != nil {
		t.Fatal(err)
	}
	role := "/apis/rbac.authorization.k8s.io/v1/clusterroles/" + namespace
	if err := errors.Join(
		admin.Apply(ctx, role, "test", false, object{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": object{"name": namespace},
			"rules": []object{{"apiGroups": []string{""}, "resources": []string{"https://registry.test/"},
				"verbs": []string{"request-serviceaccounts-token-audience"}}},
		}),
		admin.Do(ctx, http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", object{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": namespace},
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": namespace},
			"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:nodes"}},
		}, nil),
		admin.Patch(ctx, role, "kubectl-label", object{"metadata": object{"labels": object{"a": "b"}}}),
	); err != nil {
		t.Fatal(err)
	}
	if err := kubelet.Gets(ctx, "https://registry.test/", namespace+"/puller"); err != nil {
		t.Fatal(err)
	}
	if err := admin.Delete(ctx, role); err != nil {
		t.Error(err)
	}
}

func TestRotation(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	before, err := NewRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	after, err := NewECKey()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(ctx, Options{
		Dir: t.TempDir(), Issuer: "https://issuer.test", Logf: t.Logf,
		APIAudiences: []string{"https://api.test", "other"}, Keys: Keys{Sign: before},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer checkStop(t, c)
	admin := c.As(Admin)
	if err := errors.Join(admin.EnsureNamespace(ctx, "team"), admin.EnsureServiceAccount(ctx, "team", "app", nil)); err != nil {
		t.Fatal(err)
	}
	old, err := admin.CreateToken(ctx, "team", "app", "", nil)
	if err != nil {
		t.Fatal(err)
	}

	published := func(want ...*Key) {
		t.Helper()
		checkPublished(t, admin, want...)
	}
	published(before)
	if err := c.RotateSigningKey(ctx, Keys{Sign: after, Verify: []*Key{before}}); err != nil {
		t.Fatal(err)
	}
	published(before, after)
	if err := c.WithToken(old).Get(ctx, "/openid/v1/jwks", nil); err != nil {
		t.Errorf("a token signed before the rotation, in the overlap: %v", err)
	}
	if err := c.RotateSigningKey(ctx, Keys{Sign: after}); err != nil {
		t.Fatal(err)
	}
	published(after)
	var status *StatusError
	if err := c.WithToken(old).Get(ctx, "/openid/v1/jwks", nil); !errors.As(err, &status) || status.Code != http.StatusUnauthorized {
		t.Errorf("a token of a key that is gone: %v", err)
	}

	former, err := admin.CreateToken(ctx, "team", "app", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(ctx, func(o *Options) { o.Issuer, o.AcceptedIssuers = "not-an-url", []string{o.Issuer} }); err != nil {
		t.Fatal(err)
	}
	if err := c.WithToken(former).Get(ctx, "/version", nil); err != nil {
		t.Errorf("a token of the issuer of before, which is accepted: %v", err)
	}
	if err := admin.Get(ctx, "/openid/v1/jwks", nil); !errors.As(err, &status) || status.Code != http.StatusNotFound {
		t.Errorf("the key set of an issuer that is no URL: %v", err)
	}
}

// checkPublished checks that the API server publishes exactly these keys.
func checkPublished(t *testing.T, admin *API, want ...*Key) {
	t.Helper()
	var set struct{ Keys []struct{ Kid string } }
	if err := admin.Get(t.Context(), "/openid/v1/jwks", &set); err != nil {
		t.Fatal(err)
	}
	var got, ids []string
	for _, key := range set.Keys {
		got = append(got, key.Kid)
	}
	for _, key := range want {
		id, err := key.ID()
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	slices.Sort(got)
	slices.Sort(ids)
	if !slices.Equal(got, ids) {
		t.Errorf("published keys %v, want %v", got, ids)
	}
}

// checkStop stops a control plane and checks that nothing is left of it.
func checkStop(t *testing.T, c *ControlPlane) {
	t.Helper()
	if err := errors.Join(c.Stop(), c.Stop()); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{c.dir, c.sockets} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stop left %s: %v", dir, err)
		}
	}
	if err := c.RotateSigningKey(t.Context(), Keys{}); err == nil {
		t.Error("a stopped control plane restarted")
	}
}

func TestFailedStartTellsWhyAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(t.Context(), Options{Dir: dir, Args: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("error %v does not show what the API server said", err)
	}
	_, err = Start(t.Context(), Options{Dir: dir, StartTimeout: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "was not ready in time") {
		t.Errorf("error %v does not say that time ran out", err)
	}
	_, err = Start(t.Context(), Options{Dir: dir, Users: []User{{Name: Admin}}})
	if err == nil || !strings.Contains(err.Error(), `user "admin" is listed twice`) {
		t.Errorf("error %v does not name the user who is there twice", err)
	}
	if _, err := Start(t.Context(), Options{Dir: filepath.Join(dir, "missing")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a directory that does not exist", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "aktrust-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Setenv("AKTRUST_ETCD", filepath.Join(dir, "nothing"))
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "start etcd") {
		t.Errorf("error %v for a binary that does not exist", err)
	}
}

func TestKubeconfig(t *testing.T) {
	c := Shared(t)
	path := filepath.Join(t.TempDir(), "new", "config")
	if err := c.WriteKubeconfig(path, Nobody); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if got := config.Clusters[0].Cluster.Server; got != c.URL() {
		t.Errorf("server %q, want %q", got, c.URL())
	}
	if got := config.Users[0].User.Token; got == "" || got != c.Token(Nobody) {
		t.Errorf("token %q, want %q", got, c.Token(Nobody))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := c.Kubeconfig("a stranger"); err == nil {
		t.Error("a kubeconfig for a user who does not exist")
	}
}
