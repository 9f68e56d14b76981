package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// report writes what happens, as plain text. Secrets that it has been told of never get through.
type report struct {
	started time.Time

	mu      sync.Mutex // guards what is below, and keeps lines whole
	out     io.Writer
	secrets []string
}

const (
	lineWidth  = 120 // characters
	factIndent = 14  // of what follows the label of a fact
)

// step is one thing to prove.
type step struct {
	title string
	// prove returns what has been proven, in a sentence.
	prove func(ctx context.Context) (string, error)
}

func newReport(out io.Writer) *report { return &report{out: out, started: time.Now()} }

// conceal has a secret left out of whatever is written from now on.
func (r *report) conceal(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if secret != "" {
		r.secrets = append(r.secrets, secret)
	}
}

// title begins a part.
func (r *report) title(text string) { r.write("\n" + text) }

// fact writes something that was seen or done, under a short label. Further lines stand below the first.
func (r *report) fact(label, format string, args ...any) {
	lines := wrap(fmt.Sprintf(format, args...), lineWidth-factIndent)
	r.write(fmt.Sprintf("   %-10s %s", label, strings.Join(lines, "\n"+strings.Repeat(" ", factIndent))))
}

// took is fact with the time since started.
func (r *report) took(started time.Time, label, format string, args ...any) {
	r.fact(label, "%s (%s)", fmt.Sprintf(format, args...), seconds(started))
}

// step proves one step. Its mark is only written when it is proven.
func (r *report) step(ctx context.Context, s step) error {
	started := time.Now()
	r.title(s.title)
	proof, err := s.prove(ctx)
	if err != nil {
		return err
	}
	r.write(fmt.Sprintf(" ✓ %s (%s)", proof, seconds(started)))
	return nil
}

// done says that all is proven.
func (r *report) done(steps int) {
	r.write(fmt.Sprintf("\nAll %d steps proven in %s.", steps, seconds(r.started)))
}

// failed says that something is not proven, and why.
func (r *report) failed(err error) {
	r.write(fmt.Sprintf("\n ✗ %s\n\nNot proven, after %s.", err, seconds(r.started)))
}

func (r *report) write(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range r.secrets {
		text = strings.ReplaceAll(text, secret, "(secret)")
	}
	fmt.Fprintln(r.out, text)
}

// wrap breaks a text into lines of at most so many bytes, between words. Its own line breaks and what indents its lines
// stay, and a word that is too long is left whole.
func wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for len(line) > width {
			at := strings.LastIndex(line[:width+1], " ")
			if strings.TrimLeft(line[:max(at, 0)], " ") == "" { // the first word is too long
				word := strings.TrimLeft(line, " ")
				if at = strings.Index(word, " "); at < 0 {
					break
				}
				at += len(line) - len(word)
			}
			lines, line = append(lines, line[:at]), line[at+1:]
		}
		lines = append(lines, line)
	}
	return lines
}

// seconds is the time since then, in tenths.
func seconds(since time.Time) string { return fmt.Sprintf("%.1f s", time.Since(since).Seconds()) }
