package kubeletconfig

import (
	// The digests of image references are checked with these.
	_ "crypto/sha256"
	_ "crypto/sha512"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"

	"github.com/distribution/reference"
)

// Repository returns an image the way the kubelet compares it with patterns: host and path written out (nginx is
// docker.io/library/nginx), without tag and digest. The error is the kubelet's for an image that is no reference.
func Repository(image string) (string, error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return "", fmt.Errorf("couldn't parse image name %q: %w", image, err)
	}
	return named.Name(), nil
}

// Matches reports whether a provider with this entry in matchImages is asked for the image. A pattern or an image that
// does not parse matches nothing.
func Matches(pattern, image string) bool {
	parsed, err := ParsePattern(pattern)
	if err != nil {
		return false
	}
	repository, err := Repository(image)
	if err != nil {
		return false
	}
	return parsed.Compare(repository).Matches()
}

// MatchingProviders returns the names of the providers that are asked for the image, in the order of the file.
// The error says that the image is no reference.
func MatchingProviders(config Config, image string) ([]string, error) {
	repository, err := Repository(image)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(config.Providers))
	for _, provider := range config.Providers {
		if provider.matches(repository) {
			names = append(names, provider.Name)
		}
	}
	return names, nil
}

func (p Provider) matches(repository string) bool {
	for _, text := range p.MatchImages {
		if pattern, err := ParsePattern(text); err == nil && pattern.Compare(repository).Matches() {
			return true
		}
	}
	return false
}

// Pattern is an entry of matchImages: HOST[:PORT][/PATH], with globs in the labels of the host.
type Pattern struct {
	location
}

// location is a pattern or a repository cut into what is compared.
type location struct {
	labels []string
	port   string
	path   string
}

// ParsePattern reads a pattern as the kubelet does, which is as a URL without its scheme. That takes more than it
// should: see [Warnings]. The error is the kubelet's.
func ParsePattern(pattern string) (Pattern, error) {
	parsed, err := parseLocation(pattern)
	return Pattern{parsed}, err
}

func parseLocation(text string) (location, error) {
	parsed, err := url.Parse("https://" + text)
	if err != nil {
		return location{}, err
	}
	host, port, err := net.SplitHostPort(parsed.Host)
	if err != nil {
		host, port = parsed.Host, ""
	}
	return location{labels: strings.Split(host, "."), port: port, path: parsed.Path}, nil
}

// Reason is why a pattern does not match.
type Reason int

// The reasons, in the order in which the kubelet looks at them.
const (
	// Matched is no reason: the pattern matches.
	Matched Reason = iota
	// Unparsable: the repository is not one, see [Repository].
	Unparsable
	// PortDiffers: ports must be equal, and no port is not 443.
	PortDiffers
	// LabelCountDiffers: a * stands for one label of the host, never for none or several.
	LabelCountDiffers
	// PathDiffers: the pattern's path must be a prefix of the image's. It need not end at a slash.
	PathDiffers
	// LabelDiffers: one label of the host does not match its glob. Upper and lower case differ.
	LabelDiffers
)

// Comparison is the outcome of holding a pattern against an image: what was compared last, on both sides.
type Comparison struct {
	Reason Reason
	// Pattern and Image are the two ports, hosts, paths or labels that do not fit; both are empty when all fits.
	Pattern string
	Image   string
}

// Matches reports whether the pattern matches.
func (c Comparison) Matches() bool { return c.Reason == Matched }

// Compare holds the pattern against a repository as [Repository] returns it, in the kubelet's order of steps, and says
// at which one they part.
func (p Pattern) Compare(repository string) Comparison {
	image, err := parseLocation(repository)
	if err != nil {
		return Comparison{Reason: Unparsable, Image: repository}
	}
	if p.port != image.port {
		return Comparison{PortDiffers, p.port, image.port}
	}
	if len(p.labels) != len(image.labels) {
		return Comparison{LabelCountDiffers, strings.Join(p.labels, "."), strings.Join(image.labels, ".")}
	}
	if !strings.HasPrefix(image.path, p.path) {
		return Comparison{PathDiffers, p.path, image.path}
	}
	for i, glob := range p.labels {
		// A glob that is malformed matches nothing. The kubelet uses the file system's matcher, which is this one
		// everywhere but on Windows.
		if fits, err := path.Match(glob, image.labels[i]); err != nil || !fits {
			return Comparison{LabelDiffers, glob, image.labels[i]}
		}
	}
	return Comparison{}
}
