package emulator

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// exchangeAnswer is what a presented token buys.
type exchangeAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
	Username    string `json:"username"`
}

// exchange turns the token of an issuer into one of the registry. The steps
// are the registry's, in its order, so that of several faults the same one is
// told. It takes the lock itself, because an issuer may have to be asked in
// between.
func exchange(c *call) (any, error) {
	s := c.server
	presented, providerID, err := c.exchangeInput()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	p, err := s.resolveProvider(presented, providerID)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	claims, err := c.verifyAgainst(presented.token, p)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mint(p, claims)
}

// presentedToken is the token in the Authorization header.
func (c *call) presentedToken() (assertion, error) {
	header := c.request.Header.Get("Authorization")
	if header == "" {
		return assertion{}, unauthorized("Missing Authorization header. Supply the CI JWT as: Authorization: Bearer <jwt>")
	}
	token, ok := strings.CutPrefix(header, "Bearer ")
	if !ok || token == "" {
		return assertion{}, unauthorized("Authorization header must use the Bearer scheme: Authorization: Bearer <jwt>")
	}
	return peek(token), nil
}

// exchangeInput is the presented token and the provider_id of the body, empty
// when there is none. Old releases need the body, and their framework parses
// it before anything else; newer ones parse it themselves, after the header.
func (c *call) exchangeInput() (assertion, string, error) {
	c.server.mu.Lock()
	needed := c.server.behaviour.providerIDRequired
	c.server.mu.Unlock()
	if needed {
		in := readBody(c.request)
		id := in.id("provider_id")
		if in.err != nil {
			return assertion{}, "", in.err
		}
		presented, err := c.presentedToken()
		return presented, id, err
	}
	presented, err := c.presentedToken()
	if err != nil {
		return assertion{}, "", err
	}
	text, err := io.ReadAll(c.request.Body)
	if err != nil || len(text) == 0 {
		return presented, "", err
	}
	var in struct {
		ProviderID *uuid.UUID `json:"provider_id"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return assertion{}, "", validation("Invalid request body: %v", err)
	}
	if in.ProviderID == nil {
		return presented, "", nil
	}
	return presented, in.ProviderID.String(), nil
}

// resolveProvider finds the provider that a token is checked against and
// returns a copy of it: the one named, or the one enabled provider of the
// token's issuer. A trailing slash of the issuer does not matter here.
func (s *Server) resolveProvider(presented assertion, providerID string) (*Provider, error) {
	if providerID != "" {
		return s.namedProvider(presented, providerID)
	}
	if !presented.readable {
		return nil, unauthorized("Could not read the iss claim from the presented CI assertion")
	}
	issuer := strings.TrimRight(presented.issuer, "/")
	found := s.store.providers.filter(func(p *Provider) bool {
		return p.IsEnabled && strings.TrimRight(p.IssuerURL, "/") == issuer
	})
	if len(found) > 1 {
		var single []*Provider
		for _, p := range found {
			if slices.Contains(presented.audience, p.Audience) {
				single = append(single, p)
			}
		}
		if len(single) == 1 {
			found = single
		}
	}
	switch len(found) {
	case 0:
		return nil, &apiError{http.StatusNotFound, "NOT_FOUND", "No enabled CI OIDC provider is configured for issuer " + issuer}
	case 1:
		copied := *found[0]
		return &copied, nil
	}
	return nil, validation("%d enabled CI OIDC providers are configured for issuer %s; supply provider_id to choose one",
		len(found), issuer)
}

// namedProvider is the provider that the request names, if it is enabled and
// of the token's issuer. A token that cannot be read is left to the check.
func (s *Server) namedProvider(presented assertion, id string) (*Provider, error) {
	p, ok := s.store.providers.get(id)
	if !ok {
		return nil, notFound("CI OIDC provider")
	}
	if !p.IsEnabled {
		return nil, unauthorized("CI OIDC provider is disabled")
	}
	if presented.readable && !s.behaviour.providerIDRequired &&
		strings.TrimRight(presented.issuer, "/") != strings.TrimRight(p.IssuerURL, "/") {
		return nil, validation("provider_id names a provider for issuer %s, but the presented assertion was issued by %s",
			p.IssuerURL, presented.issuer)
	}
	copied := *p
	return &copied, nil
}

// verifyAgainst checks the token with the keys that the provider trusts.
func (c *call) verifyAgainst(token string, p *Provider) (map[string]any, error) {
	s := c.server
	set, pick := p.StaticJWKS, selectStatic
	if p.KeySource != keySourceStatic {
		var err error
		if set, err = s.issuers.fetch(c.request.Context(), p.IssuerURL); err != nil {
			return nil, err
		}
		pick = selectDiscovered
	}
	keys, err := verificationKeys(set)
	if err != nil {
		return nil, internalError()
	}
	return s.verify(token, p, func(kid string) (verificationKey, error) { return pick(keys, kid) })
}

// mint finds the mapping of verified claims and makes a token for its
// account.
func (s *Server) mint(p *Provider, claims map[string]any) (any, error) {
	m, err := s.resolveMapping(p, claims)
	if err != nil {
		return nil, err
	}
	account, err := s.mappingAccount(p, m)
	if err != nil {
		return nil, err
	}
	if s.failReconciles && m.GroupBindingIDs != nil {
		if s.behaviour.reconcileFailureIs503 {
			return nil, unavailable("The group memberships of this CI identity mapping could not be reconciled")
		}
	} else {
		s.reconcile(m, account)
	}
	now := s.options.Now()
	expires := now.Add(s.options.CITokenTTL)
	if end, ok := numericDate(claims, "exp"); ok && end.Before(expires) {
		expires = end
	}
	token := session{accountID: account.ID, expires: expires, readOnly: p.ProviderType == "kubernetes"}
	if m.AllowedRepoIDs != nil {
		ceiling := slices.Clone(m.AllowedRepoIDs)
		token.ceiling = &ceiling
	}
	out := exchangeAnswer{
		AccessToken: newSecret("ak_ci_"), TokenType: "Bearer", Username: account.Username,
		ExpiresIn: max(int64(expires.Sub(now)/time.Second), 0),
	}
	s.sessions.add(out.AccessToken, token)
	return out, nil
}

// resolveMapping is the first enabled mapping that matches. Which filter
// failed is never told.
func (s *Server) resolveMapping(p *Provider, claims map[string]any) (*Mapping, error) {
	var enabled []*Mapping
	for _, m := range s.mappingsOf(p.ID) {
		if m.IsEnabled {
			enabled = append(enabled, m)
		}
	}
	if len(enabled) == 0 {
		return nil, unauthorized("No CI OIDC identity mappings configured for this provider")
	}
	for _, m := range enabled {
		if s.matches(m.ClaimFilters, claims) {
			return m, nil
		}
	}
	return nil, unauthorized("CI JWT did not match any identity mapping")
}

// mappingAccount is the active account of a mapping. A mapping from before
// the accounts were made with it gets one now; a deactivated account is never
// replaced.
func (s *Server) mappingAccount(p *Provider, m *Mapping) (*Account, error) {
	account := s.accountOf(m.ID)
	if account == nil {
		var err error
		if account, err = s.newMappingAccount(p, m); err != nil {
			return nil, err
		}
	}
	if !account.IsActive {
		return nil, unauthorized("The service account for this CI identity mapping is deactivated")
	}
	return account, nil
}
