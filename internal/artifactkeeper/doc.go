// Package artifactkeeper is a client of the Artifact Keeper registry's admin API, as far as the trust between
// a cluster and the registry needs it: CI OIDC providers and their identity mappings, groups, repositories,
// health, login and the token exchange.
//
// It holds to a few rules that the API alone does not give:
//
//   - A create is never sent twice. When its answer is lost, the client looks for what was made
//     and adopts it, or names every candidate ([AmbiguousCreateError]).
//   - What an old registry ignores without a word never passes. The version is read before the first write that
//     needs a newer one ([UnsupportedError]), and every answer is compared with its request ([NotAppliedError]).
//   - Reads of providers and mappings are answered from one list per parent, so that refreshing a thousand
//     mappings costs a handful of requests.
//   - Only the registry's own answer says that an object is gone ([IsNotFound]); a page of a proxy,
//     a missing route, 401, 403 and 5xx do not.
//   - No error carries a credential, even when the server echoes one.
package artifactkeeper
