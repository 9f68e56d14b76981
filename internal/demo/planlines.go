package main

import (
	"regexp"
	"slices"
	"strings"
)

// attributeDepth is how far the sign before an attribute of a resource is indented.
const attributeDepth = 6

var (
	// sign begins a line of a plan that adds, removes or changes something.
	sign = regexp.MustCompile(`^ *(?:[-+~]|-/\+|\+/-) +(\S+)`)
	// alignment is the space before an equals sign, which depends on the neighbours.
	alignment = regexp.MustCompile(`^( *\S+ +\S+) += `)
)

// planLines picks out of a plan what it says about some attributes of a resource: the lines with a sign, and the
// brackets that close what they open. It returns nil when the plan changes nothing of that. The plan is a text without
// colour; OpenTofu and Terraform write it alike. An attribute that is a text of several lines cannot be picked, because
// what looks like a sign there may be its own.
func planLines(plan, address string, attributes ...string) []string {
	var picked []string
	var wanted bool // whether the attribute that the line belongs to is one of attributes
	var open []int  // how deep the brackets close that picked lines have opened
	for _, line := range blockOf(plan, address) {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		name, signed := signedName(line)
		if depth == attributeDepth {
			wanted = signed && slices.Contains(attributes, name)
			open = nil
		}
		closes := len(open) > 0 && depth == open[len(open)-1]
		switch {
		case wanted && signed:
			if strings.ContainsRune("[{(", rune(line[len(line)-1])) {
				open = append(open, depth+2)
			}
		case closes:
			open = open[:len(open)-1]
		default:
			continue
		}
		picked = append(picked, alignment.ReplaceAllString(line[attributeDepth:], "$1 = "))
	}
	return picked
}

// signedName is the first word behind the sign of a line; ok is false for a line without one.
func signedName(line string) (name string, ok bool) {
	found := sign.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// blockOf is the lines of a plan that say what will happen to a resource. Those that say what has happened to it outside
// of the CLI have another headline.
func blockOf(plan, address string) []string {
	var block []string
	inside := false
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\n")
		if headline, ok := strings.CutPrefix(line, "  # "); ok {
			inside = strings.HasPrefix(headline, address+" will be ") || strings.HasPrefix(headline, address+" must be ")
		}
		if line == "    }" {
			inside = false
		}
		if inside && len(line) > attributeDepth {
			block = append(block, line)
		}
	}
	return block
}
