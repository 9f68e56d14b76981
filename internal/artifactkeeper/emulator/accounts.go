package emulator

import (
	"slices"
	"strings"
	"time"
)

// Characters of a mapping's id in the name of its account: of an account made
// with the mapping, and of one made by an exchange on an older release.
const (
	shortID       = 12
	legacyShortID = 8
)

// accountName is the name of the account of a mapping: ci- and the first hex
// digits of the mapping's id.
func accountName(mappingID string, digits int) string {
	return "ci-" + strings.ReplaceAll(mappingID, "-", "")[:digits]
}

// newMappingAccount makes the account of a mapping that has none.
func (s *Server) newMappingAccount(p *Provider, m *Mapping) (*Account, error) {
	digits := legacyShortID
	if s.behaviour.accountWithMapping {
		digits = shortID
	}
	name := accountName(m.ID, digits)
	if s.store.accounts.find(func(a *Account) bool { return a.Username == name }) != nil {
		return nil, conflict("Cannot create identity mapping: "+
			"its service account username '%s' is already taken by an existing account", name)
	}
	return s.store.addAccount(s, Account{
		Username: name, Email: name + "@ci.artifact-keeper.internal", DisplayName: "CI [" + p.Name + "] " + m.Name,
		AuthProvider: "ci", IsActive: true, MappingID: m.ID,
	}), nil
}

// reconcile makes the memberships of an account those that the mapping
// declares. No binding says nothing; an empty one strips every membership. A
// group that was deleted since is passed over.
func (s *Server) reconcile(m *Mapping, account *Account) {
	if m.GroupBindingIDs == nil {
		return
	}
	for _, g := range s.store.groups.rows {
		switch member := slices.Contains(g.MemberIDs, account.ID); {
		case slices.Contains(m.GroupBindingIDs, g.ID) && !member:
			g.MemberIDs = append(g.MemberIDs, account.ID)
		case !slices.Contains(m.GroupBindingIDs, g.ID) && member:
			g.MemberIDs = without(g.MemberIDs, account.ID)
		}
	}
}

func without(list []string, value string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == value })
}

// serviceAccountAnswer is an account on /service-accounts.
type serviceAccountAnswer struct {
	ID          string    `json:"id"`
	Username    string    `json:"username"`
	DisplayName string    `json:"display_name"`
	IsActive    bool      `json:"is_active"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

func (a *Account) serviceAccountAnswer() serviceAccountAnswer {
	return serviceAccountAnswer{a.ID, a.Username, a.DisplayName, a.IsActive, a.CreatedAt, a.UpdatedAt}
}

// isServiceAccount says whether /service-accounts shows an account.
func (s *Server) isServiceAccount(a *Account) bool {
	return a.IsServiceAccount || a.AuthProvider == "ci" && !s.options.AsBuilt
}

func listServiceAccounts(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	list := []serviceAccountAnswer{}
	for _, a := range c.server.sortedAccounts(c.server.isServiceAccount) {
		list = append(list, a.serviceAccountAnswer())
	}
	return paginate(c, list)
}

func getServiceAccount(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if account == nil || !c.server.isServiceAccount(account) {
		return nil, notFound("Service account")
	}
	return account.serviceAccountAnswer(), nil
}

// account finds the account that the path names, nil when there is none.
func (c *call) account() (*Account, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	account, _ := c.server.store.accounts.get(id)
	return account, nil
}

func (s *Server) sortedAccounts(match func(*Account) bool) []*Account {
	list := s.store.accounts.filter(match)
	slices.SortStableFunc(list, func(a, b *Account) int { return strings.Compare(a.Username, b.Username) })
	return list
}

// userAnswer is an account on /users.
type userAnswer struct {
	ID                 string     `json:"id"`
	Username           string     `json:"username"`
	Email              string     `json:"email"`
	DisplayName        string     `json:"display_name"`
	AuthProvider       string     `json:"auth_provider"`
	IsActive           bool       `json:"is_active"`
	IsAdmin            bool       `json:"is_admin"`
	MustChangePassword bool       `json:"must_change_password"`
	LastLoginAt        *time.Time `json:"last_login_at"`
	CreatedAt          time.Time  `json:"created_at"`
}

func (a *Account) userAnswer() userAnswer {
	return userAnswer{
		ID: a.ID, Username: a.Username, Email: a.Email, DisplayName: a.DisplayName, AuthProvider: a.AuthProvider,
		IsActive: a.IsActive, IsAdmin: a.IsAdmin, MustChangePassword: a.MustChangePassword, CreatedAt: a.CreatedAt,
	}
}

func listUsers(c *call) (any, error) {
	query := c.request.URL.Query()
	list := []userAnswer{}
	for _, a := range c.server.sortedAccounts(func(a *Account) bool {
		if !contains(query.Get("search"), a.Username, a.Email, a.DisplayName) {
			return false
		}
		active := query.Get("is_active")
		return active == "" || (active == "true") == a.IsActive
	}) {
		list = append(list, a.userAnswer())
	}
	return paginate(c, list)
}

// getUser shows an account to itself and to administrators.
func getUser(c *call) (any, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if account != c.caller.account {
		if err := c.requireAdmin(); err != nil {
			return nil, err
		}
	}
	if account == nil {
		return nil, notFound("User")
	}
	return account.userAnswer(), nil
}

// updateUser is how an administrator deactivates an account.
func updateUser(c *call) (any, error) {
	if _, err := c.id("id"); err != nil {
		return nil, err
	}
	in := readBody(c.request)
	active := optional[bool](in, "is_active")
	display := optional[string](in, "display_name")
	if in.err != nil {
		return nil, in.err
	}
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if account == nil {
		return nil, notFound("User")
	}
	if active != nil {
		account.IsActive = *active
	}
	if display != nil {
		account.DisplayName = *display
	}
	account.UpdatedAt = c.server.now()
	return account.userAnswer(), nil
}

func deleteUser(c *call) (any, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	if account == nil {
		return nil, notFound("User")
	}
	c.server.removeAccount(account.ID)
	return nil, nil
}

func (s *Server) removeAccount(id string) {
	s.store.accounts.remove(id)
	for _, g := range s.store.groups.rows {
		g.MemberIDs = without(g.MemberIDs, id)
	}
}
