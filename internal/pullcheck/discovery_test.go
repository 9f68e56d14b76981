package pullcheck_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

// The registry verifies tokens by keys that it fetches from the issuer. A rotation that is not published is named, and after
// one that is the registry goes on with the old keys until its cache has run out.
func TestDiscovery(t *testing.T) {
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := &world{trusttest.On(t, plane, emulator.Options{}), t}
	w.Discovery()
	w.Publish(w.Issuer.URL)
	space := w.workspace(w.check())
	if got := w.apply(space); !got.Allowed || got.link(trust.Keys).Status != trust.OK || got.Account == nil {
		t.Errorf("%+v", got)
	}

	key, err := controlplane.NewRSAKey()
	w.Must(err)
	w.Must(plane.RotateSigningKey(t.Context(), controlplane.Keys{Sign: key}))
	got := w.apply(space)
	trusttest.Expect(t, got.Links, got.Allowed, got.Warned, failures.Find("published-keys-stale"))
	if kid, err := key.ID(); err != nil || !strings.Contains(got.link(trust.Keys).Detail, kid) {
		t.Errorf("the key %s is not named: %+v, %v", kid, got.link(trust.Keys), err)
	}

	w.Publish(w.Issuer.URL)
	if got := w.apply(space); got.Allowed || got.link(trust.Keys).Status != trust.OK ||
		!strings.Contains(got.link(trust.Exchange).Remedy, "five minutes") {
		t.Errorf("%+v", got)
	}
	w.Later(5 * time.Minute)
	if got := w.apply(space); !got.Allowed {
		t.Errorf("%+v", got)
	}
}
