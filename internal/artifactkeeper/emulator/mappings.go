package emulator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// defaultPriority is the priority of a mapping that names none.
const defaultPriority = 100

// mappingAnswer is a mapping as the API returns it. The members of newer
// releases are missing on older ones.
type mappingAnswer struct {
	ID             string          `json:"id"`
	ProviderID     string          `json:"provider_id"`
	Name           string          `json:"name"`
	Priority       int32           `json:"priority"`
	ClaimFilters   json.RawMessage `json:"claim_filters"`
	AllowedRepoIDs []string        `json:"allowed_repo_ids"`
	IsEnabled      bool            `json:"is_enabled"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	*accountMembers
	*bindingMembers
}

type accountMembers struct {
	ServiceAccountID       *string `json:"service_account_id"`
	ServiceAccountUsername *string `json:"service_account_username"`
}

type bindingMembers struct {
	GroupBindingIDs []string `json:"group_binding_ids"`
}

func (s *Server) mappingAnswer(m *Mapping) mappingAnswer {
	out := mappingAnswer{
		ID: m.ID, ProviderID: m.ProviderID, Name: m.Name, Priority: m.Priority, ClaimFilters: m.ClaimFilters,
		AllowedRepoIDs: m.AllowedRepoIDs, IsEnabled: m.IsEnabled, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
	if s.behaviour.accountWithMapping {
		out.accountMembers = &accountMembers{}
		if account := s.accountOf(m.ID); account != nil {
			out.ServiceAccountID, out.ServiceAccountUsername = &account.ID, &account.Username
		}
	}
	if s.behaviour.groupBindings {
		out.bindingMembers = &bindingMembers{GroupBindingIDs: m.GroupBindingIDs}
	}
	return out
}

// mappingsOf is the mappings of a provider in the order in which an exchange
// tries them: by priority, then by age.
func (s *Server) mappingsOf(providerID string) []*Mapping {
	list := s.store.mappings.filter(func(m *Mapping) bool { return m.ProviderID == providerID })
	slices.SortStableFunc(list, func(a, b *Mapping) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.CreatedAt.Compare(b.CreatedAt))
	})
	return list
}

// accountOf is the account of a mapping, nil when it has none yet.
func (s *Server) accountOf(mappingID string) *Account {
	return s.store.accounts.find(func(a *Account) bool { return a.MappingID == mappingID })
}

func listMappings(c *call) (any, error) {
	p, err := c.provider()
	if err != nil {
		return nil, err
	}
	list := []mappingAnswer{}
	for _, m := range c.server.mappingsOf(p.ID) {
		list = append(list, c.server.mappingAnswer(m))
	}
	return list, nil
}

// mapping finds the mapping that the path names, under its own provider only.
func (c *call) mapping() (*Mapping, error) {
	providerID, mappingID, err := c.mappingIDs()
	if err != nil {
		return nil, err
	}
	m, ok := c.server.store.mappings.get(mappingID)
	if !ok || m.ProviderID != providerID {
		return nil, notFound("CI OIDC identity mapping")
	}
	return m, nil
}

func (c *call) mappingIDs() (providerID, mappingID string, err error) {
	if providerID, err = c.id("id"); err != nil {
		return "", "", err
	}
	mappingID, err = c.id("mapping")
	return providerID, mappingID, err
}

func getMapping(c *call) (any, error) {
	m, err := c.mapping()
	if err != nil {
		return nil, err
	}
	return c.server.mappingAnswer(m), nil
}

// mappingInput is the body of a create or an update. The two lists tell null
// from left out.
type mappingInput struct {
	name      *string
	priority  *int32
	filters   json.RawMessage
	isEnabled *bool
	allowed   tristate[[]string]
	bindings  tristate[[]string]
}

func (s *Server) readMapping(in *body) mappingInput {
	out := mappingInput{
		name:      optional[string](in, "name"),
		priority:  in.int32("priority"),
		filters:   in.document("claim_filters"),
		isEnabled: optional[bool](in, "is_enabled"),
		allowed:   in.ids("allowed_repo_ids"),
	}
	if s.behaviour.groupBindings {
		out.bindings = in.ids("group_binding_ids")
	}
	return out
}

func createMapping(c *call) (any, error) {
	s := c.server
	if _, err := c.id("id"); err != nil {
		return nil, err
	}
	in := readBody(c.request)
	required[string](in, "name")
	filters := in.raw("claim_filters") // null is a value here, one that matches no token
	input := s.readMapping(in)
	if in.err != nil {
		return nil, in.err
	}
	p, err := c.provider()
	if err != nil {
		return nil, err
	}
	fresh := Mapping{
		ID: s.newID(), ProviderID: p.ID, Priority: defaultPriority, IsEnabled: true,
		ClaimFilters: canonical(filters), CreatedAt: s.now(),
	}
	if err := s.mergeMapping(&fresh, input); err != nil {
		return nil, err
	}
	fresh.UpdatedAt = fresh.CreatedAt
	return s.insertMapping(p, fresh)
}

// insertMapping stores a mapping together with its account, or neither.
func (s *Server) insertMapping(p *Provider, fresh Mapping) (any, error) {
	if !s.behaviour.accountWithMapping {
		return s.mappingAnswer(s.store.mappings.add(fresh.ID, fresh)), nil
	}
	account, err := s.newMappingAccount(p, &fresh)
	if err != nil {
		return nil, err
	}
	m := s.store.mappings.add(fresh.ID, fresh)
	s.reconcile(m, account)
	return s.mappingAnswer(m), nil
}

func updateMapping(c *call) (any, error) {
	s := c.server
	if _, _, err := c.mappingIDs(); err != nil {
		return nil, err
	}
	in := readBody(c.request)
	input := s.readMapping(in)
	if in.err != nil {
		return nil, in.err
	}
	stored, err := c.mapping()
	if err != nil {
		return nil, err
	}
	changed := *stored
	if err := s.mergeMapping(&changed, input); err != nil {
		return nil, err
	}
	changed.UpdatedAt = s.now()
	*stored = changed
	if account := s.accountOf(stored.ID); account != nil {
		s.reconcile(stored, account)
	}
	return s.mappingAnswer(stored), nil
}

// mergeMapping puts the input over a mapping, or refuses it.
func (s *Server) mergeMapping(m *Mapping, in mappingInput) error {
	if in.filters != nil {
		if err := s.checkFilters(in.filters); err != nil {
			return err
		}
		m.ClaimFilters = in.filters
	}
	if in.bindings.given {
		if err := s.checkGroups(in.bindings.value); err != nil {
			return err
		}
		m.GroupBindingIDs = in.bindings.value
	}
	if in.allowed.given && (!in.allowed.null || s.behaviour.nullClearsRepositories) {
		m.AllowedRepoIDs = in.allowed.value
	}
	if in.name != nil {
		m.Name = *in.name
	}
	if in.priority != nil {
		m.Priority = *in.priority
	}
	if in.isEnabled != nil {
		m.IsEnabled = *in.isEnabled
	}
	if utf8.RuneCountInString(m.Name) > maxName {
		return databaseError()
	}
	return nil
}

// checkFilters refuses a JSON Pointer with an escape that RFC 6901 section 3
// does not have. Anything else is saved, even what can never match.
func (s *Server) checkFilters(filters json.RawMessage) error {
	if !s.behaviour.claimPointers {
		return nil
	}
	members, _ := decodeNumbers(filters).(map[string]any)
	for key := range members {
		if strings.HasPrefix(key, "/") && !validPointer(key) {
			return validation(
				"claim_filters key '%s' is not a valid JSON Pointer: '~' must be followed by '0' or '1'", key)
		}
	}
	return nil
}

// checkGroups refuses groups that do not exist, by name.
func (s *Server) checkGroups(ids []string) error {
	var missing []string
	for _, id := range ids {
		if _, ok := s.store.groups.get(id); !ok {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		return validation("Cannot save identity mapping: its group binding names a group id that does not exist: %s",
			strings.Join(missing, ", "))
	}
	return nil
}

func toggleMapping(c *call) (any, error) {
	if _, _, err := c.mappingIDs(); err != nil {
		return nil, err
	}
	enabled, err := c.toggle()
	if err != nil {
		return nil, err
	}
	m, err := c.mapping()
	if err != nil {
		return nil, err
	}
	m.IsEnabled, m.UpdatedAt = enabled, c.server.now()
	return c.server.mappingAnswer(m), nil
}

func deleteMapping(c *call) (any, error) {
	m, err := c.mapping()
	if err != nil {
		return nil, err
	}
	c.server.removeMapping(m.ID)
	return nil, nil
}

// removeMapping deletes a mapping and deactivates its account.
func (s *Server) removeMapping(id string) {
	s.store.mappings.remove(id)
	if account := s.accountOf(id); account != nil {
		account.IsActive, account.UpdatedAt = false, s.now()
	}
}
