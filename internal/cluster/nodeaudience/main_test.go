package nodeaudience

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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

// kubelet asks for tokens as a node does: for a pod that runs on it.
type kubelet struct {
	api  *controlplane.API
	pods map[string]controlplane.Pod // by namespace/ServiceAccount
}

// startKubelet makes a pod for each namespace/ServiceAccount and waits until the node authorizer knows them.
func startKubelet(t *testing.T, accounts ...string) *kubelet {
	t.Helper()
	plane := controlplane.Shared(t)
	admin := plane.As(controlplane.Admin)
	k := &kubelet{api: plane.As(controlplane.NodeUser(controlplane.Node)), pods: map[string]controlplane.Pod{}}
	if err := admin.EnsureNode(t.Context(), controlplane.Node); err != nil {
		t.Fatal(err)
	}
	for _, account := range accounts {
		namespace, name, _ := strings.Cut(account, "/")
		err := errors.Join(admin.EnsureNamespace(t.Context(), namespace), admin.EnsureServiceAccount(t.Context(), namespace, name, nil))
		if err != nil {
			t.Fatal(err)
		}
		if k.pods[account], err = admin.EnsurePod(t.Context(), namespace, name, name, controlplane.Node); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// refusal is what NodeRestriction of Kubernetes 1.34 answers.
const refusal = "is not authorized to request tokens for this audience"

// gets waits until exactly these accounts' tokens are granted for the audience, and all others refused for the right
// reason: what RBAC stores reaches the authorizers a moment later.
func (k *kubelet) gets(t *testing.T, audience string, accounts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	want := map[string]bool{}
	for _, account := range accounts {
		want[account] = true
	}
	if err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		for account, pod := range k.pods {
			namespace, name, _ := strings.Cut(account, "/")
			_, err := k.api.CreateToken(ctx, namespace, name, audience, &pod)
			switch {
			case want[account] && err != nil:
				return err
			case !want[account] && err == nil:
				return fmt.Errorf("a token of %s for %s was granted", account, audience)
			case !want[account] && !strings.Contains(err.Error(), refusal):
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
