package mappingsexclusive_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

const left = "Warning: Identity mappings that are not in mapping_ids"

// What appears between plan and apply is not deleted, and the next plan shows it.
func TestAppearsAfterThePlan(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	w.Apply()
	w.add("shown")
	w.save()
	late := w.add("late")
	acctest.Says(t, w.applySaved(0), left, "- late: every token ("+late.ID+")")
	w.has("a", "late")
	acctest.Says(t, w.Plan(2), `- "late: every token"`, deleted)
	w.Apply()
	w.has("a")
	w.Plan(0)
}

// A mapping that is not any more what the plan showed is not deleted either.
func TestChangesAfterThePlan(t *testing.T) {
	w := newWorld(t)
	w.configure(w.mapping("a"), w.exclusive(id("a")))
	w.Apply()
	rogue, gone := w.add("rogue"), w.add("gone")
	w.save()
	if err := w.UpdateMapping(rogue.ID, func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage(`{"sub":"x"}`) }); err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteMapping(gone.ID); err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, w.applySaved(0), left, `- rogue: sub is "x"`)
	w.has("a", "rogue")
	acctest.Says(t, w.Plan(2), `- "rogue: sub is \"x\""`)
}

// A deletion that fails is an error, and the next plan shows what remains.
func TestHalfWay(t *testing.T) {
	for _, created := range []bool{true, false} {
		w := newWorld(t)
		own := w.add("own")
		w.configure(w.exclusive(acctest.HCL(own.ID)))
		if !created {
			w.Apply()
		}
		w.add("rogue 1")
		rest := w.add("rogue 2")
		w.Inject(emulator.Fault{Method: http.MethodDelete, Kind: emulator.Forbidden, After: 1, Times: 1})
		acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"),
			"Cannot delete the identity mapping rogue 2: every token ("+rest.ID+")", "403")
		w.has("own", "rogue 2")
		acctest.Says(t, w.Plan(2), "rogue 2: every token", deleted)
		w.Apply()
		w.has("own")
		w.Plan(0)
	}
}

// A plan that knows everything lists what the creation deletes. An empty set lists all.
func TestCreationDeletesWhatItListed(t *testing.T) {
	for _, keep := range []bool{true, false} {
		w := newWorld(t)
		own := w.add("own", func(m *emulator.Mapping) { m.ClaimFilters = json.RawMessage(`{"sub":"own"}`) })
		w.add("rogue")
		w.configure(w.exclusive())
		goes := []string{`own: sub is "own"`, "rogue: every token"}
		if keep {
			w.configure(w.exclusive(acctest.HCL(strings.ToUpper(own.ID))))
			goes = goes[1:]
		}
		shown := w.Plan(2)
		for _, text := range goes {
			acctest.Says(t, shown, "+ "+acctest.HCL(text), "- "+text)
		}
		acctest.Says(t, shown, deleted)
		acctest.Silent(t, w.Apply(), left)
		if diff := cmp.Diff(goes, w.foreign()); diff != "" {
			t.Error(diff)
		}
		acctest.Silent(t, w.Plan(0), "Warning: ")
		w.Expect(0, "apply", "-no-color", "-auto-approve", "-refresh=false") // What was deleted stays deleted.
		if keep {
			w.has("own")
		} else {
			w.has()
		}
		w.Plan(0)
	}
}

// Nothing but planned values gets from the plan of a new resource into its apply, so that the CLI itself has to see that
// somebody was there in between. Nothing is deleted then.
func TestAppearsBetweenPlanAndCreation(t *testing.T) {
	w := newWorld(t)
	own := w.add("own")
	w.configure(w.exclusive(acctest.HCL(own.ID)))
	for _, listed := range []string{"", "shown"} {
		if listed != "" {
			w.add(listed)
		}
		w.save()
		w.add("late " + listed)
		w.ResetRequests()
		acctest.Says(t, w.applySaved(1), "inconsistent final plan", "late "+listed+": every token")
		if n := w.writes(); n != 0 {
			t.Errorf("%d writes", n)
		}
	}
	w.Apply()
	w.has("own")
	w.Plan(0)
}

// So it is when the plan did not know a set that holds nothing new: it lists nothing, and what turns out to be foreign is not
// deleted before another plan has listed it.
func TestCreationWithUnknownSet(t *testing.T) {
	w := newWorld(t)
	own := w.add("own")
	w.add("rogue")
	w.configure(later, w.exclusive("terraform_data.later.output.value"))
	value := "-var=value=" + own.ID
	acctest.Silent(t, w.Plan(2, value), "rogue")
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve", value), "inconsistent final plan", "rogue: every token", "plan again")
	w.has("own", "rogue")
	acctest.Says(t, w.Plan(2, value), `+ "rogue: every token"`, deleted)
	w.Apply(value)
	w.has("own")
	w.Plan(0, value)
}

// In the same apply as a new mapping the set is unknown while planning, and so is what is foreign: it stays, and the next plan
// lists it. A mapping that the configuration makes and the set forgets is such a one.
func TestCreationWithNewMappings(t *testing.T) {
	w := newWorld(t)
	w.add("rogue")
	w.configure(w.mapping("a"), w.mapping("forgotten"), strings.Replace(w.exclusive(id("a")), "\n}", "\n  depends_on = [aktrust_ci_oidc_mapping.forgotten]\n}", 1))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Says(t, w.Apply(), left, "- rogue: every token", "- forgotten: ")
	w.has("a", "forgotten", "rogue")
	acctest.Says(t, w.Plan(2), `- "rogue: every token"`, `- "forgotten: /kubernetes.io/namespace is \"forgotten\""`)
}

// The creation deletes what its plan listed, whatever the same apply does to these mappings.
func TestCreationBesideOtherChanges(t *testing.T) {
	w := newWorld(t)
	parts := []string{w.mapping("a"), w.mapping("changed"), w.mapping("dropped")}
	w.configure(parts...)
	w.Apply()
	w.add("rogue")
	depends := "\n  depends_on = [aktrust_ci_oidc_mapping.changed, aktrust_ci_oidc_mapping.new]\n}"
	w.configure(w.mapping("a"), w.mapping("changed", "priority = 7"), w.mapping("new"),
		strings.Replace(w.exclusive(id("a")), "\n}", depends, 1))
	acctest.Says(t, w.Plan(2), `+ "rogue: every token"`, `+ "dropped: `, `+ "changed: `)
	acctest.Says(t, w.Apply(), left, "- new: ")
	w.has("a", "new")
}
