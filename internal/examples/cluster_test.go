//go:build linux

package examples_test

import (
	"context"
	"fmt"
	"os"
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

func cluster(t *testing.T) *controlplane.ControlPlane {
	t.Helper()
	plane, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return plane
}
