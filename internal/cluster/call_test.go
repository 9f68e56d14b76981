package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// An answer with a code of success that is not the API's is an error for every call: a page that an access proxy puts in
// the way, JSON of something else, an object that is not the one asked for.
func TestSuccessThatIsNotTheAPIs(t *testing.T) {
	const token = "opaque-token-nobody-knows"
	for name, test := range map[string]struct{ contentType, body, says string }{
		"a page":                 {"text/html; charset=utf-8", "<html>Please\n log in</html>", "text/html, <html>Please log in</html>"},
		"a page said to be JSON": {"application/json", "<html>", "broken application/json of 6 bytes"},
		"nothing":                {"application/json", "", "broken application/json of 0 bytes"},
		"an empty object":        {"application/json", "{}", "application/json of 2 bytes"},
		"null":                   {"application/json", "null", "application/json of 4 bytes"},
		"other JSON":             {"application/json", `{"ok":true,"status":{"token":"` + token + `"}}`, "application/json of "},
		"another kind":           {"application/json", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"x"}}`, "application/json of "},
		"a kind nobody knows":    {"application/json", `{"apiVersion":"v1","kind":"Secret","data":{"token":"` + token + `"}}`, "application/json of "},
		"another object":         {"application/json", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"y","uid":"other"}}`, "application/json of "},
		"a failure":              {"application/json", `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"NotFound","code":404,"details":{"name":"x","kind":"clusterroles"}}`, "application/json of "},
		"something binary":       {"application/octet-stream", "\x00\x01", "application/octet-stream of 2 bytes"},
		"no media type at all":   {"a/b/c", "x", ""},
	} {
		for verb, call := range everyCall {
			t.Run(name+"/"+verb, func(t *testing.T) {
				client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", test.contentType)
					fmt.Fprint(w, test.body)
				})
				err := call(t.Context(), client)
				contains(t, err, "answered 200 OK: ", test.says, "That is not how an API server answers")
				var e *Error
				if !errors.As(err, &e) || e.Code != http.StatusOK || e.Reason != "" || IsNotFound(err) {
					t.Errorf("error %#v", err)
				}
				if strings.Contains(err.Error(), token) {
					t.Errorf("shows a token: %v", err)
				}
			})
		}
	}
}

// A word of success is no answer to anything but a deletion.
func TestStatusOfSuccess(t *testing.T) {
	client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Status","metadata":{},"status":"Success"}`)
	})
	for verb, call := range everyCall {
		if err := call(t.Context(), client); (err == nil) != (verb == "delete") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// A code that the Status under it contradicts is not the API server's: nothing follows from such a Status.
func TestContradictoryCodes(t *testing.T) {
	const gone = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":"NotFound","details":{"name":"x","kind":"clusterroles"},"code":%d}`
	for code, notFound := range map[int]bool{404: true, 403: false, 500: false, 502: false} {
		for _, inside := range []int{404, 0} {
			client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(code)
				fmt.Fprintf(w, gone, inside)
			})
			_, err := client.ClusterRole(t.Context(), "x")
			contains(t, err, fmt.Sprintf("answered %d ", code))
			if got := IsNotFound(err); got != notFound {
				t.Errorf("%d with %d inside: IsNotFound says %v of %v", code, inside, got, err)
			}
		}
	}
}

// A proxy's 403 says nothing of what the account may do.
func TestForbiddenByAProxy(t *testing.T) {
	client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<h1>Blocked</h1>")
	})
	_, err := client.RoleBindings(t.Context(), "x", "")
	contains(t, err, "403 Forbidden: <h1>Blocked</h1>", "something in between")
	if IsForbidden(err) {
		t.Error("taken for the API server's own word")
	}
}

func TestTokenRequestWithoutToken(t *testing.T) {
	client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":null},"status":{}}`)
	})
	_, err := client.CreateToken(t.Context(), TokenRequest{Namespace: "ns", ServiceAccount: "x"})
	contains(t, err, `create token of ServiceAccount "ns/x"`, "201 Created", "without a token", "something in between")
}

// What finalizers hold back is still in force, and is not told as deleted.
func TestDeletionThatFinalizersHoldBack(t *testing.T) {
	client, other := as(t, controlplane.Admin), controlplane.Shared(t).As(controlplane.Admin)
	ctx, name := t.Context(), "test-finalizers"
	applied, err := client.ApplyClusterRole(ctx, role(name, "get"), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	finalize := func(finalizers ...string) {
		t.Helper()
		patch := map[string]any{"metadata": map[string]any{"finalizers": finalizers}}
		if err := other.Patch(ctx, roles+name, "somebody", patch); err != nil {
			t.Fatal(err)
		}
	}
	finalize("example.test/one", "example.test/two")
	held, err := client.ClusterRole(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // marking it, and finding it marked
		err = client.DeleteClusterRole(ctx, held)
		contains(t, err, `delete ClusterRole "test-finalizers"`, "example.test/one, example.test/two", "it grants what it granted")
		if held, err = client.ClusterRole(ctx, name); err != nil || held.UID != applied.Object.UID {
			t.Fatalf("it is gone: %v", err)
		}
	}
	finalize()
	if _, err := client.ClusterRole(ctx, name); !IsNotFound(err) {
		t.Errorf("after the finalizers: %v", err)
	}
	if err := client.DeleteClusterRole(ctx, held); err != nil {
		t.Errorf("what is gone: %v", err)
	}
}

// An API server may also answer a deletion with the object as it was.
func TestDeletionAnsweredWithTheObject(t *testing.T) {
	client := answering(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"x","uid":"seen-uid"}}`)
	})
	if err := client.DeleteClusterRole(t.Context(), seen("x")); err != nil {
		t.Error(err)
	}
	replaced := &rbacv1.ClusterRole{}
	replaced.Name, replaced.UID = "x", "another-uid"
	contains(t, client.DeleteClusterRole(t.Context(), replaced), "no word of a deletion")
}
