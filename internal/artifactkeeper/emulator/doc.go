// Package emulator is Artifact Keeper's API in memory: an HTTPS server that
// keeps providers, mappings, groups, repositories, permissions and accounts,
// exchanges OIDC tokens with real signature checks, and serves images under
// /v2/. It exists so that everything above it can be tested against answers of
// the registry's own shape, status by status and member by member, and against
// the ways in which a network or a proxy spoils them.
//
// # What it is, and what it is not
//
// The emulator speaks the wire format and shares no code with the client or
// with the rules of the provider: claim matching, key checks and token checks
// are written here a second time, so that a fault in the product's own rules
// is not mirrored by the thing that is meant to find it.
//
// Behaviour follows the registry API by [Profile]. Contract tests next to the
// package run the same rows against every profile, and against a real registry
// when ARTIFACT_KEEPER_ENDPOINT and ARTIFACT_KEEPER_TOKEN name one.
//
// # Use
//
//	registry, err := emulator.Start(emulator.Options{})
//	if err != nil { ... }
//	defer registry.Close()
//
//	group := registry.AddGroup("pullers", "")
//	registry.Inject(emulator.Fault{
//		Method: http.MethodPost,
//		Path:   "/api/v1/admin/ci-oidc",
//		Kind:   emulator.LostAfter,
//		Times:  1,
//	})
//	// point a client at registry.URL(), trusting registry.CACertificate(),
//	// with registry.Token(); then look at registry.State().
//
// A Server is safe for concurrent use.
package emulator
