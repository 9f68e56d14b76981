package emulator

import (
	"slices"
	"time"
)

// permissionAnswer is a rule as the API returns it, with the names that its
// ids have.
type permissionAnswer struct {
	ID            string    `json:"id"`
	PrincipalType string    `json:"principal_type"`
	PrincipalID   string    `json:"principal_id"`
	PrincipalName *string   `json:"principal_name"`
	TargetType    string    `json:"target_type"`
	TargetID      string    `json:"target_id"`
	TargetName    *string   `json:"target_name"`
	Actions       []string  `json:"actions"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

func (s *Server) permissionAnswer(p *Permission) permissionAnswer {
	out := permissionAnswer{
		ID: p.ID, PrincipalType: p.PrincipalType, PrincipalID: p.PrincipalID, TargetType: p.TargetType,
		TargetID: p.TargetID, Actions: p.Actions, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	if g, ok := s.store.groups.get(p.PrincipalID); ok && p.PrincipalType == "group" {
		out.PrincipalName = &g.Name
	}
	if a, ok := s.store.accounts.get(p.PrincipalID); ok && p.PrincipalType != "group" {
		out.PrincipalName = &a.Username
	}
	if r, ok := s.store.repositories.get(p.TargetID); ok && p.TargetType == "repository" {
		out.TargetName = &r.Name
	}
	return out
}

// listPermissions lists the rules, newest first.
func listPermissions(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	query := c.request.URL.Query()
	wants := func(name, value string) bool { return !query.Has(name) || query.Get(name) == value }
	list := []permissionAnswer{}
	for _, p := range c.server.store.permissions.rows {
		if wants("principal_type", p.PrincipalType) && wants("principal_id", p.PrincipalID) &&
			wants("target_type", p.TargetType) && wants("target_id", p.TargetID) {
			list = append(list, c.server.permissionAnswer(p))
		}
	}
	slices.Reverse(list)
	return paginate(c, list)
}

// createPermission parses its body itself, after the check of the caller, so
// that its complaints have the registry's shape.
func createPermission(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	in := readBody(c.request)
	fresh := Permission{
		PrincipalType: required[string](in, "principal_type"), PrincipalID: in.id("principal_id"),
		TargetType: required[string](in, "target_type"), TargetID: in.id("target_id"),
		Actions: required[[]string](in, "actions"),
	}
	if in.err != nil {
		return nil, validation("Invalid permission payload: %v", in.err)
	}
	s := c.server
	if err := s.checkPrincipal(fresh.PrincipalType, fresh.PrincipalID); err != nil {
		return nil, err
	}
	if s.store.permissions.find(func(p *Permission) bool {
		return p.PrincipalType == fresh.PrincipalType && p.PrincipalID == fresh.PrincipalID &&
			p.TargetType == fresh.TargetType && p.TargetID == fresh.TargetID
	}) != nil {
		return nil, conflict("Permission already exists")
	}
	return s.permissionAnswer(s.insertPermission(fresh)), nil
}

func (s *Server) insertPermission(p Permission) *Permission {
	p.ID, p.CreatedAt = s.newID(), s.now()
	p.UpdatedAt = p.CreatedAt
	return s.store.permissions.add(p.ID, p)
}

// checkPrincipal refuses an id that is no principal of its type.
func (s *Server) checkPrincipal(kind, id string) error {
	account, isAccount := s.store.accounts.get(id)
	var exists bool
	switch kind {
	case "group":
		_, exists = s.store.groups.get(id)
	case "user":
		exists = isAccount && !account.IsServiceAccount
	case "service_account":
		exists = isAccount && s.isServiceAccount(account)
	default:
		return validation("Invalid principal_type '%s': expected one of user, service_account, group", kind)
	}
	if !exists {
		return validation("principal_id %s does not exist as a %s", id, kind)
	}
	return nil
}

func deletePermission(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	if !c.server.store.permissions.remove(id) {
		return nil, notFound("Permission")
	}
	return nil, nil
}

// mayRead decides whether a caller may read a repository. A nil caller is a
// guest, who reads what is public.
func (s *Server) mayRead(caller *principal, r *Repository) bool {
	if caller == nil {
		return r.IsPublic
	}
	// The ceiling comes first: it narrows what is public, too.
	if caller.session.ceiling != nil && !slices.Contains(*caller.session.ceiling, r.ID) {
		return false
	}
	if caller.account.IsAdmin || r.IsPublic {
		return true
	}
	roles := s.rolesFor(caller.account, r)
	if slices.Contains(roles, "admin") {
		return true
	}
	// A rule that applies to the account is the answer; without one, roles
	// are.
	if actions, ruled := s.rulesFor(caller.account, r); ruled {
		return grantsRead(actions)
	}
	return grantsRead(roles)
}

func grantsRead(actions []string) bool {
	return slices.Contains(actions, "read") || slices.Contains(actions, "admin")
}

// rulesFor collects the actions of the rules that apply to an account on a
// repository: its own and those of its groups, on the repository and on its
// project. The second result says whether there was any such rule.
func (s *Server) rulesFor(account *Account, r *Repository) (actions []string, ruled bool) {
	for _, p := range s.store.permissions.rows {
		if s.isPrincipal(account, p) && isTarget(r, p) {
			actions, ruled = append(actions, p.Actions...), true
		}
	}
	return actions, ruled
}

func (s *Server) isPrincipal(account *Account, p *Permission) bool {
	if p.PrincipalType != "group" {
		return p.PrincipalID == account.ID
	}
	g, ok := s.store.groups.get(p.PrincipalID)
	return ok && slices.Contains(g.MemberIDs, account.ID)
}

func isTarget(r *Repository, p *Permission) bool {
	switch p.TargetType {
	case "repository":
		return p.TargetID == r.ID
	case "project":
		return r.ProjectID != "" && p.TargetID == r.ProjectID
	}
	return false
}

// isGoverned says whether anybody has a rule on a repository.
func (s *Server) isGoverned(r *Repository) bool {
	return s.store.permissions.find(func(p *Permission) bool { return isTarget(r, p) }) != nil
}

// rolesFor collects the actions of the roles that an account holds on a
// repository or on all of them.
func (s *Server) rolesFor(account *Account, r *Repository) (actions []string) {
	for _, role := range s.store.roles {
		if role.AccountID == account.ID && (role.RepositoryID == "" || role.RepositoryID == r.ID) {
			actions = append(actions, role.Actions...)
		}
	}
	return actions
}
