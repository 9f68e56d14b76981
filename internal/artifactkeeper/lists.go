package artifactkeeper

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// IDList is what a write says of a list that has three states in the API: null, empty and filled.
// The zero value says nothing: a create leaves the list null, and an update leaves it null where it is null.
type IDList struct {
	ids   []string
	given bool
	clear bool
}

// IDs gives a list of exactly these ids; without any it is the empty list, which is not null.
func IDs(ids ...string) IDList { return IDList{ids: append([]string{}, ids...), given: true} }

// Cleared makes a list null that was not.
func Cleared() IDList { return IDList{clear: true} }

// IsZero keeps the member out of a request that says nothing of it.
func (l IDList) IsZero() bool { return !l.given && !l.clear }

// MarshalJSON gives null for a cleared list.
func (l IDList) MarshalJSON() ([]byte, error) {
	if !l.given {
		return []byte("null"), nil
	}
	return json.Marshal(l.ids)
}

// matches reports whether a list that came back is the one asked for; ids have no order and no case.
func (l IDList) matches(got *[]string) bool {
	if !l.given || got == nil {
		return !l.given && got == nil
	}
	return slices.Equal(normalIDs(l.ids), normalIDs(*got))
}

// restore is the list that brings back what was there before.
func restore(before *[]string) IDList {
	if before == nil {
		return Cleared()
	}
	return IDs(*before...)
}

func normalIDs(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strings.ToLower(id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// differences collects the members that came back with another value.
type differences []string

func (d *differences) add(text string) { *d = append(*d, text) }

func (d *differences) compare(member string, wanted, got any) {
	if wanted != got {
		d.add(fmt.Sprintf("%s (asked for %s, got %s)", member, value(wanted), value(got)))
	}
}

func (d *differences) list(member string, wanted IDList, got *[]string) {
	if wanted.matches(got) {
		return
	}
	asked, have := "null", "null"
	if wanted.given {
		asked = value(wanted.ids)
	}
	if got != nil {
		have = value(*got)
	}
	d.add(fmt.Sprintf("%s (asked for %s, got %s)", member, asked, have))
}

func value(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(text), 200)
}
