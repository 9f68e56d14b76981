package trust

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// fileFacts are what the kubelet's file says about the image.
type fileFacts struct {
	config   kubeletconfig.Config
	err      error
	matching []kubeletconfig.Provider
	// chosen is the matching entry that the check is about; nil when none matches.
	chosen *kubeletconfig.Provider
}

// audience is that of the chosen entry; empty when it asks for no token.
func (f fileFacts) audience() string {
	if f.chosen == nil || f.chosen.TokenAttributes == nil {
		return ""
	}
	return f.chosen.TokenAttributes.ServiceAccountTokenAudience
}

// readFile decodes the file as the kubelet does. Of several entries for the image, the one is looked at that asks for a
// token: for the audience asked for, for one that a provider of the registry takes, or for any.
func (c *chain) readFile() {
	if c.KubeletConfig == "" {
		return
	}
	if c.file.config, c.file.err = kubeletconfig.Parse([]byte(c.KubeletConfig)); c.file.err != nil {
		return
	}
	for _, p := range c.file.config.Providers {
		if slices.ContainsFunc(p.MatchImages, func(text string) bool { return matches(text, c.image.repository) }) {
			c.file.matching = append(c.file.matching, p)
		}
	}
	if len(c.file.matching) == 0 {
		return
	}
	rank := func(p kubeletconfig.Provider) int {
		switch {
		case p.TokenAttributes == nil:
			return 0
		case p.TokenAttributes.ServiceAccountTokenAudience == c.Audience:
			return 3
		case slices.ContainsFunc(c.providers, func(r artifactkeeper.Provider) bool {
			return r.Audience == p.TokenAttributes.ServiceAccountTokenAudience
		}):
			return 2
		}
		return 1
	}
	best := slices.MaxFunc(c.file.matching, func(a, b kubeletconfig.Provider) int { return cmp.Compare(rank(a), rank(b)) })
	c.file.chosen = &best
}

func matches(pattern, repository string) bool {
	parsed, err := kubeletconfig.ParsePattern(pattern)
	return err == nil && parsed.Compare(repository).Matches()
}

// pluginSetting is what the plugin ak-kubelet-provider is told by a flag or, where there is none, by a variable. Of several, the
// last one counts.
func pluginSetting(p kubeletconfig.Provider, flag, variable string) string {
	setting := ""
	for _, v := range p.Env {
		if v.Name == variable {
			setting = v.Value
		}
	}
	for i, arg := range p.Args {
		switch name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "="); {
		case name != flag || !strings.HasPrefix(arg, "-"):
		case joined:
			setting = value
		case i+1 < len(p.Args):
			setting = p.Args[i+1]
		}
	}
	return setting
}

func (c *chain) fileLink() Link {
	if c.KubeletConfig == "" {
		return skipped(File, "credential_provider_config is not given, so the kubelet's file was not looked at")
	}
	var f finding
	switch {
	case c.file.err != nil:
		remedy := advice(c.file.err)
		if remedy == "" {
			remedy = "Mend the file; a kubelet that is started with it exits. aktrust_credential_provider_config checks these rules " +
				"while planning."
		}
		f.breaks(remedy, "the kubelet refuses the file: %s", c.file.err)
	case c.file.chosen == nil:
		c.explainMiss(&f)
	default:
		f.note("the provider %q answers for the image", c.file.chosen.Name)
		if len(c.file.matching) > 1 {
			f.note("%d providers of the file answer for it", len(c.file.matching))
		}
		if there := c.pluginAddress(); there != "" && there != c.asked() {
			f.note("its plugin asks the registry at %s, and this check asked %s", there, c.asked())
			f.remedy(fmt.Sprintf("Unless both are one registry, give the plugin --url=%s, or this provider its address as endpoint.",
				c.Registry.Endpoint()))
		}
	}
	return f.link(File)
}

// nearMiss is a pattern that does not match, and how far it is from it.
type nearMiss struct {
	provider, pattern string
	why, remedy       string
	distance          int
}

// mostMisses is how many patterns are explained: the nearest ones.
const mostMisses = 3

func (c *chain) explainMiss(f *finding) {
	var all []nearMiss
	for _, p := range c.file.config.Providers {
		for _, text := range p.MatchImages {
			all = append(all, c.explain(p.Name, text))
		}
	}
	slices.SortStableFunc(all, func(a, b nearMiss) int { return cmp.Compare(a.distance, b.distance) })
	all = all[:min(len(all), mostMisses)]
	texts := make([]string, len(all))
	for i, miss := range all {
		texts[i] = fmt.Sprintf("the pattern %q of %q %s", miss.pattern, miss.provider, miss.why)
	}
	f.breaks(all[0].remedy, "no provider of the file answers for %s, so the kubelet pulls without one: %s", c.image.repository,
		strings.Join(texts, "; "))
}

// explain says why a pattern does not match. The nearer it is, the more likely it was meant.
func (c *chain) explain(provider, text string) nearMiss {
	host, path, _ := strings.Cut(c.image.repository, "/")
	miss := nearMiss{provider: provider, pattern: text, distance: 9, remedy: fmt.Sprintf("match_images = [%q]", host)}
	pattern, err := kubeletconfig.ParsePattern(text)
	if err != nil {
		miss.why = "cannot be parsed and matches nothing"
		return miss
	}
	patternHost, patternPath, hasPath := strings.Cut(text, "/")
	sameHost := strings.EqualFold(withoutPort(patternHost), withoutPort(host))
	switch why := pattern.Compare(c.image.repository); why.Reason {
	case kubeletconfig.PortDiffers:
		miss.why = fmt.Sprintf("misses by the port: it has %s and the image has %s; the two must be equal", port(why.Pattern),
			port(why.Image))
		if sameHost {
			miss.distance = 0
		}
	case kubeletconfig.LabelCountDiffers:
		miss.why = fmt.Sprintf("misses by the number of labels: %s has %d and %s has %d; a * stands for exactly one", why.Pattern,
			labels(why.Pattern), why.Image, labels(why.Image))
		miss.distance = 4
		if strings.HasSuffix(why.Image, strings.TrimLeft(why.Pattern, "*")) {
			miss.distance = 2
		}
	case kubeletconfig.PathDiffers:
		miss.why = fmt.Sprintf("misses by the path: %s is not how %s begins", why.Pattern, why.Image)
		switch {
		case strings.Contains(why.Pattern, "*"):
			miss.why += "; a star in a path is a star and stands for nothing, because paths are compared as prefixes"
			miss.remedy = fmt.Sprintf("match_images = [%q]", starless(patternHost, patternPath))
		case strings.HasPrefix(strings.ToLower(why.Image), strings.ToLower(why.Pattern)):
			miss.why += "; upper and lower case count"
		case hasPath:
			miss.remedy = fmt.Sprintf("match_images = [%q]", host+"/"+firstSegment(path)+"/")
		}
		miss.distance = 1
	case kubeletconfig.LabelDiffers:
		miss.why = fmt.Sprintf("misses by the host: %q is not %q", why.Image, why.Pattern)
		miss.distance = 5
		if strings.EqualFold(why.Pattern, why.Image) {
			miss.why += "; upper and lower case count"
			miss.distance = 0
		}
	}
	return miss
}

func starless(host, path string) string {
	if path = path[:strings.Index(path+"*", "*")]; path == "" {
		return host
	}
	return host + "/" + path
}

func firstSegment(path string) string {
	segment, _, _ := strings.Cut(path, "/")
	return segment
}

func withoutPort(host string) string {
	host, _, _ = strings.Cut(host, ":")
	return host
}

func labels(host string) int { return strings.Count(host, ".") + 1 }

func port(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func (c *chain) fileAudience() Link {
	var f finding
	var asked, from string
	switch {
	case c.KubeletConfig == "" && c.Audience == "":
		return skipped(FileAudience, "credential_provider_config is not given, so there is no audience of a file")
	case c.KubeletConfig == "":
		asked, from = c.Audience, "the argument audience"
	case c.file.err != nil, c.file.chosen == nil:
		return skipped(FileAudience, "no provider of the file answers for the image")
	case c.file.audience() == "":
		f.breaks(fmt.Sprintf("token_attributes = {\n  service_account_token_audience = %q\n  cache_type = \"ServiceAccount\"\n"+
			"  require_service_account = true\n}", c.wantedAudience()),
			"the provider %q of the file has no tokenAttributes, so the kubelet hands the plugin no token of the pod", c.file.chosen.Name)
		return f.link(FileAudience)
	default:
		asked, from = c.file.audience(), fmt.Sprintf("the provider %q of the file", c.file.chosen.Name)
	}
	if c.Audience != "" && c.Audience != asked {
		f.breaks(c.mendEither(asked), "%s asks for %q, and the argument audience is %q%s", from, asked, c.Audience,
			byHow(asked, c.Audience))
	}
	switch p := c.resolved.provider; {
	case p == nil && c.providersErr == nil && len(f.broken) == 0:
		return skipped(FileAudience, "%s says %q, and no provider of the registry answers for the issuer", from, asked)
	case p == nil:
		f.lacks("", "%s says %q, and there is no provider of the registry to compare it with", from, asked)
	case p.Audience != asked:
		f.breaks(c.askFor(p.Audience),
			"%s says %q, and the provider %q of the registry takes %q alone%s", from, asked, p.Name, p.Audience, byHow(asked, p.Audience))
	default:
		f.note("%s and the provider %q agree on %q", from, p.Name, asked)
	}
	return f.link(FileAudience)
}

// askFor has tokens asked for an audience: in the file, or where there is none, in the argument.
func (c *chain) askFor(audience string) string {
	if c.KubeletConfig == "" {
		return fmt.Sprintf("audience = %q for this check, as the pods' tokens have it", audience)
	}
	return fmt.Sprintf("service_account_token_audience = %q", audience)
}

// mendEither is about a file and an argument that differ: the one is mended that the registry does not take.
func (c *chain) mendEither(asked string) string {
	if p := c.resolved.provider; p != nil && p.Audience == asked {
		return fmt.Sprintf("audience = %q for this check, or leave it out: the file says it", asked)
	}
	return fmt.Sprintf("service_account_token_audience = %q", c.Audience)
}

// byHow says in what two audiences differ that are nearly the same.
func byHow(a, b string) string {
	if how := audience.NearMiss(a, b); how != "" {
		return ": " + how
	}
	return ""
}

// wantedAudience is what a file should ask for.
func (c *chain) wantedAudience() string {
	switch {
	case c.resolved.provider != nil:
		return c.resolved.provider.Audience
	case c.Audience != "":
		return c.Audience
	}
	return "artifact-keeper" // the registry's default
}
