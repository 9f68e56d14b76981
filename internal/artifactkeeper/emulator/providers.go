package emulator

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The defaults of a provider.
const (
	defaultProviderType = "generic"
	defaultAudience     = "artifact-keeper"
	keySourceDiscovery  = "discovery"
	keySourceStatic     = "static"
)

// maxName is the width of the name columns, in characters.
const maxName = 255

// maxProviderType is the width of the provider_type column, in characters.
const maxProviderType = 50

var providerTypes = []string{"gitlab", "github", "kubernetes", "generic"}

// apiServerAudiences are the audiences that every pod's own token carries in
// a cluster with default settings.
var apiServerAudiences = []string{"https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local"}

// providerAnswer is a provider as the API returns it. The members of the key
// source are missing where the release has none.
type providerAnswer struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ProviderType string `json:"provider_type"`
	IssuerURL    string `json:"issuer_url"`
	Audience     string `json:"audience"`
	IsEnabled    bool   `json:"is_enabled"`
	*keyMembers
	MappingCount int       `json:"mapping_count"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}

type keyMembers struct {
	KeySource  string          `json:"key_source"`
	StaticJWKS json.RawMessage `json:"static_jwks"`
}

func (s *Server) providerAnswer(p *Provider) providerAnswer {
	out := providerAnswer{
		ID: p.ID, Name: p.Name, ProviderType: p.ProviderType, IssuerURL: p.IssuerURL, Audience: p.Audience,
		IsEnabled: p.IsEnabled, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		MappingCount: len(s.mappingsOf(p.ID)),
	}
	if s.behaviour.staticKeys {
		out.keyMembers = &keyMembers{KeySource: p.KeySource, StaticJWKS: p.StaticJWKS}
	}
	return out
}

func listProviders(c *call) (any, error) {
	list := []providerAnswer{}
	for _, p := range c.server.store.providers.rows {
		list = append(list, c.server.providerAnswer(p))
	}
	return list, nil
}

// provider finds the provider that the path names.
func (c *call) provider() (*Provider, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	p, ok := c.server.store.providers.get(id)
	if !ok {
		return nil, notFound("CI OIDC provider")
	}
	return p, nil
}

func getProvider(c *call) (any, error) {
	p, err := c.provider()
	if err != nil {
		return nil, err
	}
	return c.server.providerAnswer(p), nil
}

// providerInput is the body of a create or an update, nil for what is left
// out: for a provider, null is the same as left out.
type providerInput struct {
	name, providerType, issuerURL, audience, keySource *string
	isEnabled                                          *bool
	staticJWKS                                         json.RawMessage
}

func (s *Server) readProvider(in *body) providerInput {
	out := providerInput{
		name:         optional[string](in, "name"),
		providerType: optional[string](in, "provider_type"),
		issuerURL:    optional[string](in, "issuer_url"),
		audience:     optional[string](in, "audience"),
		isEnabled:    optional[bool](in, "is_enabled"),
	}
	if s.behaviour.staticKeys {
		out.keySource = optional[string](in, "key_source")
		out.staticJWKS = in.document("static_jwks")
	}
	return out
}

func createProvider(c *call) (any, error) {
	s := c.server
	in := readBody(c.request)
	required[string](in, "name")
	required[string](in, "issuer_url")
	input := s.readProvider(in)
	if in.err != nil {
		return nil, in.err
	}
	fresh := Provider{
		ProviderType: defaultProviderType, Audience: defaultAudience, IsEnabled: true, KeySource: keySourceDiscovery,
	}
	if err := s.merge(&fresh, input); err != nil {
		return nil, err
	}
	fresh.ID, fresh.CreatedAt = s.newID(), s.now()
	fresh.UpdatedAt = fresh.CreatedAt
	return s.providerAnswer(s.store.providers.add(fresh.ID, fresh)), nil
}

func updateProvider(c *call) (any, error) {
	s := c.server
	if _, err := c.id("id"); err != nil {
		return nil, err
	}
	in := readBody(c.request)
	input := s.readProvider(in)
	if in.err != nil {
		return nil, in.err
	}
	stored, err := c.provider()
	if err != nil {
		return nil, err
	}
	changed := *stored
	if err := s.merge(&changed, input); err != nil {
		return nil, err
	}
	changed.UpdatedAt = s.now()
	*stored = changed
	return s.providerAnswer(stored), nil
}

// merge puts the input over a provider, or refuses it. What the input leaves
// out stays. A refused input changes nothing that is stored: p is a copy.
func (s *Server) merge(p *Provider, in providerInput) error {
	if in.providerType != nil && *in.providerType != p.ProviderType {
		kind, err := s.normalizeProviderType(*in.providerType)
		if err != nil {
			return err
		}
		p.ProviderType = kind
	}
	if err := s.mergeKeys(p, in); err != nil {
		return err
	}
	if in.audience != nil {
		if s.behaviour.refusesAPIServerAudience && slices.Contains(apiServerAudiences, *in.audience) {
			return validation("audience '%s' is the Kubernetes API server's own: every pod's token carries it", *in.audience)
		}
		p.Audience = *in.audience
	}
	if in.name != nil {
		p.Name = *in.name
	}
	if in.issuerURL != nil {
		p.IssuerURL = *in.issuerURL
	}
	if in.isEnabled != nil {
		p.IsEnabled = *in.isEnabled
	}
	if utf8.RuneCountInString(p.Name) > maxName || utf8.RuneCountInString(p.ProviderType) > maxProviderType {
		return databaseError()
	}
	return nil
}

// normalizeProviderType is the stored form of a type. Old releases store what
// they are given and treat what they do not know as generic.
func (s *Server) normalizeProviderType(raw string) (string, error) {
	if s.behaviour.freeProviderType {
		return raw, nil
	}
	kind := strings.ToLower(strings.TrimSpace(raw))
	if !slices.Contains(providerTypes, kind) {
		return "", validation("Unknown provider_type '%s': expected one of %s", raw, strings.Join(providerTypes, ", "))
	}
	return kind, nil
}

// mergeKeys settles where the keys come from. Going to discovery drops the
// stored set, so that coming back needs a new one.
func (s *Server) mergeKeys(p *Provider, in providerInput) error {
	if !s.behaviour.staticKeys {
		return nil
	}
	if in.keySource != nil {
		p.KeySource = *in.keySource
	}
	switch p.KeySource {
	case keySourceDiscovery:
		if in.staticJWKS != nil {
			return validation("static_jwks is only accepted with key_source 'static'")
		}
		p.StaticJWKS = nil
	case keySourceStatic:
		if in.staticJWKS != nil {
			p.StaticJWKS = in.staticJWKS
		}
		if p.StaticJWKS == nil {
			return validation("key_source 'static' requires static_jwks")
		}
		return checkKeySet(p.StaticJWKS, s.behaviour.boundedKeySets)
	default:
		return validation("Unknown key_source '%s': expected 'discovery' or 'static'", p.KeySource)
	}
	return nil
}

func toggleProvider(c *call) (any, error) {
	enabled, err := c.toggle()
	if err != nil {
		return nil, err
	}
	p, err := c.provider()
	if err != nil {
		return nil, err
	}
	p.IsEnabled, p.UpdatedAt = enabled, c.server.now()
	return c.server.providerAnswer(p), nil
}

// toggle is the body {"enabled": bool}, after the ids of the path.
func (c *call) toggle() (bool, error) {
	if _, err := c.id("id"); err != nil {
		return false, err
	}
	in := readBody(c.request)
	enabled := required[bool](in, "enabled")
	return enabled, in.err
}

func deleteProvider(c *call) (any, error) {
	p, err := c.provider()
	if err != nil {
		return nil, err
	}
	c.server.removeProvider(p.ID)
	return nil, nil
}

// removeProvider deletes a provider with its mappings. Their accounts stay,
// deactivated, so that what they did remains attributable.
func (s *Server) removeProvider(id string) {
	for _, m := range s.mappingsOf(id) {
		s.removeMapping(m.ID)
	}
	s.store.providers.remove(id)
}
