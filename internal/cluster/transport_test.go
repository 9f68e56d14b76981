package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// everyCall makes each kind of call that a client has.
var everyCall = map[string]func(context.Context, *Client) error{
	"version":   func(ctx context.Context, c *Client) error { _, err := c.ServerVersion(ctx); return err },
	"documents": func(ctx context.Context, c *Client) error { _, err := c.OIDCDocuments(ctx); return err },
	"get":       func(ctx context.Context, c *Client) error { _, err := c.ClusterRole(ctx, "x"); return err },
	"get of a namespace": func(ctx context.Context, c *Client) error {
		_, err := c.RoleBinding(ctx, "ns", "x")
		return err
	},
	"list": func(ctx context.Context, c *Client) error { _, err := c.RoleBindings(ctx, "x", ""); return err },
	"metadata": func(ctx context.Context, c *Client) error {
		_, err := c.ServiceAccount(ctx, "ns", "x")
		return err
	},
	"apply": func(ctx context.Context, c *Client) error {
		_, err := c.ApplyClusterRole(ctx, role("x", "get"), ApplyOptions{})
		return err
	},
	"delete": func(ctx context.Context, c *Client) error { return c.DeleteClusterRole(ctx, seen("x")) },
	"token": func(ctx context.Context, c *Client) error {
		_, err := c.CreateToken(ctx, TokenRequest{Namespace: "ns", ServiceAccount: "x"})
		return err
	},
	"own access": func(ctx context.Context, c *Client) error {
		_, _, err := c.Allowed(ctx, Access{Verb: "get"})
		return err
	},
	"another's access": func(ctx context.Context, c *Client) error {
		_, _, err := c.Allowed(ctx, Access{User: "u", Verb: "get"})
		return err
	},
}

// seen is a ClusterRole that was read before.
func seen(name string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "seen-uid", ResourceVersion: "1"}}
}

// A redirect is not followed, whatever the call and the credential: the other host would get the credential, and its
// answer would count as the cluster's.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"issuer":"https://not.the.cluster","keys":[{"kty":"RSA"}],"gitVersion":"v1.0.0"}`)
	}))
	t.Cleanup(other.Close)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)

	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, "opaque-token-of-exec")
	for how, config := range map[string]Config{
		"token":    {Token: "opaque-token-of-mine"},
		"password": {Username: "admin", Password: "hunter22"},
		"exec":     execConfig(t, token),
	} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			client := answering(t, config, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", strings.Replace(elsewhere, "//", "//user:canary-user@", 1)+"/login?token=canary-query#canary-fragment")
				w.WriteHeader(code)
			})
			for name, call := range everyCall {
				t.Run(fmt.Sprintf("%s/%d/%s", how, code, name), func(t *testing.T) {
					err := call(t.Context(), client)
					contains(t, err, fmt.Sprintf("answered %d %s: a redirect to %s/login", code, http.StatusText(code), elsewhere),
						"Nothing was sent to "+elsewhere+"/login", "kubernetes.host")
					var e *Error
					if !errors.As(err, &e) || e.Code != code || e.Reason != "" {
						t.Errorf("error %#v", err)
					}
					if text := err.Error() + e.Advice(); strings.Contains(text, "canary") {
						t.Errorf("shows what may be a credential: %s", text)
					}
				})
			}
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// Whatever else stands in a redirect, it is no word of the API server.
func TestRedirectsHaveNoSay(t *testing.T) {
	const gone = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"NotFound","details":{"name":"x","kind":"clusterroles"},"code":404}`
	for name, test := range map[string]struct {
		code     int
		location string
		says     string
	}{
		"a Status that says not found": {302, "https://other.test/", "a redirect to https://other.test/"},
		"one to the server itself":     {307, "/elsewhere?canary", "/elsewhere"},
		"one to nowhere":               {302, "", "a redirect to nowhere"},
		"one that cannot be read":      {302, "https://%zz?canary", "an address that cannot be read"},
		"a choice":                     {300, "https://other.test/", "a redirect to https://other.test/"},
		"not modified":                 {304, "", "304 Not Modified"},
	} {
		t.Run(name, func(t *testing.T) {
			client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if test.location != "" {
					w.Header().Set("Location", test.location)
				}
				w.WriteHeader(test.code)
				if test.code != http.StatusNotModified { // which has no body
					fmt.Fprint(w, gone)
				}
			})
			_, err := client.ClusterRole(t.Context(), "x")
			contains(t, err, test.says)
			if IsNotFound(err) {
				t.Errorf("taken for the API server's own not found: %v", err)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("shows the query: %v", err)
			}
			if err := client.DeleteClusterRole(t.Context(), seen("x")); err == nil {
				t.Error("taken for a deletion")
			}
		})
	}
}
