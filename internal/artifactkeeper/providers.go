package artifactkeeper

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

const providersPath = "/admin/ci-oidc"

// Values of a provider's key_source.
const (
	KeySourceDiscovery = "discovery"
	KeySourceStatic    = "static"
)

// TypeKubernetes is the provider type whose credentials are read-only.
const TypeKubernetes = "kubernetes"

// Provider is an issuer that the registry trusts, as it is read.
type Provider struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ProviderType string `json:"provider_type"`
	IssuerURL    string `json:"issuer_url"`
	Audience     string `json:"audience"`
	IsEnabled    bool   `json:"is_enabled"`
	// KeySource is empty from registries before 1.11, which know discovery only.
	KeySource string `json:"key_source"`
	// StaticJWKS is the key set; nil or JSON null when there is none.
	StaticJWKS   json.RawMessage `json:"static_jwks"`
	MappingCount int             `json:"mapping_count"`
	CreatedAt    string          `json:"created_at"`
	UpdatedAt    string          `json:"updated_at"`
}

func (p Provider) objectID() string   { return p.ID }
func (p Provider) objectName() string { return p.Name }

// HasStaticKeys reports whether the provider verifies with a key set of its own.
func (p Provider) HasStaticKeys() bool { return p.KeySource == KeySourceStatic }

// ProviderInput is a provider as it shall be.
type ProviderInput struct {
	Name         string `json:"name"`
	ProviderType string `json:"provider_type"`
	IssuerURL    string `json:"issuer_url"`
	Audience     string `json:"audience"`
	IsEnabled    bool   `json:"is_enabled"`
	// KeySource is sent when it is not empty. Leave it empty where discovery is the default already, so that registries
	// before 1.11 are not asked for what they do not know.
	KeySource string `json:"key_source,omitempty"`
	// StaticJWKS replaces the whole key set; it goes with KeySource static only.
	StaticJWKS json.RawMessage `json:"static_jwks,omitempty"`
}

func (in ProviderInput) describe() string { return fmt.Sprintf("the CI OIDC provider %q", in.Name) }

// newer lists what the request uses that registries before 1.11 ignore.
func (in ProviderInput) newer() []string {
	var members []string
	if in.ProviderType == TypeKubernetes {
		members = append(members, `provider_type "kubernetes" (an older registry gives its tokens the rights to write)`)
	}
	if in.KeySource != "" {
		members = append(members, "key_source")
	}
	if in.StaticJWKS != nil {
		members = append(members, "static_jwks")
	}
	return members
}

// differences lists the members whose value in out is not the one asked for.
func (in ProviderInput) differences(out Provider) []string {
	var d differences
	d.compare("name", in.Name, out.Name)
	d.compare("provider_type", in.ProviderType, out.ProviderType)
	d.compare("issuer_url", in.IssuerURL, out.IssuerURL)
	d.compare("audience", in.Audience, out.Audience)
	d.compare("is_enabled", in.IsEnabled, out.IsEnabled)
	wanted, got := in.KeySource, out.KeySource
	if wanted == "" {
		wanted = KeySourceDiscovery
	}
	if got == "" {
		got = KeySourceDiscovery
	}
	d.compare("key_source", wanted, got)
	if !sameKeys(in.StaticJWKS, out.StaticJWKS) {
		d.add("static_jwks (another key set came back)")
	}
	return d
}

// sameKeys compares two key sets by meaning; nil and JSON null are no set.
func sameKeys(a, b json.RawMessage) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) == isNull(b)
	}
	return jwks.EqualTexts(string(a), string(b))
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// DuplicateIssuerError says that the registry already has an enabled provider of the same issuer and audience. With two,
// the exchange cannot tell which one a token is for.
type DuplicateIssuerError struct {
	// Existing is the provider that is there.
	Existing Provider
}

func (e *DuplicateIssuerError) Error() string {
	return fmt.Sprintf("the registry already has an enabled CI OIDC provider of issuer %s and audience %s: %q with id %s",
		e.Existing.IssuerURL, e.Existing.Audience, e.Existing.Name, e.Existing.ID)
}

// Advice says what to do about it.
func (e *DuplicateIssuerError) Advice() string {
	return "Two would make the exchange ambiguous, and the mappings of both would let tokens in. Import the existing one with " +
		"the id " + e.Existing.ID + ", disable it, or use another audience."
}

// Providers lists the CI OIDC providers, by creation time.
func (c *Client) Providers(ctx context.Context) ([]Provider, error) { return c.providers.all(ctx, c) }

// Provider reads one CI OIDC provider.
func (c *Client) Provider(ctx context.Context, id string) (Provider, error) {
	return c.providers.find(ctx, c, id)
}

// ProviderByName finds the one provider of exactly this name; a [*LookupError] says that there is none, or several.
func (c *Client) ProviderByName(ctx context.Context, name string) (Provider, error) {
	all, err := c.Providers(ctx)
	if err != nil {
		return Provider{}, err
	}
	return byName(all, name, "CI OIDC provider")
}

// CreateProvider makes a provider. It refuses a second enabled one of the same issuer and audience with a
// [*DuplicateIssuerError], and what the registry is too old for with an [*UnsupportedError].
func (c *Client) CreateProvider(ctx context.Context, in ProviderInput) (Provider, error) {
	if err := c.support(ctx, in.newer()); err != nil {
		return Provider{}, err
	}
	c.trust.Lock()
	defer c.trust.Unlock()
	if err := c.refuseSecond(ctx, "", in); err != nil {
		return Provider{}, err
	}
	out, err := create(ctx, c, &c.providers, in.describe(), in.Name, in,
		func(p Provider) bool { return len(in.differences(p)) == 0 })
	if err != nil {
		return out, err
	}
	if missed := in.differences(out); len(missed) > 0 {
		return out, c.notApplied(ctx, in.describe(), missed, "the new provider was deleted again",
			func(ctx context.Context) error { return c.DeleteProvider(ctx, out.ID) })
	}
	return out, nil
}

// UpdateProvider makes a provider what in says. The refusals are those of [Client.CreateProvider].
func (c *Client) UpdateProvider(ctx context.Context, id string, in ProviderInput) (Provider, error) {
	if err := c.support(ctx, in.newer()); err != nil {
		return Provider{}, err
	}
	c.trust.Lock()
	defer c.trust.Unlock()
	if err := c.refuseSecond(ctx, id, in); err != nil {
		return Provider{}, err
	}
	before, err := c.providers.get(ctx, c, id)
	if err != nil {
		return Provider{}, err
	}
	out, err := c.putProvider(ctx, id, in)
	if err != nil {
		return out, err
	}
	if missed := in.differences(out); len(missed) > 0 {
		return out, c.notApplied(ctx, in.describe(), missed, "the former values were written back",
			func(ctx context.Context) error {
				_, err := c.putProvider(ctx, id, before.input())
				return err
			})
	}
	return out, nil
}

func (c *Client) putProvider(ctx context.Context, id string, in ProviderInput) (Provider, error) {
	defer c.providers.drop()
	var out Provider
	err := c.call(ctx, request{method: http.MethodPut, path: c.providers.object(id), in: in}, &out)
	return out, err
}

// input is the request that gives a provider as it was read.
func (p Provider) input() ProviderInput {
	in := ProviderInput{Name: p.Name, ProviderType: p.ProviderType, IssuerURL: p.IssuerURL, Audience: p.Audience,
		IsEnabled: p.IsEnabled, KeySource: p.KeySource}
	if p.HasStaticKeys() {
		in.StaticJWKS = p.StaticJWKS
	}
	return in
}

// DeleteProvider deletes a provider with its mappings. It is no error when it is gone already.
func (c *Client) DeleteProvider(ctx context.Context, id string) error {
	defer c.mappings.Delete(CanonicalID(id))
	return c.providers.remove(ctx, c, id)
}

// refuseSecond looks for an enabled provider, other than id, of the issuer and audience of in. c.trust is held.
func (c *Client) refuseSecond(ctx context.Context, id string, in ProviderInput) error {
	if !in.IsEnabled {
		return nil
	}
	c.providers.drop() // Someone else may have made one since the last list.
	all, err := c.providers.all(ctx, c)
	if err != nil {
		return fmt.Errorf("nothing was written, because the existing providers could not be listed first: %w", err)
	}
	if second := duplicate(all, id, in); second != nil {
		return second
	}
	return nil
}

// Duplicate gives the enabled provider, other than id, of the issuer and audience of in, as far as the last list tells; nil when
// there is none. Unlike a write it asks for no new list, so that a plan of many providers asks for one.
func (c *Client) Duplicate(ctx context.Context, id string, in ProviderInput) (*DuplicateIssuerError, error) {
	if !in.IsEnabled {
		return nil, nil
	}
	all, err := c.providers.all(ctx, c)
	return duplicate(all, id, in), err
}

func duplicate(all []Provider, id string, in ProviderInput) *DuplicateIssuerError {
	for _, p := range all {
		if p.IsEnabled && !sameID(p.ID, id) && p.Audience == in.Audience && sameIssuer(p.IssuerURL, in.IssuerURL) {
			return &DuplicateIssuerError{Existing: p}
		}
	}
	return nil
}

// sameIssuer compares as the registry resolves: a trailing slash aside.
func sameIssuer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// sameID compares two UUIDs, whatever their spelling.
func sameID(a, b string) bool { return CanonicalID(a) == CanonicalID(b) }

// CanonicalID gives the one spelling of a UUID that the registry answers with: lower case, with hyphens (RFC 9562 section 4).
// It takes those that the registry takes: in any case, with or without hyphens, in braces, or as a URN. What is no UUID stays
// as it is.
func CanonicalID(id string) string {
	if uuid.Validate(id) != nil { // Parse alone takes any characters for the braces.
		return id
	}
	return uuid.MustParse(id).String()
}
