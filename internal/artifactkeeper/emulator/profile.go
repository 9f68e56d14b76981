package emulator

import (
	"fmt"
	"strings"
)

// Profile names the line of registry releases whose behaviour a [Server] has.
type Profile string

// The profiles. A provider that works on all of them works on every release
// that can exchange the token of a kubelet.
const (
	// Profile18 is 1.8: discovery only, provider_type as free text, the
	// exchange needs provider_id, null keeps allowed_repo_ids.
	Profile18 Profile = "1.8"
	// Profile110 is 1.10: as 1.8, but the exchange finds the provider by iss.
	Profile110 Profile = "1.10"
	// Profile111 is 1.11: static key sets, claim pointers, group bindings, an
	// account made together with its mapping, and a refusal of the API
	// server's audiences.
	Profile111 Profile = "1.11"
	// ProfileNext is the development line after 1.11: it accepts the API
	// server's audiences, bounds a static key set to 16 keys and 64 KiB, and
	// answers 503 when an exchange cannot bring memberships in line.
	ProfileNext Profile = "next"
)

// DefaultProfile is the newest released profile, used when [Options.Profile]
// is empty.
const DefaultProfile = Profile111

// behaviour is what a profile changes. A row of the contract that differs
// between releases reads one of these and nothing else, so that no handler
// compares versions.
type behaviour struct {
	version                  string // what GET /health reports
	freeProviderType         bool   // any provider_type is stored as written
	staticKeys               bool   // key_source and static_jwks exist
	boundedKeySets           bool   // a static set has an upper size
	claimPointers            bool   // a filter key with a leading slash is a JSON Pointer
	groupBindings            bool   // group_binding_ids exists
	nullClearsRepositories   bool   // PUT with allowed_repo_ids null clears it
	accountWithMapping       bool   // the account is made with the mapping and shown on it
	refusesAPIServerAudience bool
	providerIDRequired       bool // the exchange cannot find the provider by iss
	reconcileFailureIs503    bool
}

var behaviours = map[Profile]behaviour{
	Profile18:  {version: "1.8.1", freeProviderType: true, providerIDRequired: true},
	Profile110: {version: "1.10.0", freeProviderType: true},
	Profile111: {
		version: "1.11.1", staticKeys: true, claimPointers: true, groupBindings: true,
		nullClearsRepositories: true, accountWithMapping: true, refusesAPIServerAudience: true,
	},
	ProfileNext: {
		version: "1.12.0-dev", staticKeys: true, boundedKeySets: true, claimPointers: true, groupBindings: true,
		nullClearsRepositories: true, accountWithMapping: true, reconcileFailureIs503: true,
	},
}

// Profiles lists every profile, oldest first.
func Profiles() []Profile {
	return []Profile{Profile18, Profile110, Profile111, ProfileNext}
}

// Version is the version that GET /health reports under this profile, empty
// for a profile that does not exist.
func (p Profile) Version() string { return behaviours[p].version }

func (p Profile) behaviour() (behaviour, error) {
	if p == "" {
		p = DefaultProfile
	}
	b, ok := behaviours[p]
	if !ok {
		names := make([]string, 0, len(behaviours))
		for _, known := range Profiles() {
			names = append(names, string(known))
		}
		return behaviour{}, fmt.Errorf("emulator: unknown profile %q, expected one of %s", p, strings.Join(names, ", "))
	}
	return b, nil
}
