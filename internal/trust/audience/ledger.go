// Package audience compares what the ends of a chain say of its audience: the kubelet's file that asks for tokens of it, the
// nodes that may request them, and the registry that takes them. A pull needs all three to say the same text.
//
// The ends come one by one and in any order, as objects are planned, and nobody says when all have come. So each is
// compared with those before it, and the last one of a pair finds what is wrong, whichever that is. What cannot be known:
//
//   - As long as each kind of end has one audience, all ends are taken for one chain, so that two of them with two
//     audiences are a mismatch. Where they are the first of two chains, of which the other halves come later, that is a
//     false alarm: with a provider and a file for each cluster and literal audiences, the second cluster's file may come
//     when of the providers only the first cluster's has. That ends are expected before they come makes it rare. References
//     between the objects of a chain rule it out, because what refers to an object comes after it, and finds its match.
//   - Once a kind has two audiences there are several chains, and only audiences that are spelt nearly alike are matched
//     up. A wrong audience that is like no other then goes unnamed.
//   - Ends that another ledger hears of, which is another instance of the provider, and ends that are declared nowhere.
//   - Audiences that were not known when their end came. The CLI plans again during apply, when they are, but only what it
//     changes: what stays as it is does not come then. Nor can the two plans be told apart, so that what the first has told
//     is told again.
package audience

import (
	"maps"
	"slices"
	"sync"
)

// Kind is what an end does with the audience.
type Kind int

// The kinds, in the order in which a pull passes them.
const (
	// File is the kubelet's file, or one of several. It asks for tokens.
	File Kind = iota
	// Nodes is the permission of nodes to request tokens.
	Nodes
	// Provider is what the registry trusts. It takes tokens.
	Provider

	kinds = iota
)

// End is what one object says.
type End struct {
	Kind Kind
	// Name is how the object is called in a sentence, such as `the CI OIDC provider "prod"`.
	Name string
	// Audiences are those that are known. Several are those of a file's entries. Empty texts say nothing.
	Audiences []string
	// Changes tells whether the plan at hand creates or changes the object.
	Changes bool
}

// Ledger remembers the ends that have come. The zero Ledger is ready, and may be used by many goroutines at once.
type Ledger struct {
	mu sync.Mutex
	// heard are the audiences that ends of a kind have or will have.
	heard [kinds]map[string]bool
	sides [kinds]side
	named map[[2]stand]bool
}

// stand is an audience that ends of a kind have.
type stand struct {
	kind     Kind
	audience string
}

// side is what the ends of one kind have said when they came.
type side struct {
	said map[string]*saying
	// alike are the audiences of each bare spelling.
	alike map[string][]string
}

type saying struct {
	names   []string
	changes bool
}

// Expect hears of an end before it comes, as early as its configuration is known, so that several chains are taken for
// several before all of them have come. What becomes of it is not said: a lifecycle rule may keep another audience.
func (l *Ledger) Expect(end End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hear(end)
}

func (l *Ledger) hear(end End) {
	for _, audience := range end.Audiences {
		if l.heard[end.Kind] == nil {
			l.heard[end.Kind] = map[string]bool{}
		}
		if audience != "" {
			l.heard[end.Kind][audience] = true
		}
	}
}

// Add hears what an end says, and gives what does not fit it among the ends that came before. Each mismatch is given once,
// and only if one of its objects is created or changed: of what stays as it is, an earlier plan has told.
func (l *Ledger) Add(end End) []Mismatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hear(end)
	for _, audience := range end.Audiences {
		if audience != "" {
			l.sides[end.Kind].add(audience, end)
		}
	}
	var found []Mismatch
	for _, audience := range slices.Compact(slices.Sorted(slices.Values(end.Audiences))) {
		for other := range Kind(kinds) {
			if audience != "" && other != end.Kind {
				found = append(found, l.compare(stand{end.Kind, audience}, other)...)
			}
		}
	}
	return found
}

func (s *side) add(audience string, end End) {
	if s.said == nil {
		s.said, s.alike = map[string]*saying{}, map[string][]string{}
	}
	known := s.said[audience]
	if known == nil {
		known = &saying{}
		s.said[audience] = known
		s.alike[bare(audience)] = append(s.alike[bare(audience)], audience)
	}
	if !slices.Contains(known.names, end.Name) {
		known.names = append(known.names, end.Name)
	}
	known.changes = known.changes || end.Changes
}

// compare gives the mismatches of an audience with the ends of another kind: none when one of them has it too.
func (l *Ledger) compare(one stand, kind Kind) []Mismatch {
	mine, theirs := l.sides[one.kind], l.sides[kind]
	if theirs.said[one.audience] != nil {
		return nil
	}
	var found []Mismatch
	for _, rival := range l.rivals(one.audience, theirs) {
		if mine.said[rival] != nil || !mine.said[one.audience].changes && !theirs.said[rival].changes {
			continue
		}
		pair := [2]stand{one, {kind, rival}}
		if pair[0].kind > pair[1].kind {
			pair[0], pair[1] = pair[1], pair[0]
		}
		if !l.named[pair] {
			found = append(found, l.name(pair))
		}
	}
	return found
}

// rivals are the audiences of the other side that may have been meant to be the same.
func (l *Ledger) rivals(audience string, theirs side) []string {
	if l.oneChain() {
		return slices.Collect(maps.Keys(theirs.said))
	}
	return theirs.alike[bare(audience)]
}

// oneChain reports whether all that was heard can be of one chain.
func (l *Ledger) oneChain() bool {
	return !slices.ContainsFunc(l.heard[:], func(audiences map[string]bool) bool { return len(audiences) > 1 })
}

func (l *Ledger) name(pair [2]stand) Mismatch {
	if l.named == nil {
		l.named = map[[2]stand]bool{}
	}
	l.named[pair] = true
	var m Mismatch
	for i, s := range pair {
		m[i] = Said{Kind: s.kind, Audience: s.audience, By: slices.Clone(l.sides[s.kind].said[s.audience].names)}
	}
	return m
}
