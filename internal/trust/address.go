package trust

import (
	"fmt"
	"net/url"
	"strings"
)

// A pull follows the image's host and the plugin's --url, while a check asks the registry that the provider is configured
// with. These may be three names of one registry, which cannot be seen from here, or a file of another environment. So what
// differs is said, and decides nothing.

// asked is the address of the registry that the check asks.
func (c *chain) asked() string { return addressOf(c.Registry.Endpoint()) }

// pluginAddress is the one that the plugin asks; empty when the file does not say.
func (c *chain) pluginAddress() string {
	if c.file.chosen == nil {
		return ""
	}
	return addressOf(pluginSetting(*c.file.chosen, "url", "AK_URL"))
}

// imageAddress is the one that the image is pulled from.
func (c *chain) imageAddress() string {
	host, _, _ := strings.Cut(c.image.repository, "/")
	return addressOf("https://" + host)
}

// addressOf is the host and port of a URL, in lower case and without the port that https has anyway; empty for what has none.
func addressOf(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Host), ":443")
}

// caveat says in a sentence which other addresses a pull meets; empty when there are none.
func (c *chain) caveat() string {
	var others []string
	if there := c.imageAddress(); there != c.asked() {
		others = append(others, "the image is pulled from "+there)
	}
	if there := c.pluginAddress(); there != "" && there != c.asked() {
		others = append(others, "the plugin asks "+there)
	}
	if others == nil {
		return ""
	}
	return fmt.Sprintf("The registry was asked at %s, and %s: this holds as far as that is one registry.", c.asked(),
		strings.Join(others, " and "))
}
