package connection

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// Each half is connected at its first use, once, and without the other.
func TestHalvesConnectOnce(t *testing.T) {
	registries, clusters := 0, 0
	data := New(
		func() (*artifactkeeper.Client, error) { registries++; return &artifactkeeper.Client{}, nil },
		func() (*cluster.Client, error) { clusters++; return nil, errors.New("no cluster") },
	)
	var r Resource
	if _, err := r.Registry(); err == nil {
		t.Error("a resource that was not configured has a registry")
	}
	var resp resource.ConfigureResponse
	r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: data}, &resp)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			if _, err := r.Registry(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if resp.Diagnostics.HasError() || registries != 1 || clusters != 0 {
		t.Errorf("connected %d times to the registry and %d times to the cluster; %v", registries, clusters, resp.Diagnostics)
	}
	for range 2 {
		if _, err := r.Cluster(); err == nil {
			t.Error("there is no cluster")
		}
	}
	if clusters != 1 {
		t.Errorf("connected %d times to the cluster", clusters)
	}
}

// While a half is unknown, each half is warned of once, however many objects are refreshed.
func TestUnreadIsSaidOncePerHalf(t *testing.T) {
	r := Resource{base{data: New(nil, nil)}}
	warnings := 0
	for range 3 {
		for _, half := range []string{"registry", "cluster"} {
			var resp resource.ReadResponse
			if !r.KeepUnread(&UnknownError{Half: half, Arguments: []string{"x." + half}}, &resp) {
				t.Fatal("an unknown half is read")
			}
			for _, warning := range resp.Diagnostics.Warnings() {
				warnings++
				if !strings.Contains(warning.Detail(), "x."+half) {
					t.Errorf("the warning does not name the argument: %s", warning.Detail())
				}
			}
		}
	}
	if warnings != 2 {
		t.Errorf("%d warnings, want one for each half", warnings)
	}
	if r.KeepUnread(errors.New("another"), &resource.ReadResponse{}) || r.KeepUnread(nil, &resource.ReadResponse{}) {
		t.Error("what is known is kept unread")
	}
}

func TestWrongProviderData(t *testing.T) {
	var r Resource
	var resp resource.ConfigureResponse
	r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: "nonsense"}, &resp)
	if !resp.Diagnostics.HasError() {
		t.Error("nonsense is taken for a connection")
	}
}

// A plan that does not need the cluster does not wait for credentials that do not come.
func TestIssuerOfAClusterThatNeverConnects(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	if got := issuerOf(func() (*cluster.Client, error) { <-never; return nil, errors.New("closed") }, time.Millisecond); got != "" {
		t.Errorf("got %q", got)
	}
}
