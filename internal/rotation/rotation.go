// Package rotation judges a change of the key set that a registry verifies a cluster's tokens with: which tokens in use it
// refuses from then on.
//
// Keys rotate without an outage while every key that some valid token is signed with is in the set: the registry gets a new
// key before the API server signs with it, and loses an old one after the API server does.
package rotation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// Change is a change of the set. A nil set is no set, such as that of a provider that is yet to be made.
type Change struct{ Old, New *jwks.Set }

// Dropped are the kids of the keys that the change takes out of the set, sorted. A key whose kid stays, with other material,
// is dropped: its tokens are not verified any more.
func (c Change) Dropped() []string {
	if c.Old == nil || c.New == nil {
		return nil
	}
	return c.New.Missing(c.Old)
}

// Sight is what a look at the cluster's keys showed. Each half may be missing, and then has the reason.
type Sight struct {
	// Signs is the kid of a token that the API server signed just now.
	Signs    string
	SignsErr error
	// Serves are the keys that the API server publishes, which are those that it accepts tokens of.
	Serves    *jwks.Set
	ServesErr error
}

// Unseen is the sight of a cluster that could not be looked at.
func Unseen(err error) Sight { return Sight{SignsErr: err, ServesErr: err} }

// errElsewhere is about clusters whose keys are not those of the API server, as on EKS.
var errElsewhere = errors.New("the API server does not serve the key that it signs with, so that what it serves does not tell")

// Warning is what is said of a change, with a detail that ends in a full stop.
type Warning struct{ Summary, Detail string }

// Warnings says which tokens in use the change cuts off; nothing when it drops no key, or only keys that the API server
// neither signs with nor serves any more. Such keys are also those that never were the cluster's: it mends to drop them.
func (c Change) Warnings(seen Sight) []Warning {
	dropped := c.Dropped()
	if len(dropped) == 0 {
		return nil
	}
	if seen.SignsErr == nil && seen.ServesErr == nil && !seen.Serves.Has(seen.Signs) {
		seen.ServesErr = errElsewhere
	}
	var out []Warning
	cut := false // whether the key that signs is dropped
	if seen.SignsErr == nil && !seen.signsWithOneOf(c.New) {
		cut = seen.signsWithOneOf(c.Old)
		out = append(out, c.signing(seen.Signs, cut))
		dropped = slices.DeleteFunc(dropped, func(kid string) bool { return kid == seen.Signs })
	}
	if c.New.Disjoint(c.Old) && (cut || seen.SignsErr != nil || seen.ServesErr != nil) {
		return append(out, disjoint(seen, cut))
	}
	return append(out, c.inUse(dropped, seen)...)
}

// signsWithOneOf reports whether the set has the key that signs: by its material where that is served, or else by its kid.
// A key with other material under that kid is then one of the dropped keys that nobody knows about.
func (s Sight) signsWithOneOf(set *jwks.Set) bool {
	if s.ServesErr != nil {
		return set.Has(s.Signs)
	}
	return !slices.Contains(set.Missing(s.Serves), s.Signs)
}

// signing is about the key that signs, which the new set lacks; had tells whether the old one has it.
func (c Change) signing(kid string, had bool) Warning {
	lacks := "which the new set does not have"
	if c.New.Has(kid) {
		lacks = "and the new set has another key under that kid"
	}
	if !had {
		return Warning{"The key that signs now is not in the set", fmt.Sprintf("The API server signs tokens with the key %s, %s. "+
			"The old one does not have it either: the registry refuses every new token, before this change and after it, and all pulls "+
			"of the cluster fail. Put the key into the set (static_jwks = data.aktrust_cluster_jwks.NAME.jwks).", kid, lacks)}
	}
	return Warning{"The key that signs now would be dropped", fmt.Sprintf("The API server signs tokens with the key %s, %s. From the "+
		"moment this is applied, the registry refuses every new token, and all pulls of the cluster fail. Keep the key in the set "+
		"(static_jwks = data.aktrust_cluster_jwks.NAME.jwks), and drop it when the API server signs with another key of the set, "+
		"and the last token of this one has expired.", kid, lacks)}
}

// disjoint is about a change that leaves no key; cut tells that the key that signs is known to be among the dropped ones.
// Without that, the old keys may be those of nobody, and the change what mends the pulls.
func disjoint(seen Sight, cut bool) Warning {
	detail := "From the moment this is applied, the registry refuses every token that is signed with a key of the old set, and pulls " +
		"fail until tokens are signed with a new key"
	if !cut {
		detail += ", unless no token of these keys is in use, as when they are not the cluster's own"
	}
	detail += ". For a rotation without an outage, keep the old key in the set until its tokens have expired."
	switch reasons := seen.reasons(); {
	case seen.SignsErr != nil:
		detail += " Which key signs now, and which tokens are still in use, could not be looked at: " + reasons
	case seen.ServesErr != nil:
		detail += " The key that signs now is " + seen.Signs + ". Which tokens are still in use could not be looked at: " + reasons
	}
	return Warning{"No key of the old set remains", detail}
}

const stillInUse = "Tokens of a dropped key may still be in use"

// inUse is about dropped keys that, as far as is known, do not sign.
func (c Change) inUse(dropped []string, seen Sight) []Warning {
	if len(dropped) == 0 {
		return nil
	}
	if seen.ServesErr != nil {
		return []Warning{{stillInUse, fmt.Sprintf("From the moment this is applied, the registry refuses tokens that are signed with %s. "+
			"Whether one of them may still be valid could not be looked at: %s Apply when tokens are signed with another key, and the "+
			"last of those has expired.", name(dropped), seen.reasons())}}
	}
	gone := seen.Serves.Missing(c.Old)
	live := slices.DeleteFunc(dropped, func(kid string) bool { return slices.Contains(gone, kid) })
	if len(live) == 0 {
		return nil
	}
	signs := "The key that signs now is " + seen.Signs + "."
	if seen.SignsErr != nil {
		signs = "Which key it signs with could not be looked at: " + seen.reasons()
	}
	return []Warning{{stillInUse, fmt.Sprintf("The API server still serves %s, and so accepts tokens that are signed with %s. %s From "+
		"the moment this is applied, the registry refuses those tokens, and pulls with them fail. Wait until the last of them has "+
		"expired, take %[2]s out of the API server, and drop %[2]s here after that.", name(live), them(live), signs)}}
}

// reasons says why something was not seen, in sentences; empty when everything was.
func (s Sight) reasons() string {
	var texts []string
	for _, err := range []error{s.ServesErr, s.SignsErr} {
		if err == nil {
			continue
		}
		text := err.Error()
		var adviser interface{ Advice() string }
		if errors.As(err, &adviser) && adviser.Advice() != "" {
			text += ". " + adviser.Advice()
		}
		if text = strings.TrimSuffix(text, ".") + "."; !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

func name(kids []string) string {
	if len(kids) == 1 {
		return "the key " + kids[0]
	}
	return "the keys " + strings.Join(kids, ", ")
}

func them(kids []string) string {
	if len(kids) == 1 {
		return "it"
	}
	return "them"
}
