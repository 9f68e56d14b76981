package mappingsexclusive_test

import (
	"encoding/json"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const deleted = "Warning: Identity mappings are deleted"

// What somebody adds behind our back shows in the next plan by name and filters, and one apply deletes it with its account.
func TestForeignMappingIsShownAndDeleted(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	acctest.Silent(t, w.Apply(), "Warning: ")
	acctest.Silent(t, w.Plan(0), "Warning: ")

	rogue := w.add("rogue")
	w.add("sleeping rogue", func(m *emulator.Mapping) {
		m.IsEnabled, m.ClaimFilters = false, json.RawMessage(`{"/kubernetes.io/namespace":["x","y"]}`)
	})
	w.ResetRequests()
	acctest.Says(t, w.Plan(2), `- "rogue: every token"`,
		`- "sleeping rogue: /kubernetes.io/namespace is \"x\" or \"y\" (disabled)"`,
		deleted, "- rogue: every token ("+rogue.ID+")", "0 to add, 1 to change, 0 to destroy")
	if n := w.writes(); n != 0 {
		t.Errorf("the plan wrote %d times", n)
	}
	w.Apply()
	w.has("a")
	acctest.Silent(t, w.Plan(0), "Warning: ")
	for _, account := range w.Server.State().Accounts {
		if account.MappingID == rogue.ID && account.IsActive {
			t.Error("the account of the deleted mapping is active")
		}
	}
}

// The mappings of another provider are nobody's business here.
func TestOtherProviderIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.add("elsewhere", func(m *emulator.Mapping) { m.ProviderID = w.other })
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	w.Apply()
	acctest.Silent(t, w.Plan(0), "elsewhere")
	w.has("a", "elsewhere")
}

// A mapping whose id is added after it was shown stays.
func TestShownAndThenAdopted(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	w.Apply()
	adopted := w.add("adopted")
	acctest.Says(t, w.Plan(2), deleted)
	w.configure(w.mapping("a"), w.exclusive(id("a"), acctest.HCL(adopted.ID)))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	w.Apply()
	w.has("a", "adopted")
	w.Plan(0)
}

// A mapping that leaves both the configuration and the set goes in one apply, and nobody warns of it.
func TestOwnMappingLeaves(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.mapping("b"), w.exclusive(id("a"), id("b")))
	w.Apply()
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Silent(t, w.Apply(), "Warning: ")
	w.has("a")
	w.Plan(0)
}

// A mapping that is replaced has another id, unknown while planning. The old one is not taken for foreign, nor is the new one.
func TestOwnMappingIsReplaced(t *testing.T) {
	for _, lifecycle := range []string{"", "lifecycle { create_before_destroy = true }"} {
		w := newWorld(t)
		w.configure(w.mapping("a", lifecycle), w.mapping("b"), w.exclusive(id("a"), id("b")))
		w.Apply()
		const replace = "-replace=aktrust_ci_oidc_mapping.a"
		acctest.Silent(t, w.Plan(2, replace), deleted)
		acctest.Silent(t, w.Apply(replace), "Warning: Identity mappings")
		w.has("a", "b")
		w.Plan(0)
	}
}

// A mapping that leaves the set alone is not deleted before a plan has named it.
func TestMappingLeavesTheSet(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.mapping("b"), w.exclusive(id("a"), id("b")))
	w.Apply()
	w.configure(w.mapping("a"), w.mapping("b"), w.exclusive(id("a")))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	w.Apply()
	w.has("a", "b")
	acctest.Says(t, w.Plan(2), `- "b: /kubernetes.io/namespace is \"b\""`, deleted)
}

// An empty set closes everything, in the plans that name it.
func TestEmptySet(t *testing.T) {
	const nobody = "Warning: Nobody gets in by this provider"
	w := newWorld(t)
	a := w.add("a")
	w.configure(w.exclusive(acctest.HCL(a.ID)))
	w.Apply()
	w.add("b")
	w.configure(w.exclusive())
	acctest.Says(t, w.Plan(2), nobody, `- "b: every token"`)
	w.Apply()
	w.has("a")
	acctest.Silent(t, w.Plan(2), nobody)
	w.Apply()
	w.has()
	acctest.Silent(t, w.Plan(0), "Warning: ")
}

// Destroying it stops watching, and so does replacing it by one of another provider.
func TestDestroyDeletesNothing(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	w.configure(w.exclusive(acctest.HCL(a.ID)))
	w.Apply()
	w.add("rogue")
	w.ResetRequests()
	w.configure(exclusiveOf(acctest.HCL(w.other), "[]"))
	acctest.Silent(t, w.Plan(2), deleted)
	w.Apply()
	w.has("a", "rogue")
	w.Plan(0)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	w.has("a", "rogue")
	if n := w.writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// With the provider goes the resource.
func TestProviderIsGone(t *testing.T) {
	w := newWorld(t)
	a := w.add("a")
	w.configure(w.exclusive(acctest.HCL(a.ID)))
	w.Apply()
	if err := w.DeleteProvider(w.provider); err != nil {
		t.Fatal(err)
	}
	w.configure("")
	acctest.Says(t, w.Plan(0), "No changes")
	w.configure(w.exclusive(acctest.HCL(a.ID)))
	acctest.Says(t, w.Plan(1), "Cannot read the identity mappings of the CI OIDC provider "+w.provider, "404")
}

// Whoever answers a refresh with something else than the list, the state keeps what it knew.
func TestFailedRefresh(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	w.Apply()
	before := w.Workspace.State()
	for _, kind := range []emulator.Kind{emulator.Unauthorized, emulator.Forbidden, emulator.InternalError, emulator.NotFoundEmpty, emulator.HTMLPage} {
		fault := w.Inject(emulator.Fault{Kind: kind})
		acctest.Says(t, w.Plan(1), "Cannot read the identity mapping")
		fault.Remove()
	}
	if w.Workspace.State() != before {
		t.Error("the state changed")
	}
	w.Plan(0)
}
