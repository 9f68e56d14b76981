package splice

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// flow is a list in brackets: JSON, or YAML's flow style, in which JSON can stand too.
type flow struct {
	text []byte
	json bool
	// open is the offset behind the opening bracket.
	open     int
	elements []span
}

func (f *flow) start(provider int) (int, bool) {
	if provider < 0 || provider >= len(f.elements) {
		return 0, false
	}
	return f.elements[provider].start, true
}

func (f *flow) replace(place int, provider kubeletconfig.Provider) (edits, error) {
	at := f.elements[place]
	text, err := f.render(provider, at)
	return edits{{at.start, at.end, text}}, err
}

func (f *flow) add(provider kubeletconfig.Provider) (edits, error) {
	last := f.elements[len(f.elements)-1]
	text, err := f.render(provider, last)
	return edits{{last.end, last.end, f.separator() + text}}, err
}

// separator is what stands between two providers: what others put there, if that tells.
func (f *flow) separator() string {
	count := len(f.elements)
	if count > 1 {
		if gap, plain := f.gap(count - 1); plain {
			return string(gap)
		}
	}
	lead := f.text[f.open:f.elements[0].start]
	switch {
	case isBlank(lead) && bytes.ContainsAny(lead, "\r\n"):
		return "," + string(lead)
	case f.isSpaced(f.elements[0]):
		return ", "
	}
	return ","
}

// gap is what stands before an element that is not the first, and whether it is nothing but white space and the comma.
func (f *flow) gap(place int) (gap []byte, plain bool) {
	gap = f.text[f.elements[place-1].end:f.elements[place].start]
	before, after, found := bytes.Cut(gap, []byte(","))
	return gap, found && isBlank(before) && isBlank(after)
}

// drop takes out an element, of several, and the comma before it; the comma behind it for the first. Comments in between
// are not ours.
func (f *flow) drop(place int) (edits, error) {
	at := f.elements[place]
	first := place == 0
	neighbour := place
	if first {
		neighbour = 1
	}
	gap, plain := f.gap(neighbour)
	from := f.elements[neighbour-1].end
	switch {
	case plain && first:
		return edits{{at.start, f.elements[1].start, ""}}, nil
	case plain:
		return edits{{from, at.end, ""}}, nil
	}
	comma, ok := commaIn(gap)
	if !ok {
		return nil, &UnsupportedError{Reason: "there is no comma between two providers"}
	}
	out := edits{{from + comma, from + comma + 1, ""}, {at.start, at.end, ""}}
	if first {
		out[0], out[1] = out[1], out[0]
	}
	return out, nil
}

// commaIn finds the comma among white space and comments.
func commaIn(gap []byte) (int, bool) {
	for at := 0; at < len(gap); at++ {
		at = skipTrivia(gap, at)
		if at < len(gap) && gap[at] == ',' {
			return at, true
		}
	}
	return 0, false
}

// render writes a provider as JSON, in the shape of one that is there.
func (f *flow) render(provider kubeletconfig.Provider, like span) (string, error) {
	encoded, err := kubeletconfig.EncodeProvider(provider, kubeletconfig.JSON)
	if err != nil {
		return "", err
	}
	model := f.text[like.start:like.end]
	var out bytes.Buffer
	if first := bytes.IndexAny(model, "\r\n"); first >= 0 {
		prefix := f.indentation(like.end - 1)
		step := indentationAt(bytes.TrimLeft(model[first:], "\r\n"))
		if step = strings.TrimPrefix(step, prefix); step == "" {
			step = "  "
		}
		if err := json.Indent(&out, bytes.TrimSpace(encoded), prefix, step); err != nil {
			return "", err
		}
		return strings.ReplaceAll(out.String(), "\n", lineBreak(f.text)), nil
	}
	if err := json.Compact(&out, encoded); err != nil {
		return "", err
	}
	if f.isSpaced(like) {
		return spaced(out.String()), nil
	}
	return out.String(), nil
}

// isSpaced reports whether an element has a space behind its colons, or has to have: YAML asks for one.
func (f *flow) isSpaced(like span) bool {
	return !f.json || bytes.Contains(f.text[like.start:like.end], []byte(": "))
}

// indentation is the white space at the beginning of the line that an offset is on.
func (f *flow) indentation(offset int) string {
	return indentationAt(f.text[1+bytes.LastIndexAny(f.text[:offset], "\r\n"):])
}

func indentationAt(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// spaced puts a space behind the colons and commas of compact JSON.
func spaced(compact string) string {
	var out strings.Builder
	quoted, escaped := false, false
	for _, r := range compact {
		out.WriteRune(r)
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case !quoted && (r == ':' || r == ','):
			out.WriteByte(' ')
		}
	}
	return out.String()
}

func isBlank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n")) == 0 }

// lineBreak is the way in which a text breaks its lines.
func lineBreak(text []byte) string {
	switch at := bytes.IndexAny(text, "\r\n"); {
	case at < 0 || text[at] == '\n':
		return "\n"
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return "\r\n"
	}
	return "\r"
}
