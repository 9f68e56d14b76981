package kubeletconfig

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// Warning is something that the kubelet accepts and that does not do what it seems to.
type Warning struct {
	Location Location
	// Message says what the kubelet makes of it and what to write instead.
	Message string
}

// String is the place and the message in one line.
func (w Warning) String() string { return fmt.Sprintf("%s: %s", w.Location, w.Message) }

// Warnings looks for what the kubelet accepts and nobody means: patterns that never match or match something else than
// they show, and names and audiences with invisible parts. A config that [Validate] refuses may be given too.
func Warnings(config Config) []Warning {
	var warnings []Warning
	for i, provider := range config.Providers {
		add := func(where Field, element int, message string) {
			at := Location{Provider: i, Name: provider.Name, Field: where, Element: element}
			warnings = append(warnings, Warning{Location: at, Message: message})
		}
		if message := nameWarning(provider.Name); message != "" {
			add(FieldName, None, message)
		}
		for j, pattern := range provider.MatchImages {
			if first := slices.Index(provider.MatchImages, pattern); first < j {
				add(FieldMatchImages, j, fmt.Sprintf("%q stands in this list already, at place %d", pattern, first))
				continue
			}
			for _, message := range PatternWarnings(pattern) {
				add(FieldMatchImages, j, message)
			}
		}
		if t := provider.TokenAttributes; t != nil {
			if message := audienceWarning(t.ServiceAccountTokenAudience); message != "" {
				add(FieldAudience, None, message)
			}
		}
	}
	return warnings
}

func nameWarning(name string) string {
	switch {
	case name == "":
		return "the name is empty: the kubelet takes the directory of the binaries for the plugin and exits at start"
	case strings.ContainsFunc(strings.ReplaceAll(name, " ", ""), isInvisible):
		// Spaces are refused, see Validate.
		return fmt.Sprintf("the name %q has white space or control characters in it: the kubelet looks for a binary of exactly "+
			"this name", name)
	}
	return ""
}

func isInvisible(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

func audienceWarning(audience string) string {
	switch {
	case audience == "":
		return ""
	case strings.TrimSpace(audience) == "":
		return "the audience is nothing but white space, and so would be the aud of every token: no registry expects that"
	case strings.TrimSpace(audience) != audience:
		return fmt.Sprintf("the audience %q begins or ends with white space, which becomes part of the token's aud", audience)
	case cluster.IsAPIServerAudience(strings.TrimSuffix(audience, "/")):
		return fmt.Sprintf("%q is commonly an audience of the API server: a token for it opens the API server to whoever holds it, "+
			"and the plugin hands it on; choose an audience that only the registry expects", audience)
	}
	return ""
}

// PatternWarnings says what is odd about one entry of matchImages, or nothing. What [ParsePattern] refuses gives no warning.
func PatternWarnings(pattern string) []string {
	parsed, err := url.Parse("https://" + pattern)
	if err != nil {
		return nil
	}
	if pattern == "" {
		return []string{"an empty pattern matches no image"}
	}
	if scheme, rest, found := strings.Cut(pattern, "://"); found {
		return []string{fmt.Sprintf("a pattern has no scheme: the kubelet takes %q for the host, so %q matches no image; write %q",
			scheme+":", pattern, rest)}
	}
	warnings := ignoredParts(pattern, parsed)
	host, _ := ParsePattern(pattern)
	if message := hostWarning(parsed, host); message != "" {
		warnings = append(warnings, message)
	}
	if message := pathWarning(parsed.Path); message != "" {
		warnings = append(warnings, message)
	}
	return warnings
}

// ignoredParts finds what belongs to a URL and not to an image.
func ignoredParts(pattern string, parsed *url.URL) []string {
	var warnings []string
	plain := parsed.Host + parsed.Path
	if parsed.User != nil {
		warnings = append(warnings, fmt.Sprintf("the kubelet ignores what stands before the @ of a pattern: this one is %q", plain))
	}
	if strings.ContainsAny(pattern, "?#") {
		warnings = append(warnings, fmt.Sprintf("the kubelet ignores a pattern from its ? or # on: this one is %q; "+
			"of the globs only * can be used", plain))
	}
	return warnings
}

// hostWarning finds hosts that no image can have. An image's first component is a host only if it has a dot or a port,
// is localhost or has an upper-case letter; everything else is a path on docker.io.
func hostWarning(parsed *url.URL, host Pattern) string {
	name := strings.Join(host.labels, ".")
	glob := strings.Contains(name, "*")
	switch {
	case name == "":
		return "the pattern has no host and matches no image"
	case strings.HasPrefix(parsed.Host, "[") && host.port == "":
		return "the kubelet reads the brackets of an IPv6 address without a port as a set of characters: the pattern matches no image"
	case strings.ToLower(name) != name:
		return fmt.Sprintf("hosts are compared with upper and lower case apart: this matches only images that are written so; "+
			"write %q", strings.ToLower(parsed.Host))
	case strings.ContainsFunc(name, unicode.IsSpace):
		return "the host has white space in it and matches no image"
	case slices.Contains(host.labels, ""):
		return "the host has an empty label (a dot at its begin or end, or two in a row) and matches no image"
	case name == "index.docker.io":
		return `images of Docker Hub are compared as docker.io: this matches no image; write "docker.io"`
	case host.port != "" || len(host.labels) > 1 || name == "localhost":
		return ""
	case glob && host.Compare("localhost"+host.path).Matches():
		return fmt.Sprintf("%q is one label, and a * never stands for a dot: of all hosts without a port this matches only "+
			"localhost; write one * for each label", name)
	}
	return fmt.Sprintf("an image whose first component has neither a dot nor a port lies on docker.io: the host %q matches no image", name)
}

func pathWarning(path string) string {
	switch {
	case strings.Contains(path, "*"):
		return "a * in the path is a literal star and matches no image; a path matches all that begins with it, " +
			"so end it with a slash instead"
	case strings.ContainsAny(path, ":@"):
		return "tag and digest of an image are dropped before it is compared: a path with : or @ in it matches no image"
	case strings.ToLower(path) != path:
		return "paths of images are lower case: this matches no image"
	case strings.ContainsFunc(path, unicode.IsSpace):
		return "the path has white space in it and matches no image"
	case strings.Contains(path, "//"):
		return "the path has an empty component and matches no image"
	}
	return ""
}
