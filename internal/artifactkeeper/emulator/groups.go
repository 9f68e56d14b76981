package emulator

import (
	"slices"
	"strings"
	"time"
)

// groupAnswer is a group as the API lists it.
type groupAnswer struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Description    *string   `json:"description"`
	ExternalSource *string   `json:"external_source"`
	MemberCount    int       `json:"member_count"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

func (g *Group) answer() groupAnswer {
	return groupAnswer{
		ID: g.ID, Name: g.Name, Description: nullable(g.Description), ExternalSource: nullable(g.ExternalSource),
		MemberCount: len(g.MemberIDs), CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt,
	}
}

// nullable is a text column that is null when it is empty.
func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// sees says whether the caller may see a group: administrators see all, the
// others those they are in.
func (c *call) sees(g *Group) bool {
	return c.caller.account.IsAdmin || slices.Contains(g.MemberIDs, c.caller.account.ID)
}

func listGroups(c *call) (any, error) {
	if err := c.requireCaller(); err != nil {
		return nil, err
	}
	search := c.request.URL.Query().Get("search")
	found := c.server.store.groups.filter(func(g *Group) bool {
		return c.sees(g) && contains(search, g.Name, g.Description)
	})
	slices.SortStableFunc(found, func(a, b *Group) int { return strings.Compare(a.Name, b.Name) })
	list := make([]groupAnswer, 0, len(found))
	for _, g := range found {
		list = append(list, g.answer())
	}
	return paginate(c, list)
}

func createGroup(c *call) (any, error) {
	in := readBody(c.request)
	name, description := required[string](in, "name"), optional[string](in, "description")
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	if in.err != nil {
		return nil, in.err
	}
	if c.server.store.groups.find(func(g *Group) bool { return g.Name == name }) != nil {
		return nil, conflict("Group name already exists")
	}
	if description == nil {
		description = new(string)
	}
	return c.server.insertGroup(name, *description).answer(), nil
}

func (s *Server) insertGroup(name, description string) *Group {
	g := Group{ID: s.newID(), Name: name, Description: description, MemberIDs: []string{}, CreatedAt: s.now()}
	g.UpdatedAt = g.CreatedAt
	return s.store.groups.add(g.ID, g)
}

// group finds the group that the path names, if the caller may see it.
func (c *call) group() (*Group, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	if err := c.requireCaller(); err != nil {
		return nil, err
	}
	g, ok := c.server.store.groups.get(id)
	if !ok || !c.sees(g) {
		return nil, notFound("Group")
	}
	return g, nil
}

type memberAnswer struct {
	UserID      string `json:"user_id"`
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
}

// The bounds of member_limit, and its default.
const (
	defaultMembers = 50
	maxMembers     = 200
)

// getGroup is a group with a window on its members.
func getGroup(c *call) (any, error) {
	g, err := c.group()
	if err != nil {
		return nil, err
	}
	query := c.request.URL.Query()
	limit, err := positive(query, "member_limit", defaultMembers)
	if err != nil {
		return nil, err
	}
	offset, err := count(query, "member_offset", 0)
	if err != nil {
		return nil, err
	}
	start := min(offset, len(g.MemberIDs))
	members := []memberAnswer{}
	for _, id := range g.MemberIDs[start:min(start+min(limit, maxMembers), len(g.MemberIDs))] {
		if a, ok := c.server.store.accounts.get(id); ok {
			members = append(members, memberAnswer{UserID: a.ID, Username: a.Username, DisplayName: a.DisplayName})
		}
	}
	return struct {
		groupAnswer
		Members      []memberAnswer `json:"members"`
		MembersTotal int            `json:"members_total"`
	}{g.answer(), members, len(g.MemberIDs)}, nil
}

func deleteGroup(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	g, err := c.group()
	if err != nil {
		return nil, err
	}
	c.server.removeGroup(g.ID)
	return nil, nil
}

// removeGroup deletes a group and its rules. A mapping that binds it keeps
// naming it.
func (s *Server) removeGroup(id string) {
	s.store.groups.remove(id)
	for _, p := range s.store.permissions.filter(func(p *Permission) bool { return p.PrincipalID == id }) {
		s.store.permissions.remove(p.ID)
	}
}

func addMembers(c *call) (any, error) {
	return c.changeMembers(func(members []string, id string) []string {
		if slices.Contains(members, id) {
			return members
		}
		return append(slices.Clone(members), id)
	})
}

func removeMembers(c *call) (any, error) { return c.changeMembers(without) }

func (c *call) changeMembers(change func([]string, string) []string) (any, error) {
	in := readBody(c.request)
	users := in.ids("user_ids")
	if !users.given {
		in.reject("missing field `user_ids`")
	}
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	if in.err != nil {
		return nil, in.err
	}
	g, err := c.group()
	if err != nil {
		return nil, err
	}
	for _, id := range users.value {
		if _, ok := c.server.store.accounts.get(id); !ok {
			return nil, databaseError() // the foreign key
		}
		g.MemberIDs = change(g.MemberIDs, id)
	}
	return nil, nil
}
