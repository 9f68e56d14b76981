// Package issuer is about the two documents by which anybody verifies a cluster's tokens: the discovery document and the key
// set of an OpenID Connect issuer (OpenID Connect Discovery 1.0, sections 3 and 4). It writes them for a public URL, and reads
// what an issuer has published as a consumer would.
package issuer
