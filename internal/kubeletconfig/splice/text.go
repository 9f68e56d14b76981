package splice

import (
	"slices"
	"unicode/utf8"
)

// lines holds the offsets at which the lines of a text begin.
type lines []int

// splitLines counts lines as YAML's parser does (YAML 1.1, section 5.4), for which there are more line breaks than two.
// A byte order mark at the beginning is no part of the first line.
func splitLines(text []byte) lines {
	start := 0
	if first, size := utf8.DecodeRune(text); first == '\uFEFF' {
		start = size
	}
	found := lines{start}
	for at := start; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		at += size
		if r == '\r' && at < len(text) && text[at] == '\n' {
			continue
		}
		if isBreak(r) {
			found = append(found, at)
		}
	}
	return append(found, len(text))
}

// start is where the line of an offset begins.
func (l lines) start(offset int) int {
	next, found := slices.BinarySearch(l[:len(l)-1], offset)
	if found {
		return l[next]
	}
	return l[max(0, next-1)]
}

// end is where the line behind that of an offset begins.
func (l lines) end(offset int) int {
	next, found := slices.BinarySearch(l[:len(l)-1], offset)
	if found {
		next++
	}
	return l[min(next, len(l)-1)]
}

// lastRune gives the last character of a text and its length.
func lastRune(text []byte) (rune, int) { return utf8.DecodeLastRune(text) }

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || isBreak(r) }

// skipSpace gives the offset of the next character that is no white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if !isSpace(r) {
			break
		}
		at += size
	}
	return at
}

// skipTrivia gives the offset of the next character that is neither white space nor of a comment.
func skipTrivia(text []byte, at int) int {
	for {
		at = skipSpace(text, at)
		if at >= len(text) || text[at] != '#' {
			return at
		}
		at = skipLine(text, at)
	}
}

// skipLine gives the offset of the next line break.
func skipLine(text []byte, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if isBreak(r) {
			break
		}
		at += size
	}
	return at
}
