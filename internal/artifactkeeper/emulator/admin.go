package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// This file is what someone else does to the registry: an administrator in
// its web interface, an upgrade, or time. Nothing here is checked as a request
// is, so that a test can also make what only an older release let in.

// Token is the administrator's bearer token. It never expires, but see
// [Server.RotateToken].
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Token
}

// Credentials are the administrator's name and password for a login.
func (s *Server) Credentials() (username, password string) {
	return s.options.Username, s.options.Password
}

// RotateToken replaces the administrator's token and returns the new one. The
// old one is 401 from then on.
func (s *Server) RotateToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.sessions[s.options.Token]
	delete(s.sessions, s.options.Token)
	s.options.Token = newSecret("ak_admin_")
	s.sessions.add(s.options.Token, old)
	return s.options.Token
}

// EndSessions ends every login session, exchanged token and pull token at
// once. The administrator's token stays.
func (s *Server) EndSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = sessions{s.options.Token: s.sessions[s.options.Token]}
}

// NewToken makes a bearer token for an account, valid for ttl, or for ever
// when ttl is zero.
func (s *Server) NewToken(accountID string, ttl time.Duration) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.store.accounts.get(accountID); !ok {
		return "", missing("account", accountID)
	}
	fresh := session{accountID: accountID}
	if ttl > 0 {
		fresh.expires = s.options.Now().Add(ttl)
	}
	token := newSecret("ak_user_")
	s.sessions.add(token, fresh)
	return token, nil
}

// SetProfile upgrades or downgrades the registry in place. What is stored
// stays: a mapping made before 1.11 has no account until its first exchange.
func (s *Server) SetProfile(p Profile) error {
	b, err := p.behaviour()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
	return nil
}

// FailReconciliation makes exchanges fail to bring group memberships in line,
// until it is called with false. 1.11 exchanges all the same and leaves the
// memberships as they are; the line after it answers 503.
func (s *Server) FailReconciliation(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failReconciles = fail
}

// AddGroup creates a group without members.
func (s *Server) AddGroup(name, description string) Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.insertGroup(name, description)
}

// AddMember puts an account into a group.
func (s *Server) AddMember(groupID, accountID string) error {
	return s.changeGroup(groupID, func(g *Group) { g.MemberIDs = append(without(g.MemberIDs, accountID), accountID) })
}

// RemoveMember takes an account out of a group.
func (s *Server) RemoveMember(groupID, accountID string) error {
	return s.changeGroup(groupID, func(g *Group) { g.MemberIDs = without(g.MemberIDs, accountID) })
}

func (s *Server) changeGroup(id string, change func(*Group)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.store.groups.get(id)
	if !ok {
		return missing("group", id)
	}
	change(g)
	return nil
}

// DeleteGroup deletes a group with its rules. Mappings keep naming it.
func (s *Server) DeleteGroup(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.store.groups.get(id); !ok {
		return missing("group", id)
	}
	s.removeGroup(id)
	return nil
}

// AddRepository creates a repository from the key and whatever else is given.
// Format defaults to "docker", RepoType to "local", Name to the key.
func (s *Server) AddRepository(r Repository) Repository {
	if r.Format == "" {
		r.Format = "docker"
	}
	if r.RepoType == "" {
		r.RepoType = "local"
	}
	if r.Name == "" {
		r.Name = r.Key
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.insertRepository(r)
}

// DeleteRepository deletes a repository with its rules and images.
func (s *Server) DeleteRepository(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.store.repositories.get(id); !ok {
		return missing("repository", id)
	}
	s.removeRepository(id)
	return nil
}

// AddPermission creates a rule. Actions defaults to read.
func (s *Server) AddPermission(p Permission) Permission {
	if p.Actions == nil {
		p.Actions = []string{"read"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.insertPermission(p)
}

// DeletePermission deletes a rule.
func (s *Server) DeletePermission(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.store.permissions.remove(id) {
		return missing("permission", id)
	}
	return nil
}

// AddRole assigns actions to an account on a repository, or on every
// repository when the id is empty.
func (s *Server) AddRole(r Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.roles = append(s.store.roles, r)
}

// AddAccount creates an account that can log in with a password, or cannot
// when the password is empty. AuthProvider defaults to "local".
func (s *Server) AddAccount(a Account, password string) Account {
	if a.AuthProvider == "" {
		a.AuthProvider = "local"
	}
	a.IsActive = true
	s.mu.Lock()
	defer s.mu.Unlock()
	account := s.store.addAccount(s, a)
	account.password = password
	out := *account
	out.password = ""
	return out
}

// SetAccountActive activates or deactivates an account. The tokens of a
// deactivated account are 401, and its exchanges are refused.
func (s *Server) SetAccountActive(id string, active bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	account, ok := s.store.accounts.get(id)
	if !ok {
		return missing("account", id)
	}
	account.IsActive, account.UpdatedAt = active, s.now()
	return nil
}

// AddProvider creates a provider. Empty members get the API's defaults, but
// IsEnabled is taken as it is. It fails when StaticJWKS is not JSON.
func (s *Server) AddProvider(p Provider) (Provider, error) {
	if p.ProviderType == "" {
		p.ProviderType = defaultProviderType
	}
	if p.Audience == "" {
		p.Audience = defaultAudience
	}
	if p.KeySource == "" {
		p.KeySource = keySourceDiscovery
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.ID, p.CreatedAt = s.newID(), s.now()
	p.UpdatedAt = p.CreatedAt
	if err := tidy(&p.StaticJWKS); err != nil {
		return Provider{}, fmt.Errorf("emulator: add provider: static JWKS: %w", err)
	}
	return *s.store.providers.add(p.ID, p), nil
}

// tidy brings JSON that did not come through the API into the form that the
// API returns.
func tidy(text *json.RawMessage) error {
	if *text == nil {
		return nil
	}
	if !json.Valid(*text) {
		return errors.New("not JSON")
	}
	*text = canonical(*text)
	return nil
}

// UpdateProvider changes a provider, as someone else's update does. It fails,
// and changes nothing, when the new StaticJWKS is not JSON.
func (s *Server) UpdateProvider(id string, change func(*Provider)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.store.providers.get(id)
	if !ok {
		return missing("provider", id)
	}
	changed := *p
	change(&changed)
	if err := tidy(&changed.StaticJWKS); err != nil {
		return fmt.Errorf("emulator: update provider %s: static JWKS: %w", id, err)
	}
	changed.ID, changed.UpdatedAt = id, s.now()
	*p = changed
	return nil
}

// DeleteProvider deletes a provider with its mappings and deactivates their
// accounts.
func (s *Server) DeleteProvider(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.store.providers.get(id); !ok {
		return missing("provider", id)
	}
	s.removeProvider(id)
	return nil
}

// AddMapping creates a mapping of m.ProviderID, with its account on releases
// that make one. Priority 0 is priority 0, and IsEnabled is taken as it is;
// no filters are {}.
func (s *Server) AddMapping(m Mapping) (Mapping, error) {
	if m.ClaimFilters == nil {
		m.ClaimFilters = json.RawMessage("{}")
	}
	if err := tidy(&m.ClaimFilters); err != nil {
		return Mapping{}, fmt.Errorf("emulator: add mapping: claim filters: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.store.providers.get(m.ProviderID)
	if !ok {
		return Mapping{}, missing("provider", m.ProviderID)
	}
	m.ID, m.CreatedAt = s.newID(), s.now()
	m.UpdatedAt = m.CreatedAt
	if _, err := s.insertMapping(p, m); err != nil {
		return Mapping{}, fmt.Errorf("emulator: add mapping: %w", err)
	}
	return m, nil
}

// UpdateMapping changes a mapping and brings the memberships of its account in
// line, as someone else's update does. It fails, and changes nothing, when the
// new filters are not JSON.
func (s *Server) UpdateMapping(id string, change func(*Mapping)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.store.mappings.get(id)
	if !ok {
		return missing("mapping", id)
	}
	changed := *m
	change(&changed)
	if err := tidy(&changed.ClaimFilters); err != nil {
		return fmt.Errorf("emulator: update mapping %s: claim filters: %w", id, err)
	}
	changed.ID, changed.ProviderID, changed.UpdatedAt = id, m.ProviderID, s.now()
	*m = changed
	if account := s.accountOf(id); account != nil {
		s.reconcile(m, account)
	}
	return nil
}

// DeleteMapping deletes a mapping and deactivates its account.
func (s *Server) DeleteMapping(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.store.mappings.get(id); !ok {
		return missing("mapping", id)
	}
	s.removeMapping(id)
	return nil
}

func missing(what, id string) error { return fmt.Errorf("emulator: no %s has the id %q", what, id) }
