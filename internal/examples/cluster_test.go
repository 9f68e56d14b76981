//go:build linux

package examples_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// start starts a control plane that takes privileged pods, as those of clusters do; by default it takes none. It ends
// with this process.
var start = sync.OnceValues(func() (*controlplane.ControlPlane, error) {
	return controlplane.Start(context.Background(), controlplane.Options{
		Logf: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
		Args: []string{"--allow-privileged=true"},
	})
})

// startAnother starts a second one, with keys and an issuer of its own.
var startAnother = sync.OnceValues(func() (*controlplane.ControlPlane, error) {
	return controlplane.Start(context.Background(), controlplane.Options{
		Logf:   func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
		Issuer: "https://oidc.another.test/prod",
	})
})

func cluster(t *testing.T) *controlplane.ControlPlane        { return started(t, start) }
func anotherCluster(t *testing.T) *controlplane.ControlPlane { return started(t, startAnother) }

func started(t *testing.T, start func() (*controlplane.ControlPlane, error)) *controlplane.ControlPlane {
	t.Helper()
	plane, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return plane
}

// kubeconfig is the path of one by which the CLI speaks as the cluster's administrator.
func kubeconfig(t *testing.T, plane *controlplane.ControlPlane) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := plane.WriteKubeconfig(path, controlplane.Admin); err != nil {
		t.Fatal(err)
	}
	return path
}

// serviceAccount makes a ServiceAccount, unless it is there.
func serviceAccount(t *testing.T, plane *controlplane.ControlPlane, namespace, name string) {
	t.Helper()
	admin := plane.As(controlplane.Admin)
	err := errors.Join(admin.EnsureNamespace(t.Context(), namespace), admin.EnsureServiceAccount(t.Context(), namespace, name, nil))
	if err != nil {
		t.Fatal(err)
	}
}

// tokenOf is a token of a ServiceAccount, which is made where it is missing; without an audience it is for the API server.
func tokenOf(t *testing.T, plane *controlplane.ControlPlane, namespace, name, audience string) string {
	t.Helper()
	serviceAccount(t, plane, namespace, name)
	token, err := plane.As(controlplane.Admin).CreateToken(t.Context(), namespace, name, audience, nil)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
