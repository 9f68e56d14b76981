package emulator

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// access is who may call a route. The check comes before anything of the
// request is looked at, so that a stranger learns nothing from a complaint.
type access int

const (
	anyone    access = iota // no credential is looked at
	guests                  // a credential is optional, but must be good when given
	signedIn                // a valid credential
	adminOnly               // a valid credential of an administrator
)

// route is one entry of the API.
type route struct {
	method  string
	pattern string // of http.ServeMux, without a method
	access  access
	run     func(*call) (any, error)
	// unlocked marks a handler that takes the lock itself, because it talks
	// to others in between.
	unlocked bool
}

// call is one request on its way through a handler.
type call struct {
	server  *Server
	request *http.Request
	caller  *principal // nil for a guest
}

// api is the table of the registry API, without /v2.
func (s *Server) api() []route {
	const (
		providers = "/api/v1/admin/ci-oidc"
		provider  = providers + "/{id}"
		mappings  = provider + "/mappings"
		mapping   = mappings + "/{mapping}"
	)
	return []route{
		{"GET", "/health", anyone, health, false},
		{"POST", "/api/v1/auth/login", anyone, login, false},
		{"POST", "/api/v1/auth/ci/token", anyone, exchange, true},

		{"GET", providers, adminOnly, listProviders, false},
		{"POST", providers, adminOnly, createProvider, false},
		{"GET", provider, adminOnly, getProvider, false},
		{"PUT", provider, adminOnly, updateProvider, false},
		{"DELETE", provider, adminOnly, deleteProvider, false},
		{"PATCH", provider + "/toggle", adminOnly, toggleProvider, false},
		{"GET", mappings, adminOnly, listMappings, false},
		{"POST", mappings, adminOnly, createMapping, false},
		{"GET", mapping, adminOnly, getMapping, false},
		{"PUT", mapping, adminOnly, updateMapping, false},
		{"DELETE", mapping, adminOnly, deleteMapping, false},
		{"PATCH", mapping + "/toggle", adminOnly, toggleMapping, false},

		{"GET", "/api/v1/groups", guests, listGroups, false},
		{"POST", "/api/v1/groups", guests, createGroup, false},
		{"GET", "/api/v1/groups/{id}", guests, getGroup, false},
		{"DELETE", "/api/v1/groups/{id}", guests, deleteGroup, false},
		{"POST", "/api/v1/groups/{id}/members", guests, addMembers, false},
		{"DELETE", "/api/v1/groups/{id}/members", guests, removeMembers, false},

		{"GET", "/api/v1/repositories", guests, listRepositories, false},
		{"POST", "/api/v1/repositories", guests, createRepository, false},
		{"GET", "/api/v1/repositories/{key}", guests, getRepository, false},
		{"DELETE", "/api/v1/repositories/{key}", guests, deleteRepository, false},

		{"GET", "/api/v1/permissions", signedIn, listPermissions, false},
		{"POST", "/api/v1/permissions", signedIn, createPermission, false},
		{"DELETE", "/api/v1/permissions/{id}", signedIn, deletePermission, false},

		{"GET", "/api/v1/service-accounts", signedIn, listServiceAccounts, false},
		{"GET", "/api/v1/service-accounts/{id}", signedIn, getServiceAccount, false},
		{"GET", "/api/v1/users", adminOnly, listUsers, false},
		{"GET", "/api/v1/users/{id}", signedIn, getUser, false},
		{"PATCH", "/api/v1/users/{id}", adminOnly, updateUser, false},
		{"DELETE", "/api/v1/users/{id}", adminOnly, deleteUser, false},
	}
}

// routes builds the handler of everything. A path that is no route is 404 and
// a method that a route lacks is 405, both without a body.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, route := range s.api() {
		mux.Handle(route.method+" "+route.pattern, s.endpoint(route))
		methods[route.pattern] = append(methods[route.pattern], route.method)
	}
	for pattern, allowed := range methods {
		slices.Sort(allowed)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ","))
			w.WriteHeader(http.StatusMethodNotAllowed)
		})
	}
	mux.Handle("/v2/", s.endpoint(route{run: distribution, access: anyone}))
	mux.Handle("/v2/token", s.endpoint(route{run: registryToken, access: anyone}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	return mux
}

// endpoint turns a route into a handler: authentication, lock, answer.
func (s *Server) endpoint(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply := w.(*answer) // serve hands every handler one
		c := &call{server: s, request: r}
		s.mu.Lock()
		err := c.authenticate(route.access)
		if err != nil || route.unlocked {
			s.mu.Unlock()
		} else {
			defer s.mu.Unlock()
		}
		if err != nil {
			reply.write(nil, err)
			return
		}
		reply.write(route.run(c))
	})
}

// id is a UUID in the path, in the registry's spelling. One that does not
// parse is refused by the framework.
func (c *call) id(name string) (string, error) {
	text := c.request.PathValue(name)
	id, err := uuid.Parse(text)
	if err != nil {
		return "", &plainError{
			status:  http.StatusBadRequest,
			message: "Invalid URL: Cannot parse `" + name + "` with value `" + text + "` to a `Uuid`",
		}
	}
	return id.String(), nil
}

// page is one page of a list in the registry's envelope.
type page struct {
	Items      any        `json:"items"`
	Pagination pagination `json:"pagination"`
}

type pagination struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

// maxPerPage is the largest page, whatever a request asks for.
const maxPerPage = 100

// paginate cuts the page that a request asks for out of a list.
func paginate[T any](c *call, items []T) (*page, error) {
	query := c.request.URL.Query()
	number, err := positive(query, "page", 1)
	if err != nil {
		return nil, err
	}
	size, err := positive(query, "per_page", 20)
	if err != nil {
		return nil, err
	}
	size = min(size, maxPerPage)
	start := min((number-1)*size, len(items))
	end := min(start+size, len(items))
	return &page{
		Items: append([]T{}, items[start:end]...), // [] and not null when empty
		Pagination: pagination{
			Page: number, PerPage: size, Total: len(items), TotalPages: (len(items) + size - 1) / size,
		},
	}, nil
}

// positive is a count in the query; 0 counts as 1, as the registry clamps it.
func positive(query url.Values, name string, fallback int) (int, error) {
	value, err := count(query, name, fallback)
	return max(value, 1), err
}

// count is a number in the query that may be 0.
func count(query url.Values, name string, fallback int) (int, error) {
	if !query.Has(name) {
		return fallback, nil
	}
	value, err := strconv.ParseUint(query.Get(name), 10, 31)
	if err != nil {
		return 0, &plainError{
			status: http.StatusBadRequest, message: "Failed to deserialize query string: " + name + ": invalid digit found in string",
		}
	}
	return int(value), nil
}

// contains is the substring search of the registry's lists: case does not
// matter, and no search finds everything.
func contains(search string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(search))
	})
}

func health(c *call) (any, error) {
	type check struct {
		Status string `json:"status"`
	}
	return struct {
		Status   string           `json:"status"`
		Version  string           `json:"version"`
		DemoMode bool             `json:"demo_mode"`
		Checks   map[string]check `json:"checks"`
	}{"healthy", c.server.behaviour.version, false, map[string]check{"database": {"healthy"}, "storage": {"healthy"}}}, nil
}
