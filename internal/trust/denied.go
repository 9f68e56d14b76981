package trust

import (
	"fmt"
	"slices"
	"strings"
)

// Denied reports whether the chain itself keeps the ServiceAccount out: the nodes may not request the audience for it, no
// mapping matches, the mapping's account is deactivated, or the account may not read the repository. A registry that is
// down, a link that is unknown and a set-up that is broken for everybody are not that, even where a refusal stands beside
// them: nobody knows whether it would still be one. Neither is a ServiceAccount that does not exist, about which nothing was
// tried, nor a repository that is open to everybody or could not be looked at.
func (r Result) Denied() bool {
	tried := r.Link(ServiceAccount).Status == OK
	return len(r.refusals()) > 0 && len(r.faults()) == 0 && tried && r.sealed
}

// refusals are the broken links by which the chain keeps somebody out. Unless a mapping wins for certain, it is not known
// whose account and permission were looked at.
func (r Result) refusals() []Name {
	mapped := r.Link(Mapping).Status == OK
	var names []Name
	for _, l := range r.Links {
		if l.Status == Broken && l.refusal && (mapped || l.Name != Account && l.Name != Permission) {
			names = append(names, l.Name)
		}
	}
	return names
}

// faults are the broken links that are neither refusals nor what comes of them: whoever pulls meets those.
func (r Result) faults() []Name {
	refusals := r.refusals()
	refused := slices.ContainsFunc(refusals, func(name Name) bool {
		return name == Mapping || name == Account || name == Permission
	})
	var names []Name
	for _, l := range r.Links {
		own := l.Name == Account || l.Name == Permission // of this ServiceAccount, and of nobody else
		if l.Status == Broken && !own && !slices.Contains(refusals, l.Name) && (!l.echo || !refused) {
			names = append(names, l.Name)
		}
	}
	return names
}

// Undenied says in a sentence why a pull that does not work is no refusal by the chain; empty when it is one, or works.
func (r Result) Undenied() string {
	switch faults := r.faults(); {
	case r.Allowed() || r.Denied():
		return ""
	case len(faults) > 0:
		return fmt.Sprintf("That is no refusal by the chain itself, because the set-up is broken for everybody (%s).", join(faults))
	}
	return "That is no refusal by the chain itself."
}

// Remedies says what to change about the links that are broken, or, where none is, about those that are unknown: a paragraph for
// each that knows. Of a ServiceAccount that is meant to be denied, only what is broken for everybody is mended: whatever mends a
// refusal lets it in.
func (r Result) Remedies(denied bool) string {
	names, what := r.With(Broken), "mend"
	switch {
	case denied && (r.Denied() || r.Allowed()):
		return ""
	case denied:
		names = r.faults()
	}
	if len(r.With(Broken)) == 0 {
		names, what = r.With(Unknown), "settle"
	}
	var out strings.Builder
	for _, name := range names {
		if remedy := r.Link(name).Remedy; remedy != "" && remedy != seeBefore {
			fmt.Fprintf(&out, "\n\nTo %s %s:\n%s", what, name, remedy)
		}
	}
	return strings.TrimLeft(out.String(), "\n")
}
