package audience

import (
	"fmt"
	"strings"
	"unicode"
)

// Mismatch is two audiences that should be one, in the order of their kinds.
type Mismatch [2]Said

// Said is an audience, and who said it.
type Said struct {
	Kind     Kind
	Audience string
	// By are the names of the objects.
	By []string
}

// Summary says in one line what does not fit.
func (m Mismatch) Summary() string {
	first := m[0].does()
	return fmt.Sprintf("%s%s, but %s", strings.ToUpper(first[:1]), first[1:], m[1].does())
}

func (s Said) does() string {
	return fmt.Sprintf([kinds]string{
		"the kubelet's file asks for tokens of %q", "nodes may request tokens of %q", "the registry takes tokens of %q",
	}[s.Kind], s.Audience)
}

// Text says in sentences where the two audiences stand, in what they differ when they nearly agree, what comes of it, and
// what to do.
func (m Mismatch) Text() string {
	text := fmt.Sprintf("The audience is %q in %s, and %q in %s.", m[0].Audience, m[0].who(), m[1].Audience, m[1].who())
	if how := NearMiss(m[0].Audience, m[1].Audience); how != "" {
		text += " T" + how[1:] + "."
	}
	return text + " " + m.consequence() + "\n\n" + remedy
}

func list(texts []string) string {
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

const remedy = "Give the audience in one place, and refer to it in the others: write it into aktrust_ci_oidc_provider, and take " +
	"aktrust_ci_oidc_provider.NAME.audience for audience of aktrust_node_audience and for service_account_token_audience of the " +
	"kubelet's file. If these belong to two chains, nothing is wrong."

// mostNames is how many objects of an audience are named.
const mostNames = 3

func (s Said) who() string {
	if more := len(s.By) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(s.By[:mostNames], ", "), more)
	}
	return strings.Join(s.By, ", ")
}

// consequence is what becomes of a pull; see the links node_audience and file_audience of a check.
func (m Mismatch) consequence() string {
	switch {
	case m[0].Kind == Nodes:
		return "The registry refuses every token that nodes may request, so that pulls go on without a credential."
	case m[1].Kind == Nodes:
		return "The API server refuses the kubelet such a token, so that pulls go on without a credential."
	}
	return "The registry refuses the kubelet's token, so that pulls go on without a credential."
}

// NearMiss says in a clause in what two audiences differ that were probably meant to be the same; empty when they are the same,
// or were not.
func NearMiss(a, b string) string {
	if ways := differences(a, b); len(ways) > 0 {
		return fmt.Sprintf("they differ by %s alone, which counts", list(ways))
	}
	return ""
}

// spellings are the ways in which texts differ that are meant to be the same, each with what takes the difference away.
// They are taken in this order, because what looks like a scheme is one in lower case.
var spellings = []struct {
	difference string
	without    func(string) string
}{
	{"white space", func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, text)
	}},
	{"upper and lower case", strings.ToLower},
	{"the scheme in front", func(text string) string {
		return strings.TrimPrefix(strings.TrimPrefix(text, "https://"), "http://")
	}},
	{"a trailing slash", func(text string) string { return strings.TrimRight(text, "/") }},
}

// bare is what is left of an audience without the ways in which spellings differ.
func bare(audience string) string { return bareBut(audience, -1) }

// bareBut leaves one of the ways in.
func bareBut(audience string, way int) string {
	for i, spelling := range spellings {
		if i != way {
			audience = spelling.without(audience)
		}
	}
	return audience
}

// differences are the ways in which two audiences differ that are otherwise the same; none when they are not.
func differences(a, b string) []string {
	if bare(a) != bare(b) {
		return nil
	}
	var ways []string
	for i, spelling := range spellings {
		if bareBut(a, i) != bareBut(b, i) {
			ways = append(ways, spelling.difference)
		}
	}
	return ways
}
