package trust

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

func (c *chain) exchangeLink() Link {
	var f finding
	var refused *artifactkeeper.Error
	switch {
	case c.credential != nil:
		f.note("the registry gave a credential for %q", c.credential.Username)
	case c.down():
		f.breaks(advice(c.healthErr), "the registry cannot be reached from here: %s", c.healthErr)
	case c.token != nil && c.opensAPIServer():
		return skipped(Exchange, "the token opens the API server, so it was not shown to the registry")
	case c.token == nil:
		return skipped(Exchange, "there is no token to show to the registry")
	case errors.As(c.exchangeErr, &refused) && refused.Status == 429:
		f.lacks(refused.Advice(), "%s", refused)
	case errors.As(c.exchangeErr, &refused) && noMapping(refused) && c.dependsOnPod():
		f.lacks("", "the registry says of a token without a pod: %d %s. See the link mapping", refused.Status, refused.Message)
	case errors.As(c.exchangeErr, &refused):
		f.echo = ofMappings(refused)
		f.breaks(refusalRemedy(refused), "the registry does not take the token and says: %d %s", refused.Status, refused.Message)
	default:
		f.breaks(advice(c.exchangeErr), "%s", c.exchangeErr)
	}
	return f.link(Exchange)
}

// ofMappings reports whether the registry took the token for genuine and then found nobody for it: it looks at mappings and
// their accounts last. What it says about the token itself, it says to everybody.
func ofMappings(e *artifactkeeper.Error) bool {
	return e.FromRegistry && e.Status == http.StatusUnauthorized && strings.Contains(e.Message, "identity mapping")
}

// refusalRemedy knows what only the registry sees; what another link is about is said there.
func refusalRemedy(e *artifactkeeper.Error) string {
	switch {
	case strings.Contains(e.Message, "ExpiredSignature"), strings.Contains(e.Message, "ImmatureSignature"):
		return "The token was made a moment ago: the clocks of the API server and the registry differ. Have both follow a time " +
			"server (chronyc tracking)."
	case strings.Contains(e.Message, "InvalidSignature"):
		return "See the link keys. Where it holds, the registry may still have the keys of before: it uses those that it fetched for " +
			"five minutes."
	case !e.FromRegistry:
		return e.Advice()
	case e.Status >= 500:
		return "The registry's log says more. With key source discovery, see the link keys."
	}
	return seeBefore
}

// seeBefore is the remedy of a link that fails for what earlier ones are broken for.
const seeBefore = "See the broken links before this one."

func (c *chain) manifest(ctx context.Context) Link {
	switch {
	case !c.Manifest:
		return skipped(Manifest, "manifest = true reads it")
	case c.credential == nil:
		return skipped(Manifest, "there is no credential to read it with")
	}
	var f finding
	read, err := c.Registry.ReadManifest(ctx, *c.credential, c.image.path, c.image.reference)
	var refused *artifactkeeper.Error
	switch {
	case err == nil:
		c.read = true
		f.note("%s:%s is a %s with the digest %s", c.image.path, c.image.reference, read.MediaType, read.Digest)
	case errors.As(err, &refused) && refused.Code == "MANIFEST_UNKNOWN":
		f.breaks("Push the image, or name a tag that is there.", "the repository has no %s with the tag or digest %s: %s", c.image.path,
			c.image.reference, refused)
	default:
		f.echo = errors.As(err, &refused) && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound},
			refused.Status)
		f.breaks(advice(err), "%s", err)
	}
	return f.link(Manifest)
}
