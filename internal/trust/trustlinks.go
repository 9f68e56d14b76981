package trust

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

func (c *chain) issuer() Link {
	var f finding
	found := c.issuerText()
	switch p := c.resolved.provider; {
	case found == "" && c.documentsErr != nil:
		f.lacks(advice(c.documentsErr), "the issuer of the cluster is not known: %s", c.documentsErr)
	case p == nil && c.providersErr != nil:
		f.lacks(advice(c.providersErr), "the cluster's issuer is %q, and the providers of the registry are not known: %s", found,
			c.providersErr)
	case p == nil:
		return skipped(Issuer, "the cluster's issuer is %q, and no provider of the registry stands for it alone", found)
	case p.IssuerURL == found:
		f.note("the tokens of the cluster say iss %q, as the provider %q does", found, p.Name)
	default:
		how := issuer.Difference(found, p.IssuerURL)
		// The registry chooses a provider with the slash aside, and then verifies character for character.
		if strings.TrimRight(found, "/") == strings.TrimRight(p.IssuerURL, "/") {
			how += ", which lets the registry find the provider and then refuse the token (InvalidIssuer)"
		}
		f.breaks(fmt.Sprintf("issuer_url = %q", found), "the tokens of the cluster say iss %q, and the provider %q has issuer_url %q: %s",
			found, p.Name, p.IssuerURL, how)
	}
	return f.link(Issuer)
}

func (c *chain) provider() Link {
	var f finding
	issuer := c.issuerText()
	switch p := c.resolved.provider; {
	case c.providersErr != nil:
		f.lacks(advice(c.providersErr), "%s", c.providersErr)
	case p != nil && !p.IsEnabled:
		c.disabledProvider(&f, p)
	case p != nil:
		f.note("the provider %q (%s) answers for the cluster", p.Name, p.ID)
		if len(c.resolved.rivals) > 0 {
			f.note("the registry does not find it, as long as the tokens are not for its audience %q: other enabled providers have the "+
				"issuer too: %s", p.Audience, describeProviders(c.resolved.rivals))
		}
		if p.ProviderType != artifactkeeper.TypeKubernetes {
			f.note("its type is %q and not kubernetes, so that its credentials may write as well", p.ProviderType)
		}
		c.judgePluginsChoice(&f, p)
	case c.ProviderID != "":
		remedy := "provider_id = aktrust_ci_oidc_provider.NAME.id"
		if c.providerIDOf == ofPlugin {
			remedy = "--provider-id=${aktrust_ci_oidc_provider.NAME.id} for the plugin, and the file to every node"
		}
		f.breaks(remedy, "the registry has no provider with the id %s, which %s names",
			c.ProviderID, c.providerIDOf)
	case issuer == "":
		f.lacks(advice(c.documentsErr), "the issuer of the cluster is not known, so no provider could be looked for")
	case len(c.resolved.rivals) > 0:
		c.rivalProviders(&f, issuer)
	case len(c.resolved.disabled) > 0:
		f.breaks("is_enabled = true for the one of them whose audience is meant, and that audience in the file and for the nodes",
			"all providers of the issuer %q are disabled: %s", issuer, describeProviders(c.resolved.disabled))
	default:
		f.breaks(fmt.Sprintf(providerBlock, issuer, c.wantedAudience()),
			"the registry has no provider of the issuer %q%s", issuer, c.otherIssuers(issuer))
	}
	return f.link(Provider)
}

// judgePluginsChoice is about a check that names the provider itself: a pull goes by what the file tells the plugin.
func (c *chain) judgePluginsChoice(f *finding, p *artifactkeeper.Provider) {
	if c.ProviderID == "" || c.providerIDOf == ofPlugin || c.file.chosen == nil {
		return
	}
	named := pluginSetting(*c.file.chosen, "provider-id", "AK_PROVIDER_ID")
	chosen := resolve(c.providers, c.issuerText(), []string{c.audience}, named).provider
	if chosen != nil && chosen.ID == p.ID {
		return
	}
	says := "names none, and the registry does not find this one by the issuer and the audience alone"
	if named != "" {
		says = "names " + named
	}
	f.breaks(fmt.Sprintf("--provider-id=%s for the plugin, and the file to every node", p.ID),
		"%s names the provider %q (%s), and the plugin %q of the file %s", c.providerIDOf, p.Name, p.ID, c.file.chosen.Name, says)
}

// disabledProvider is about one that would answer. Others of the issuer are named, because they take its place or share its fault.
func (c *chain) disabledProvider(f *finding, p *artifactkeeper.Provider) {
	remedy := fmt.Sprintf("is_enabled = true for the provider %q", p.Name)
	others := slices.DeleteFunc(slices.Clone(c.resolved.disabled), func(o artifactkeeper.Provider) bool { return o.ID == p.ID })
	switch {
	case len(c.resolved.rivals) > 0:
		f.breaks(remedy, "the provider %q (%s), whose audience is %q, is disabled, and of the same issuer the enabled ones take other "+
			"audiences: %s", p.Name, p.ID, p.Audience, describeProviders(c.resolved.rivals))
	case len(others) > 0:
		f.breaks(remedy, "the provider %q (%s), whose audience is %q, is disabled, and so is every other of the issuer: %s", p.Name, p.ID,
			p.Audience, describeProviders(others))
	default:
		f.breaks(remedy, "the provider %q (%s) is disabled, and no other answers for the issuer", p.Name, p.ID)
	}
}

// rivalProviders is about several that are enabled, of which the registry cannot choose one.
func (c *chain) rivalProviders(f *finding, issuer string) {
	rivals := c.resolved.rivals
	all := describeProviders(rivals)
	const name = "give the plugin --provider-id (and this check provider_id)"
	switch {
	case c.audience == "":
		f.breaks("Give this check the audience that the pods' tokens are for, as audience or by credential_provider_config.",
			"%d enabled providers have the issuer %s, and no audience is given that would single one out: %s", len(rivals), issuer, all)
	case slices.ContainsFunc(rivals, c.takes):
		f.breaks("Disable or delete all but one, or "+name+".",
			"%d enabled providers have the issuer %s, and the audience %q does not single one out: %s", len(rivals), issuer, c.audience,
			all)
	default:
		f.breaks("Ask for the audience of the one that is meant, in the file and for the nodes, or add a provider of this audience.",
			"%d enabled providers have the issuer %s, and none of them takes the audience %q: %s", len(rivals), issuer, c.audience, all)
	}
}

// takes reports whether a provider takes tokens of the audience.
func (c *chain) takes(p artifactkeeper.Provider) bool { return p.Audience == c.audience }

// providerBlock is what trusts a cluster: its issuer and an audience go in.
const providerBlock = `resource "aktrust_ci_oidc_provider" "cluster" {
  name          = "cluster"
  provider_type = "kubernetes"
  issuer_url    = %q
  audience      = %q
  static_jwks   = data.aktrust_cluster_jwks.cluster.jwks
}`

func describeProviders(providers []artifactkeeper.Provider) string {
	texts := make([]string, len(providers))
	for i, p := range providers {
		texts[i] = fmt.Sprintf("%q (%s, audience %q)", p.Name, p.ID, p.Audience)
	}
	return strings.Join(texts, ", ")
}

// mostIssuers is how many other issuers a detail names.
const mostIssuers = 5

func (c *chain) otherIssuers(wanted string) string {
	var others []string
	for _, p := range c.providers {
		text := fmt.Sprintf("%q has %s", p.Name, p.IssuerURL)
		if strings.EqualFold(strings.TrimRight(p.IssuerURL, "/"), strings.TrimRight(wanted, "/")) {
			text += " (" + issuer.Difference(wanted, p.IssuerURL) + ")"
		}
		if len(others) < mostIssuers {
			others = append(others, text)
		}
	}
	if others == nil {
		return ", nor any other"
	}
	return "; " + strings.Join(others, ", ")
}

// signing is the set of keys that tokens may be signed with, as far as it is known: that of the token's kid alone, or, when
// there is no token, all that the cluster publishes.
func (c *chain) signing() []string {
	switch {
	case c.token != nil:
		return []string{c.presented.KeyID}
	case c.published != nil:
		return c.published.KeyIDs()
	}
	return nil
}

func (c *chain) keys(ctx context.Context) Link {
	p := c.resolved.provider
	if p == nil {
		return skipped(Keys, "no provider of the registry answers for the issuer, so there are no keys to compare with")
	}
	var f finding
	if p.HasStaticKeys() {
		c.staticKeys(&f, p)
	} else {
		c.discoveredKeys(ctx, &f, p)
	}
	return f.link(Keys)
}

const pinAgain = "static_jwks = data.aktrust_cluster_jwks.NAME.jwks, and apply: the plan shows the keys that come and go"

func (c *chain) staticKeys(f *finding, p *artifactkeeper.Provider) {
	set, err := jwks.Parse(string(p.StaticJWKS))
	if err != nil {
		f.breaks(pinAgain, "the static key set of the provider %q cannot be used: %s", p.Name, err)
		return
	}
	c.compare(f, set, fmt.Sprintf("the static key set of the provider %q", p.Name), pinAgain)
}

// compare looks for the signing key in a set.
func (c *chain) compare(f *finding, set *jwks.Set, where, remedy string) {
	kids := c.signing()
	var missing []string
	for _, kid := range kids {
		if !set.Has(kid) {
			missing = append(missing, kid)
		}
	}
	switch {
	case len(kids) == 0:
		f.lacks(advice(c.documentsErr), "there is neither a token nor the cluster's key set to compare %s with", where)
	case c.token == nil && len(missing) > 0 && len(missing) < len(kids):
		f.lacks("", "%s lacks %s of the keys that the cluster publishes, and there is no token to tell which one signs", where,
			strings.Join(missing, ", "))
	case len(missing) > 0:
		f.breaks(remedy, "tokens are signed with the key %s, and %s has %s: the keys were rotated, or are another cluster's",
			strings.Join(missing, ", "), where, strings.Join(set.KeyIDs(), ", "))
		if c.published != nil && c.token != nil && !c.published.Has(c.presented.KeyID) {
			f.note("the API server does not publish the key that it signs with, so that it has to come from the issuer's own documents")
		}
	case c.otherMaterial(set, kids):
		f.breaks(remedy, "%s has another key under the kid %s than the cluster", where, strings.Join(kids, ", "))
	default:
		f.note("%s has the key %s", where, strings.Join(kids, ", "))
	}
}

// otherMaterial reports whether a set has one of the keys under its kid with other content.
func (c *chain) otherMaterial(set *jwks.Set, kids []string) bool {
	if c.published == nil {
		return false
	}
	thumbprints := map[string]string{}
	for _, key := range c.published.Keys() {
		thumbprints[key.KeyID] = key.Thumbprint
	}
	for _, key := range set.Keys() {
		for _, kid := range kids {
			if known := thumbprints[kid]; key.KeyID == kid && known != "" && known != key.Thumbprint {
				return true
			}
		}
	}
	return false
}

const pin = "Pin the keys instead: static_jwks = data.aktrust_cluster_jwks.NAME.jwks. Or publish the documents where the registry " +
	"reaches them."

// discoveredKeys fetches what the registry would fetch. From here is not from there: the exchange has the last word.
func (c *chain) discoveredKeys(ctx context.Context, f *finding, p *artifactkeeper.Provider) {
	documents, err := c.Publisher.Fetch(ctx, p.IssuerURL)
	switch {
	case err != nil && c.credential != nil:
		f.note("the registry verified the token with keys that it fetched from %s; from here they cannot be fetched: %s", p.IssuerURL, err)
		return
	case err != nil && c.refusedForKeys():
		f.breaks(pin, "the provider %q fetches its keys from %s, and neither the registry nor this machine gets them: %s", p.Name,
			p.IssuerURL, err)
		return
	case err != nil:
		f.lacks(pin, "the provider %q fetches its keys from %s, which cannot be reached from here: %s", p.Name, p.IssuerURL, err)
		return
	}
	if documents.Issuer != p.IssuerURL {
		f.breaks(fmt.Sprintf("Publish a discovery document with \"issuer\": %q, or pin the keys with static_jwks.", p.IssuerURL),
			"the discovery document at %s says that its issuer is %q: %s. OpenID Connect Discovery (section 4.3) has a consumer refuse it",
			p.IssuerURL, documents.Issuer, issuer.Difference(p.IssuerURL, documents.Issuer))
		if c.credential != nil {
			f.note("this registry did not compare the two, and took the token all the same")
		}
	}
	set, err := jwks.Parse(documents.JWKS)
	if err != nil {
		f.breaks(pin, "the key set that %s publishes cannot be used: %s", p.IssuerURL, err)
		return
	}
	c.compare(f, set, "the key set that "+p.IssuerURL+" publishes", "Publish the cluster's present key set "+
		"(data.aktrust_cluster_jwks) at the issuer.")
}

// refusedForKeys reports whether the registry failed to get keys: it says so for an address that it does not dial, and
// answers 500 when the fetch fails.
func (c *chain) refusedForKeys() bool {
	var e *artifactkeeper.Error
	return errors.As(c.exchangeErr, &e) && e.FromRegistry && (e.Status >= 500 || strings.Contains(e.Message, "issuer URL"))
}
