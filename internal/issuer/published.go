package issuer

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// DiscoveryURL is where consumers look for the discovery document. A slash at the end of the issuer is left out first.
func DiscoveryURL(issuer string) string { return strings.TrimRight(issuer, "/") + discoveryPath }

// Published is what an issuer has published, as far as it could be read. The same published state gives the same value.
type Published struct {
	// Issuer and JWKSURI are the members of the discovery document, empty when it has none or could not be read.
	Issuer, JWKSURI string
	// Answer is what was served at JWKSURI, byte for byte; nil when nothing was. It may hold what must not be shown.
	Answer []byte
	// Keys are those of the answer that jwks.ParseUsable reads, also one that verifies no token; nil when there is none.
	Keys *jwks.Set
	// Problems are all that could be found, those of the discovery document first. There is none exactly when a consumer
	// that keeps to the standards verifies tokens with what is published, and would after a rotation.
	Problems []Problem
}

// Problem is one thing that is wrong with what is published.
type Problem struct {
	// Found says what was found, without a full stop.
	Found string
	// Means says in sentences what that means for consumers, and Remedy what to do.
	Means, Remedy string
}

// String is the problem in sentences.
func (p Problem) String() string {
	found := p.Found
	if rest, ok := strings.CutPrefix(found, "the "); ok {
		found = "The " + rest
	}
	return strings.Join([]string{found + ".", p.Means, p.Remedy}, " ")
}

// What most problems mean.
const (
	noDocument = "Without this document consumers get no keys, and refuse every token of the issuer."
	noKeys     = "Without the keys consumers refuse every token of the issuer."
)

// Reader reads what issuers publish, as a consumer does: anonymously, over HTTPS, each document within Timeout and
// MaxDocument.
//
// Redirects are not followed. OpenID Connect Discovery 1.0 (section 4.2) asks for an answer of 200 with the document itself;
// some consumers follow redirects and others refuse them, so that only what is served without one is there for all.
type Reader struct{ transport http.RoundTripper }

// NewReader makes a reader with a transport, such as one of Transport. Nil is the one with the authorities of the system.
func NewReader(transport http.RoundTripper) *Reader {
	if transport == nil {
		transport = Transport(nil)
	}
	return &Reader{transport}
}

// Read reads both documents of an issuer. What cannot be reached or read is a problem of the result; only the end of the
// context is an error.
func (r *Reader) Read(ctx context.Context, issuer string) (*Published, error) {
	p := &Published{}
	if uri := r.discovery(ctx, p, issuer); uri != "" {
		r.keySet(ctx, p, uri)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Published) add(problem Problem) {
	problem.Found = printable(problem.Found)
	p.Problems = append(p.Problems, problem)
}

// Compare holds what is published against the keys that should be, such as those of the cluster: the kids that are missing
// and those that are more than expected, both sorted. Another key under an expected kid is both. A missing key is stale,
// which is a problem; one that is more is not, because during a rotation the old key stays until its tokens have expired.
// Where no key could be read all are missing, which the problems of p say already.
func (p *Published) Compare(expected *jwks.Set) (missing, extra []string, stale []Problem) {
	missing, extra = p.Keys.Missing(expected), expected.Missing(p.Keys)
	if len(missing) == 0 || p.Keys == nil {
		return missing, extra, nil
	}
	var absent, changed []string
	for _, kid := range missing {
		if slices.Contains(extra, kid) {
			changed = append(changed, kid)
		} else {
			absent = append(absent, kid)
		}
	}
	var found []string
	if len(absent) > 0 {
		found = append(found, "lacks "+keysNamed(absent)+", which should be published")
	}
	if len(changed) > 0 {
		found = append(found, "has other content than it should under the kid of "+keysNamed(changed))
	}
	return missing, extra, []Problem{{
		Found:  printable("the key set at " + shown(p.JWKSURI) + " " + strings.Join(found, ", and ")),
		Means:  "The published keys are stale: consumers refuse every token that is signed with what is missing.",
		Remedy: "Publish the key set again. Until their caches run out, consumers go on with the old one.",
	}}
}
