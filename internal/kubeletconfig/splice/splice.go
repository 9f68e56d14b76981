// Package splice changes some providers in the text of a CredentialProviderConfig and leaves every other byte as it is:
// the file belongs to others, and so do their comments, blank lines, indentation and line breaks. What is changed is
// cut out and put in at its place in the text; nothing is decoded and encoded again but the providers in question.
//
// YAML in block and flow style and JSON are taken. Every result is read again as the kubelet reads it and compared, by
// meaning, with what was to come of it: a place that was misjudged is an error and never a broken file.
package splice

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// ErrNoneLeft says that a change would leave a file without a provider, on which the kubelet exits at start.
var ErrNoneLeft = errors.New("no provider would be left in the file, and the kubelet exits at start when there is none")

// TakenError says that the text has a provider of a wanted name that is not the caller's.
type TakenError struct {
	// Name is the provider's name, and Wanted its index in what was wanted.
	Name   string
	Wanted int
	// Line is the line on which the provider begins in the text, counted from 1, or 0 when it is not known.
	Line int
}

func (e *TakenError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("there is a provider %q already", e.Name)
	}
	return fmt.Sprintf("there is a provider %q already, on line %d", e.Name, e.Line)
}

// UnsupportedError says that a text, which the kubelet takes, cannot be changed in place.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return "the file cannot be changed in place: " + e.Reason }

// Advice says what to do.
func (e *UnsupportedError) Advice() string {
	return "Write its list of providers in plain block style, as the documentation of Kubernetes does, and try again."
}

// Read is [kubeletconfig.Parse] for a text that is to be changed: it has to be UTF-8, which the kubelet does not ask of
// JSON. The error wraps [kubeletconfig.ErrNotText], or is that of Parse.
func Read(text []byte) (kubeletconfig.Config, error) {
	if at := invalid(text); at >= 0 {
		return kubeletconfig.Config{}, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:at], []byte("\n")), kubeletconfig.ErrNotText)
	}
	return kubeletconfig.Parse(text)
}

// invalid gives the offset of the first byte that is not UTF-8, or -1.
func invalid(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return -1
}

// Change returns the text with the caller's providers replaced by want. ours are the names of those in the text that
// are the caller's; names that are not there are passed over.
//
// want takes the places of ours, both in their order, and a provider that means what is wanted keeps its words. What is
// left of want follows behind the last provider of the text, in the style of its neighbours; what is left of ours is
// taken out, comments within it and behind it on its last line included. Put in and taken out again, the text is the
// same to the byte.
//
// The error is that of [Read], a [*TakenError], [ErrNoneLeft], a [*kubeletconfig.ValidationError] about want, whose
// locations are places in the new list, or an [*UnsupportedError].
func Change(text []byte, ours []string, want []kubeletconfig.Provider) ([]byte, error) {
	before, err := Read(text)
	if err != nil {
		return nil, err
	}
	var places []int
	for i, provider := range before.Providers {
		if slices.Contains(ours, provider.Name) {
			places = append(places, i)
			continue
		}
		taken := func(wanted kubeletconfig.Provider) bool { return wanted.Name == provider.Name }
		if wanted := slices.IndexFunc(want, taken); wanted >= 0 {
			return nil, &TakenError{Name: provider.Name, Wanted: wanted, Line: Line(text, i)}
		}
	}
	expected := expect(before, places, want)
	if len(expected.Providers) == 0 {
		return nil, ErrNoneLeft
	}
	if err := kubeletconfig.Validate(expected); err != nil {
		return nil, err
	}
	after, err := rewrite(text, before, places, want)
	if err != nil {
		return nil, err
	}
	if got, err := Read(after); err != nil || !got.Equal(expected) {
		return nil, &UnsupportedError{Reason: "other providers would not stay what they are"}
	}
	return after, nil
}

// expect is what is to come of a change.
func expect(before kubeletconfig.Config, places []int, want []kubeletconfig.Provider) kubeletconfig.Config {
	expected := kubeletconfig.Config{APIVersion: before.APIVersion}
	left := want
	for i, provider := range before.Providers {
		switch {
		case !slices.Contains(places, i):
			expected.Providers = append(expected.Providers, provider)
		case len(left) > 0:
			expected.Providers = append(expected.Providers, left[0])
			left = left[1:]
		}
	}
	expected.Providers = append(expected.Providers, left...)
	return expected
}

// rewrite changes the text one provider at a time, and looks at it anew for each.
func rewrite(text []byte, before kubeletconfig.Config, places []int, want []kubeletconfig.Provider) ([]byte, error) {
	type step func(list) (edits, error)
	var steps []step
	for i, provider := range want {
		switch {
		case i >= len(places):
			steps = append(steps, func(l list) (edits, error) { return l.add(provider) })
		case !before.Providers[places[i]].Equal(provider):
			steps = append(steps, func(l list) (edits, error) { return l.replace(places[i], provider) })
		}
	}
	if len(places) > len(want) {
		// From the end on, so that the places before stay as they are.
		for _, place := range slices.Backward(places[len(want):]) {
			steps = append(steps, func(l list) (edits, error) { return l.drop(place) })
		}
	}
	for _, step := range steps {
		found, err := locate(text)
		if err != nil {
			return nil, err
		}
		change, err := step(found)
		if err != nil {
			return nil, err
		}
		text = change.apply(text)
	}
	return text, nil
}

// edit puts a text in the place of the bytes from one offset up to another.
type edit struct {
	from, to int
	text     string
}

// edits are in the order of the text and do not overlap.
type edits []edit

func (e edits) apply(text []byte) []byte {
	var out []byte
	done := 0
	for _, change := range e {
		out = append(out, text[done:change.from]...)
		out = append(out, change.text...)
		done = change.to
	}
	return append(out, text[done:]...)
}

// list is the list of providers as it stands in a text.
type list interface {
	// start is the offset at which a provider begins, and false when there are not so many.
	start(provider int) (offset int, ok bool)
	replace(place int, provider kubeletconfig.Provider) (edits, error)
	// add puts a provider behind the last one.
	add(provider kubeletconfig.Provider) (edits, error)
	drop(place int) (edits, error)
}

// span is where something stands in a text.
type span struct{ start, end int }

// locate finds the providers.
func locate(text []byte) (list, error) {
	if kubeletconfig.FormatOfText(text) == kubeletconfig.JSON {
		return locateJSON(text)
	}
	return locateYAML(text)
}
