package emulator

import (
	"slices"
	"strings"
	"time"
)

// repositoryAnswer is a repository as the API returns it.
type repositoryAnswer struct {
	ID                   string    `json:"id"`
	Key                  string    `json:"key"`
	Name                 string    `json:"name"`
	Description          *string   `json:"description"`
	Format               string    `json:"format"`
	RepoType             string    `json:"repo_type"`
	IsPublic             bool      `json:"is_public"`
	AllowAnonymousAccess bool      `json:"allow_anonymous_access"`
	StorageUsedBytes     int64     `json:"storage_used_bytes"`
	ProjectID            *string   `json:"project_id"`
	CreatedAt            time.Time `json:"created_at"`
	UpdatedAt            time.Time `json:"updated_at"`
}

func (r *Repository) answer() repositoryAnswer {
	return repositoryAnswer{
		ID: r.ID, Key: r.Key, Name: r.Name, Description: nullable(r.Description), Format: r.Format,
		RepoType: r.RepoType, IsPublic: r.IsPublic, AllowAnonymousAccess: r.IsPublic,
		ProjectID: nullable(r.ProjectID), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// repositoryByKey finds a repository, nil when there is none.
func (s *Server) repositoryByKey(key string) *Repository {
	return s.store.repositories.find(func(r *Repository) bool { return r.Key == key })
}

func listRepositories(c *call) (any, error) {
	query := c.request.URL.Query().Get("q")
	found := c.server.store.repositories.filter(func(r *Repository) bool {
		return c.server.mayRead(c.caller, r) && contains(query, r.Key, r.Name)
	})
	slices.SortStableFunc(found, func(a, b *Repository) int { return strings.Compare(a.Name, b.Name) })
	list := make([]repositoryAnswer, 0, len(found))
	for _, r := range found {
		list = append(list, r.answer())
	}
	return paginate(c, list)
}

// repository finds the repository that the path names, if the caller may read
// it. One that it may not read does not exist for it.
func (c *call) repository() (*Repository, error) {
	r := c.server.repositoryByKey(c.request.PathValue("key"))
	if r == nil || !c.server.mayRead(c.caller, r) {
		return nil, notFound("Repository")
	}
	return r, nil
}

func getRepository(c *call) (any, error) {
	r, err := c.repository()
	if err != nil {
		return nil, err
	}
	return r.answer(), nil
}

func createRepository(c *call) (any, error) {
	in := readBody(c.request)
	fresh := Repository{
		Key: required[string](in, "key"), Name: required[string](in, "name"),
		Format: required[string](in, "format"), RepoType: required[string](in, "repo_type"),
	}
	if description := optional[string](in, "description"); description != nil {
		fresh.Description = *description
	}
	if public := optional[bool](in, "is_public"); public != nil {
		fresh.IsPublic = *public
	}
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	if in.err != nil {
		return nil, validation("Invalid repository payload: %v", in.err)
	}
	if fresh.Key == "" || strings.Contains(fresh.Key, "/") {
		return nil, validation("Repository key '%s' is not valid", fresh.Key)
	}
	if c.server.repositoryByKey(fresh.Key) != nil {
		return nil, conflict("Repository key '%s' already exists", fresh.Key)
	}
	return c.server.insertRepository(fresh).answer(), nil
}

func (s *Server) insertRepository(r Repository) *Repository {
	r.ID, r.CreatedAt = s.newID(), s.now()
	r.UpdatedAt = r.CreatedAt
	return s.store.repositories.add(r.ID, r)
}

func deleteRepository(c *call) (any, error) {
	if err := c.requireAdmin(); err != nil {
		return nil, err
	}
	r, err := c.repository()
	if err != nil {
		return nil, err
	}
	c.server.removeRepository(r.ID)
	return nil, nil
}

// removeRepository deletes a repository, its rules and its images. Ceilings
// that name it keep naming it.
func (s *Server) removeRepository(id string) {
	s.store.repositories.remove(id)
	s.store.images.forget(id)
	for _, p := range s.store.permissions.filter(func(p *Permission) bool { return p.TargetID == id }) {
		s.store.permissions.remove(p.ID)
	}
	s.store.roles = slices.DeleteFunc(s.store.roles, func(role Role) bool { return role.RepositoryID == id })
}
