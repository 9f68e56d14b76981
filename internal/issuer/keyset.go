package issuer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// keySet reads the key set into p.
func (r *Reader) keySet(ctx context.Context, p *Published, at string) {
	got := r.get(ctx, p, document{
		name: "key set", means: noKeys, types: []string{"application/json", "application/jwk-set+json"},
		absent: "Publish the key set under exactly this address, or the discovery document with the right jwks_uri.",
	}, at)
	if got == nil {
		return
	}
	p.cached(at, got.header)
	p.Answer = got.text
	set, faults, err := jwks.ParseUsable(string(got.text))
	if err != nil {
		p.add(Problem{
			Found: fmt.Sprintf("the key set at %s cannot be read: %s", shown(at), err), Means: noKeys,
			Remedy: "Publish the key set as the API server serves it at /openid/v1/jwks." + burnt(err),
		})
		return
	}
	p.faulty(at, faults)
	p.useless(at, set.Unusable())
	if set.Len() > 0 {
		p.Keys = set
	}
}

// mostKeys is how many keys are named one by one.
const mostKeys = 5

// faulty notes the keys that cannot be read, private ones first, so that none of those is among the ones that are counted only.
func (p *Published) faulty(at string, faults []error) {
	slices.SortStableFunc(faults, func(a, b error) int { return rank(a) - rank(b) })
	for i, fault := range faults {
		if i == mostKeys {
			p.more(at, len(faults)-i, "keys that cannot be used")
			return
		}
		problem := Problem{
			Found:  fmt.Sprintf("the key set at %s has a key that cannot be used: %s", shown(at), fault),
			Means:  someRefuse,
			Remedy: "Publish public RSA and EC keys alone, each with a kid of its own, as the API server does." + burnt(fault),
		}
		if errors.Is(fault, jwks.ErrPrivateKey) {
			problem.Means = "Everybody can read it, and sign tokens that every consumer accepts."
		}
		p.add(problem)
	}
}

func rank(fault error) int {
	if errors.Is(fault, jwks.ErrPrivateKey) {
		return 0
	}
	return 1
}

// useless notes the keys that can be read, and that verify no token.
func (p *Published) useless(at string, keys []string) {
	for i, key := range keys {
		if i == mostKeys {
			p.more(at, len(keys)-i, "keys that verify no token")
			return
		}
		p.add(Problem{
			Found: fmt.Sprintf("the key set at %s has a key that verifies no token, %s", shown(at), key),
			Means: "Consumers refuse tokens that are signed with it.", Remedy: soundKeys,
		})
	}
}

func (p *Published) more(at string, count int, which string) {
	p.add(Problem{Found: fmt.Sprintf("the key set at %s has %d more %s", shown(at), count, which), Means: someRefuse, Remedy: soundKeys})
}

const (
	someRefuse = "Consumers refuse tokens that are signed with such a key, and some refuse the whole set."
	soundKeys  = "Publish only keys that sign tokens, each with a kid: RSA keys of 2048 bits or more, and EC keys on the curve P-256."
)

// burnt says what is left to do about a private key that was published.
func burnt(err error) string {
	if !errors.Is(err, jwks.ErrPrivateKey) {
		return ""
	}
	return " Take the private key out at once, and sign with a new one: it is known to everybody."
}

// longestCache is how long anybody may go on with an old key set. Kubernetes lets a pod's token live for an hour unless it
// is asked otherwise, and its API server lets its own key set be cached for as long (pkg/routes/openidmetadata.go), so that
// whoever rotates keys waits an hour between one step and the next.
const longestCache = time.Hour

// cached notes a lifetime that outlasts a rotation. What counts is the whole of it, as the publisher set it (RFC 9111,
// section 4.2.1); the Age of this one answer is left out, because it goes up with every second.
func (p *Published) cached(at string, header http.Header) {
	found := longCache(header)
	if found == "" {
		return
	}
	p.add(Problem{
		Found: fmt.Sprintf("the key set at %s is served with %s, which lets everybody go on with an old one for more than an hour",
			shown(at), found),
		Means: "After a rotation consumers refuse tokens of the new key until their copy runs out, longer than a token lives, and " +
			"accept an old key that was taken out for as long.",
		Remedy: "Serve it with \"Cache-Control: public, max-age=3600\", as the API server does, or less.",
	})
}

// longCache is the part of a header that lets an answer live longer than longestCache; empty when none does.
func longCache(header http.Header) string {
	directives := map[string]string{}
	for part := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		directives[strings.ToLower(name)] = strings.Trim(value, `"`)
	}
	for _, never := range []string{"no-store", "no-cache"} {
		if _, ok := directives[never]; ok {
			return ""
		}
	}
	explicit := false
	for _, name := range []string{"s-maxage", "max-age"} {
		value, ok := directives[name]
		explicit = explicit || ok
		seconds, err := strconv.ParseUint(value, 10, 31)
		if errors.Is(err, strconv.ErrRange) {
			seconds = 1 << 31 // RFC 9111, section 1.2.2
		}
		if time.Duration(seconds)*time.Second > longestCache {
			return fmt.Sprintf("%s=%d", name, seconds)
		}
	}
	if explicit { // Expires then means nothing (RFC 9111, section 5.3).
		return ""
	}
	expires, err := http.ParseTime(header.Get("Expires"))
	if err != nil {
		return ""
	}
	from, err := http.ParseTime(header.Get("Date"))
	// Both are whole seconds, and a server may take the clock's second twice.
	if err == nil && expires.Sub(from) > longestCache+time.Minute {
		return "an Expires header"
	}
	return ""
}
