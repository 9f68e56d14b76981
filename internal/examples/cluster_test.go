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

var another *controlplane.ControlPlane

// anotherCluster is a second one, with keys of its own and the issuer that the inventory has for it.
func anotherCluster(t *testing.T) *controlplane.ControlPlane {
	t.Helper()
	if another != nil {
		return another
	}
	options := controlplane.Options{Logf: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	for _, flag := range issuerFlags(t) {
		if flag.Name == "service-account-issuer" {
			options.Issuer = flag.Value // Given twice it would be two issuers.
			continue
		}
		options.Args = append(options.Args, "--"+flag.Name+"="+flag.Value)
	}
	plane, err := controlplane.Start(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	another = plane
	return another
}

func cluster(t *testing.T) *controlplane.ControlPlane {
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
