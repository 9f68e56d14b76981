package emulator

import (
	"encoding/json"
	"slices"
	"time"
)

// Provider is a trusted issuer, with the names of the registry API.
type Provider struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ProviderType string `json:"provider_type"`
	IssuerURL    string `json:"issuer_url"`
	Audience     string `json:"audience"`
	IsEnabled    bool   `json:"is_enabled"`
	KeySource    string `json:"key_source"`
	// StaticJWKS is the key set as the registry returns it, nil for discovery.
	StaticJWKS json.RawMessage `json:"static_jwks"`
	CreatedAt  time.Time       `json:"created_at"`
	UpdatedAt  time.Time       `json:"updated_at"`
}

// Mapping is an identity mapping: whose tokens become which account.
type Mapping struct {
	ID           string          `json:"id"`
	ProviderID   string          `json:"provider_id"`
	Name         string          `json:"name"`
	Priority     int32           `json:"priority"`
	ClaimFilters json.RawMessage `json:"claim_filters"`
	// AllowedRepoIDs is nil for no restriction and empty for no repository.
	AllowedRepoIDs []string `json:"allowed_repo_ids"`
	// GroupBindingIDs is nil for no binding and empty for no membership.
	GroupBindingIDs []string  `json:"group_binding_ids"`
	IsEnabled       bool      `json:"is_enabled"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
}

// Account is a person, a service account, or the account of a mapping.
type Account struct {
	ID                 string    `json:"id"`
	Username           string    `json:"username"`
	Email              string    `json:"email"`
	DisplayName        string    `json:"display_name"`
	AuthProvider       string    `json:"auth_provider"` // "local", or "ci" for the account of a mapping
	IsActive           bool      `json:"is_active"`
	IsAdmin            bool      `json:"is_admin"`
	IsServiceAccount   bool      `json:"is_service_account"`
	MustChangePassword bool      `json:"must_change_password"`
	CreatedAt          time.Time `json:"created_at"`
	UpdatedAt          time.Time `json:"updated_at"`
	// MappingID is the mapping that the account belongs or belonged to.
	MappingID string `json:"mapping_id,omitempty"`

	password string
}

// Group is a group with its members.
type Group struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Description    string    `json:"description"`
	ExternalSource string    `json:"external_source,omitempty"`
	MemberIDs      []string  `json:"member_ids"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// Repository is a repository; its Key is the first segment of image names.
type Repository struct {
	ID          string    `json:"id"`
	Key         string    `json:"key"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Format      string    `json:"format"`
	RepoType    string    `json:"repo_type"`
	IsPublic    bool      `json:"is_public"`
	ProjectID   string    `json:"project_id,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// Permission is a rule: who may do what with which target.
type Permission struct {
	ID            string    `json:"id"`
	PrincipalType string    `json:"principal_type"` // "user", "service_account" or "group"
	PrincipalID   string    `json:"principal_id"`
	TargetType    string    `json:"target_type"` // "repository" or "project"
	TargetID      string    `json:"target_id"`
	Actions       []string  `json:"actions"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Role is a role assignment, which decides where no permission rule applies.
type Role struct {
	AccountID    string   `json:"account_id"`
	RepositoryID string   `json:"repository_id,omitempty"` // empty for every repository
	Actions      []string `json:"actions"`
}

// State is everything that the registry keeps, each list in the order of
// creation.
type State struct {
	Providers    []Provider   `json:"providers"`
	Mappings     []Mapping    `json:"mappings"`
	Accounts     []Account    `json:"accounts"`
	Groups       []Group      `json:"groups"`
	Repositories []Repository `json:"repositories"`
	Permissions  []Permission `json:"permissions"`
	Roles        []Role       `json:"roles"`
}

// store is the database.
type store struct {
	providers    table[Provider]
	mappings     table[Mapping]
	accounts     table[Account]
	groups       table[Group]
	repositories table[Repository]
	permissions  table[Permission]
	roles        []Role
	images       images
}

// table is rows by id, in the order of creation.
type table[T any] struct {
	rows  []*T
	index map[string]*T
}

func (t *table[T]) add(id string, row T) *T {
	if t.index == nil {
		t.index = map[string]*T{}
	}
	t.index[id] = &row
	t.rows = append(t.rows, &row)
	return &row
}

func (t *table[T]) get(id string) (*T, bool) {
	row, ok := t.index[id]
	return row, ok
}

// find is the first row for which match holds, nil when there is none.
func (t *table[T]) find(match func(*T) bool) *T {
	if n := slices.IndexFunc(t.rows, match); n >= 0 {
		return t.rows[n]
	}
	return nil
}

// filter is the rows for which match holds, in the order of creation.
func (t *table[T]) filter(match func(*T) bool) []*T {
	var found []*T
	for _, row := range t.rows {
		if match(row) {
			found = append(found, row)
		}
	}
	return found
}

func (t *table[T]) remove(id string) bool {
	row, ok := t.index[id]
	if !ok {
		return false
	}
	delete(t.index, id)
	t.rows = slices.DeleteFunc(t.rows, func(other *T) bool { return other == row })
	return true
}

// copies is the rows by value; adjust repairs what a shallow copy shares.
func (t *table[T]) copies(adjust func(*T)) []T {
	list := make([]T, 0, len(t.rows))
	for _, row := range t.rows {
		list = append(list, *row)
		adjust(&list[len(list)-1])
	}
	return list
}

// State returns a deep copy of what the registry keeps.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{
		Providers: s.store.providers.copies(func(p *Provider) { p.StaticJWKS = slices.Clone(p.StaticJWKS) }),
		Mappings: s.store.mappings.copies(func(m *Mapping) {
			m.ClaimFilters = slices.Clone(m.ClaimFilters)
			m.AllowedRepoIDs = slices.Clone(m.AllowedRepoIDs)
			m.GroupBindingIDs = slices.Clone(m.GroupBindingIDs)
		}),
		Accounts:     s.store.accounts.copies(func(a *Account) { a.password = "" }),
		Groups:       s.store.groups.copies(func(g *Group) { g.MemberIDs = slices.Clone(g.MemberIDs) }),
		Repositories: s.store.repositories.copies(func(*Repository) {}),
		Permissions:  s.store.permissions.copies(func(p *Permission) { p.Actions = slices.Clone(p.Actions) }),
		Roles: slices.Collect(func(yield func(Role) bool) {
			for _, role := range s.store.roles {
				role.Actions = slices.Clone(role.Actions)
				if !yield(role) {
					return
				}
			}
		}),
	}
}

// now is the registry's clock with the precision of its database.
func (s *Server) now() time.Time { return s.options.Now().UTC().Truncate(time.Microsecond) }

func (s *Server) newID() string { return s.options.NewID().String() }

func (st *store) addAccount(s *Server, a Account) *Account {
	a.ID = s.newID()
	a.CreatedAt = s.now()
	a.UpdatedAt = a.CreatedAt
	return st.accounts.add(a.ID, a)
}
