package emulator_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// row is one statement about the registry API. It creates what it needs under
// the target's prefix and cleans up after itself, so it may run against a
// registry that others use.
type row struct {
	name string
	// profiles are those that the statement is about; none means all.
	profiles []emulator.Profile
	run      func(x *target) // with the test in x.t
}

var (
	before111 = []emulator.Profile{emulator.Profile18, emulator.Profile110}
	since111  = []emulator.Profile{emulator.Profile111, emulator.ProfileNext}
)

// contract is every row that a real registry can be asked, too.
func contract() []row {
	return slices.Concat(transportRows, providerRows, keyRows, mappingRows, exchangeRows, directoryRows, pullRows)
}

func runContract(t *testing.T, x *target) {
	t.Helper()
	for _, r := range contract() {
		if len(r.profiles) > 0 && !slices.Contains(r.profiles, x.profile) {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			on := *x
			on.t = t
			r.run(&on)
		})
	}
}

// TestContract runs the contract against the emulator, once per profile.
func TestContract(t *testing.T) {
	for _, profile := range emulator.Profiles() {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			runContract(t, startTarget(t, emulator.Options{Profile: profile}))
		})
	}
}

// TestContractAtEndpoint runs the contract against registries of which only
// the address is known: a real one when the environment names it, and always
// an emulator, to show that the rows leave nothing behind.
func TestContractAtEndpoint(t *testing.T) {
	if endpoint := os.Getenv("ARTIFACT_KEEPER_ENDPOINT"); endpoint != "" {
		t.Run("environment", func(t *testing.T) {
			runContract(t, endpointTarget(t, endpoint,
				os.Getenv("ARTIFACT_KEEPER_TOKEN"), os.Getenv("ARTIFACT_KEEPER_CA_CERTIFICATE")))
		})
	}
	for _, profile := range emulator.Profiles() {
		t.Run("emulator "+string(profile), func(t *testing.T) {
			server := startTarget(t, emulator.Options{Profile: profile}).emulator
			x := endpointTarget(t, server.URL()+"/api/v1/", server.Token(), server.CACertificate())
			if x.profile != profile {
				t.Errorf("the version says profile %s, want %s", x.profile, profile)
			}
			before := server.State()
			runContract(t, x)
			after := server.State()
			// The accounts of mappings stay, deactivated: the registry keeps
			// them for its records.
			after.Accounts = slices.DeleteFunc(after.Accounts, func(a emulator.Account) bool {
				return a.AuthProvider == "ci" && !a.IsActive
			})
			if diff := cmp.Diff(before, after, ignoreUnexported); diff != "" {
				t.Errorf("the contract left something behind (-before +after):\n%s", diff)
			}
		})
	}
}
