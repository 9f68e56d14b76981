package splice

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// locateYAML finds the elements of the member providers in the first document.
func locateYAML(text []byte) (list, error) {
	providers, err := providersNode(text)
	if err != nil {
		return nil, err
	}
	f := newFollower(text)
	if providers.Style&yaml.FlowStyle != 0 {
		return f.flow(providers)
	}
	return f.block(providers)
}

// providersNode finds the value of the member providers. The parser has panics of its own for comments in odd places.
func providersNode(text []byte) (found *yaml.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			found, err = nil, &UnsupportedError{Reason: fmt.Sprint(cause)}
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, &UnsupportedError{Reason: err.Error()}
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, &UnsupportedError{Reason: "it is no mapping"}
	}
	members := document.Content[0].Content
	for i := 0; i+1 < len(members); i += 2 {
		if members[i].Value != "providers" {
			continue
		}
		if members[i+1].Kind != yaml.SequenceNode || len(members[i+1].Content) == 0 {
			return nil, &UnsupportedError{Reason: "its providers are an alias, and not a list"}
		}
		return members[i+1], nil
	}
	return nil, &UnsupportedError{Reason: "it has no list of providers of its own"}
}

// flow finds the elements of a list in flow style.
func (f *follower) flow(providers *yaml.Node) (list, error) {
	start, err := f.start(providers)
	if err != nil {
		return nil, err
	}
	open := f.skipProperties(start)
	if !f.has(open, "[") {
		return nil, f.lost(providers)
	}
	found := &flow{text: f.text, open: open + 1}
	for _, node := range providers.Content {
		element, err := f.span(node)
		if err != nil {
			return nil, err
		}
		found.elements = append(found.elements, element)
	}
	return found, nil
}

// block finds the elements of a list in block style. They begin with their dash.
func (f *follower) block(providers *yaml.Node) (list, error) {
	at, err := f.start(providers)
	if err != nil {
		return nil, err
	}
	found := &block{text: f.text, lines: f.lines}
	at = skipTrivia(f.text, f.skipProperties(at))
	for i, node := range providers.Content {
		content, err := f.span(node)
		if err != nil {
			return nil, err
		}
		dash := at
		column := len([]rune(string(f.text[f.lines.start(dash):dash])))
		if i == 0 {
			found.column = column
		}
		// What stands between the end of one provider and the next one tells whether the end was found.
		if !f.has(dash, "-") || column != found.column || skipTrivia(f.text, dash+1) != content.start {
			return nil, f.lost(node)
		}
		if found.gap == 0 && f.lines.start(dash) == f.lines.start(content.start) {
			found.gap = len([]rune(string(f.text[dash:content.start])))
		}
		found.elements = append(found.elements, span{start: dash, end: content.end})
		at = skipTrivia(f.text, content.end)
	}
	if end := found.elements[len(found.elements)-1].end; f.lines.start(at) < f.lines.end(end) && at < len(f.text) {
		return nil, f.lost(providers)
	}
	found.readStyle(providers)
	return found, nil
}

// follower finds where nodes end. The parser only tells where they begin.
type follower struct {
	text  []byte
	lines lines
}

func newFollower(text []byte) *follower { return &follower{text: text, lines: splitLines(text)} }

func (f *follower) lost(node *yaml.Node) error {
	return &UnsupportedError{Reason: fmt.Sprintf("the way it is written near line %d is not understood", node.Line)}
}

func (f *follower) has(at int, prefix string) bool {
	return at <= len(f.text) && bytes.HasPrefix(f.text[at:], []byte(prefix))
}

func (f *follower) span(node *yaml.Node) (span, error) {
	start, err := f.start(node)
	if err != nil {
		return span{}, err
	}
	end, err := f.end(node)
	return span{start: start, end: end}, err
}

// start gives the offset of the parser's line and column, which count from 1, and count characters.
func (f *follower) start(node *yaml.Node) (int, error) {
	if node.Line < 1 || node.Line > len(f.lines) {
		return 0, f.lost(node)
	}
	from, to := f.lines[node.Line-1], f.lines[min(node.Line, len(f.lines)-1)]
	column := 1
	for i := range string(f.text[from:to]) {
		if column == node.Column {
			return from + i, nil
		}
		column++
	}
	if column == node.Column {
		return to, nil
	}
	return 0, f.lost(node)
}

// end gives the offset behind the last character of a node.
func (f *follower) end(node *yaml.Node) (int, error) {
	start, err := f.start(node)
	if err != nil {
		return 0, err
	}
	if node.Value != "" || node.Kind != yaml.ScalarNode || node.Anchor != "" || node.Style != 0 {
		// Where nothing is written, what follows is not the node's.
		start = f.skipProperties(start)
	}
	switch {
	case node.Kind == yaml.AliasNode && f.has(start, "*"+node.Value):
		return start + len("*") + len(node.Value), nil
	case node.Kind == yaml.ScalarNode:
		return f.endOfScalar(node, start)
	case node.Style&yaml.FlowStyle != 0:
		return f.endOfBrackets(node, start)
	case len(node.Content) > 0:
		return f.end(node.Content[len(node.Content)-1])
	}
	return 0, f.lost(node)
}

// endOfBrackets finds the bracket that closes behind the last element and what may follow that.
func (f *follower) endOfBrackets(node *yaml.Node, start int) (int, error) {
	open, closing := "[", "]"
	if node.Kind == yaml.MappingNode {
		open, closing = "{", "}"
	}
	end := start + len(open)
	if count := len(node.Content); count > 0 {
		var err error
		if end, err = f.end(node.Content[count-1]); err != nil {
			return 0, err
		}
	}
	if !f.has(start, open) {
		// A list may have a pair as its element without brackets of its own.
		return end, nil
	}
	for end = skipTrivia(f.text, end); f.has(end, ",") || f.has(end, ":"); {
		end = skipTrivia(f.text, end+1)
	}
	if !f.has(end, closing) {
		return 0, f.lost(node)
	}
	return end + len(closing), nil
}

func (f *follower) endOfScalar(node *yaml.Node, start int) (int, error) {
	switch {
	case node.Style&yaml.DoubleQuotedStyle != 0:
		for at := start + 1; at < len(f.text); at++ {
			switch f.text[at] {
			case '\\':
				at++
			case '"':
				return at + 1, nil
			}
		}
	case node.Style&yaml.SingleQuotedStyle != 0:
		for at := start + 1; at < len(f.text); at++ {
			if f.text[at] != '\'' {
				continue
			}
			if !f.has(at, "''") {
				return at + 1, nil
			}
			at++
		}
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		// The first line says how the text is to be read.
		return f.follow(node, f.lines.end(start))
	default:
		return f.follow(node, start)
	}
	return 0, f.lost(node)
}

// follow walks along a text without quotes, which may be spread over lines: but for white space every character of the
// value stands in it, in order.
func (f *follower) follow(node *yaml.Node, at int) (int, error) {
	end := at
	for _, r := range node.Value {
		if isSpace(r) {
			continue
		}
		at = skipSpace(f.text, at)
		if !f.has(at, string(r)) {
			return 0, f.lost(node)
		}
		at += len(string(r))
		end = at
	}
	// One line break ends a block text, further ones are its own.
	for range len(node.Value) - len(strings.TrimRight(node.Value, "\n")) - 1 {
		end = f.lines.end(end)
	}
	return end, nil
}

// skipProperties gives the offset behind the anchor and the tag of a node.
func (f *follower) skipProperties(at int) int {
	for f.has(at, "&") || f.has(at, "!") {
		for at < len(f.text) && !isSpace(rune(f.text[at])) {
			at++
		}
		at = skipTrivia(f.text, at)
	}
	return at
}
