package nodeaudience

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

func TestMain(m *testing.M) { os.Exit(controlplane.Main(m)) }

const api = "/apis/rbac.authorization.k8s.io/v1/"

type object = map[string]any

// connect returns this package's way to the shared control plane, and one that is independent of it.
func connect(t *testing.T) (*cluster.Client, *controlplane.API) {
	t.Helper()
	plane := controlplane.Shared(t)
	client, err := cluster.New(cluster.Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(controlplane.Admin)})
	if err != nil {
		t.Fatal(err)
	}
	return client, plane.As(controlplane.Admin)
}

// grantFor is a grant of an audience of the test's own.
func grantFor(t *testing.T, namespaces ...string) Grant {
	audience := "https://" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", ".")) + ".test/v2/"
	return Grant{Name: DefaultName(audience), Audience: audience, Namespaces: namespaces, Groups: []string{NodesGroup}}
}

func mustApply(t *testing.T, client *cluster.Client, want Grant, last *Grant) {
	t.Helper()
	if applied, err := Apply(t.Context(), client, want, Options{Last: last}); err != nil || !applied {
		t.Fatalf("apply: %v, %v", applied, err)
	}
}

// finds checks that what is there is exactly the grant.
func finds(t *testing.T, client *cluster.Client, want Grant) {
	t.Helper()
	found, err := Read(t.Context(), client, want.Name, &want)
	if err != nil || found == nil {
		t.Fatalf("read: %v, %v", found, err)
	}
	if got := fmt.Sprintf("%+v", *found); got != fmt.Sprintf("%+v", Finding{Grant: want}) {
		t.Errorf("found %s\nwant  %+v", got, want)
	}
}

func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	text := err.Error()
	var adviser interface{ Advice() string }
	if errors.As(err, &adviser) {
		text += "\n" + adviser.Advice()
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("error does not say %q:\n%s", part, text)
		}
	}
}
