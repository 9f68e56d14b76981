package splice

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// block is a list with a dash on a line of its own for each element.
type block struct {
	text     []byte
	lines    lines
	elements []span
	// column is how many spaces stand before a dash, and gap how many characters are from there to what follows it.
	column int
	gap    int
	// step is the indentation within a provider. compact lists are not indented below their name.
	step    int
	compact bool
}

// readStyle takes the style of the first list in block style within a provider.
func (b *block) readStyle(providers *yaml.Node) {
	b.step = 2
	if b.gap < 2 {
		b.gap = 2
	}
	for _, provider := range providers.Content {
		for i := 0; i+1 < len(provider.Content); i += 2 {
			name, value := provider.Content[i], provider.Content[i+1]
			if value.Kind != yaml.SequenceNode || value.Style&yaml.FlowStyle != 0 || value.Line == name.Line {
				continue
			}
			if indent := value.Column - name.Column; indent > 0 {
				b.step = indent
			} else {
				b.compact = true
			}
			return
		}
	}
}

func (b *block) start(provider int) (int, bool) {
	if provider < 0 || provider >= len(b.elements) {
		return 0, false
	}
	return b.elements[provider].start, true
}

func (b *block) replace(place int, provider kubeletconfig.Provider) (edits, error) {
	at := b.elements[place]
	text, err := b.render(provider)
	return edits{{at.start, at.end, strings.TrimLeft(text, " ")}}, err
}

func (b *block) add(provider kubeletconfig.Provider) (edits, error) {
	text, err := b.render(provider)
	if err != nil {
		return nil, err
	}
	at := b.lines.end(b.elements[len(b.elements)-1].end)
	// Comments that are indented further than the dash are about the provider before.
	for at < len(b.text) {
		mark := skipSpace(b.text, at)
		if mark >= b.lines.end(at) || b.text[mark] != '#' || mark-at <= b.column {
			break
		}
		at = b.lines.end(at)
	}
	if last, _ := lastRune(b.text[:at]); !isBreak(last) {
		return edits{{at, at, lineBreak(b.text) + text}}, nil
	}
	return edits{{at, at, text + lineBreak(b.text)}}, nil
}

// drop takes out the lines of an element. Where the last line of the text has no line break, it has none afterwards.
func (b *block) drop(place int) (edits, error) {
	at := b.elements[place]
	from, to := b.lines.start(at.start), b.lines.end(at.end)
	if len(bytes.TrimLeft(b.text[from:at.start], " ")) > 0 {
		return nil, &UnsupportedError{Reason: "a provider does not begin on a line of its own"}
	}
	if last, _ := lastRune(b.text[:to]); !isBreak(last) {
		from -= breakBefore(b.text[:from])
	}
	return edits{{from, to, ""}}, nil
}

// render writes a provider with its dash, without a line break at the end.
func (b *block) render(provider kubeletconfig.Provider) (string, error) {
	encoded, err := kubeletconfig.EncodeProvider(provider, kubeletconfig.YAML)
	if err != nil {
		return "", err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(encoded, &node); err != nil {
		return "", err
	}
	quoteTexts(&node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(b.step)
	if b.compact {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(&node); err != nil {
		return "", err
	}
	if err := encoder.Close(); err != nil {
		return "", err
	}
	indent, gap := strings.Repeat(" ", b.column), strings.Repeat(" ", b.gap-1)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	return indent + "-" + gap + strings.Join(lines, lineBreak(b.text)+indent+" "+gap), nil
}

// quoteTexts makes every text one line, so that what follows a provider in the file never becomes a part of it.
func quoteTexts(node *yaml.Node) {
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		quoteTexts(child)
	}
}

// breakBefore gives the length of the line break at the end of a text.
func breakBefore(text []byte) int {
	last, size := lastRune(text)
	switch {
	case !isBreak(last):
		return 0
	case bytes.HasSuffix(text, []byte("\r\n")):
		return len("\r\n")
	}
	return size
}
