package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkMeansProven(t *testing.T) {
	var out strings.Builder
	r := newReport(&out)
	prove := func(err error) error {
		return r.step(t.Context(), step{"a title", func(context.Context) (string, error) {
			r.fact("seen", "something")
			return "proof", err
		}})
	}
	if err := prove(nil); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "\na title\n   seen       something\n ✓ proof (") {
		t.Errorf("a proven step is reported as %q", got)
	}

	out.Reset()
	broken := errors.New("the reason")
	err := prove(broken)
	if !errors.Is(err, broken) {
		t.Errorf("error %v is not the reason", err)
	}
	r.failed(err)
	if got := out.String(); strings.Contains(got, "✓") || !strings.Contains(got, " ✗ the reason\n\nNot proven, after ") {
		t.Errorf("a step that failed is reported as %q", got)
	}
}

func TestReportConcealsSecrets(t *testing.T) {
	var out strings.Builder
	r := newReport(&out)
	r.conceal("")
	r.conceal("s3cret")
	r.title("title s3cret")
	r.fact("label", "a s3cret and\ns3cret")
	r.failed(errors.New("answer: s3cret"))
	if got := out.String(); strings.Contains(got, "s3cret") || strings.Count(got, "(secret)") != 4 {
		t.Errorf("reported: %s", got)
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                        {""},
		"one two":                 {"one two"},
		"one two three four":      {"one two", "three four"},
		"exactly10c ten":          {"exactly10c", "ten"},
		"a\n  b\n":                {"a", "  b", ""},
		"longerthanthewidth":      {"longerthanthewidth"},
		"longerthanthewidth then": {"longerthanthewidth", "then"},
		"  longerthanthewidth a":  {"  longerthanthewidth", "a"},
		"so longerthanthewidth a": {"so", "longerthanthewidth", "a"},
	} {
		if diff := cmp.Diff(want, wrap(text, 10)); diff != "" {
			t.Errorf("wrap(%q) (-want +got):\n%s", text, diff)
		}
	}
}
