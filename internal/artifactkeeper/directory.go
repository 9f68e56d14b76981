package artifactkeeper

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const pageSize = 100 // The largest that the API gives.

// Group is a group of accounts, to which permissions are granted.
type Group struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Description    *string `json:"description"`
	ExternalSource *string `json:"external_source"`
	MemberCount    *int64  `json:"member_count"`
}

func (g Group) objectID() string   { return g.ID }
func (g Group) objectName() string { return g.Name }

// Repository is a repository of the registry; its key is the first segment of an image's path.
type Repository struct {
	ID          string  `json:"id"`
	Key         string  `json:"key"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Format      string  `json:"format"`
	RepoType    string  `json:"repo_type"`
	IsPublic    bool    `json:"is_public"`
}

// page is the envelope of a paged list.
type page[T any] struct {
	Items      []T `json:"items"`
	Pagination struct {
		Page       int `json:"page"`
		TotalPages int `json:"total_pages"`
	} `json:"pagination"`
}

// pages reads every page of a list.
func pages[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	var all []T
	query.Set("per_page", strconv.Itoa(pageSize))
	for number := 1; ; number++ {
		query.Set("page", strconv.Itoa(number))
		var out page[T]
		if err := c.call(ctx, request{method: http.MethodGet, path: path, query: query}, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Items...)
		if len(out.Items) == 0 || number >= out.Pagination.TotalPages {
			return all, nil
		}
	}
}

// LookupError says that a name leads to no object, or to several.
type LookupError struct {
	// What is the kind of the object and the name that was looked up.
	What string
	// Candidates are the ids of several objects of that name; empty when there is none.
	Candidates []string
	// Similar are names that differ in case only.
	Similar []string
}

func (e *LookupError) Error() string {
	if len(e.Candidates) > 0 {
		return fmt.Sprintf("the registry has more than one %s: %s", e.What, strings.Join(e.Candidates, ", "))
	}
	return "the registry has no " + e.What
}

// Advice says what to do about it.
func (e *LookupError) Advice() string {
	switch {
	case len(e.Candidates) > 0:
		return "Use the id of the one that is meant."
	case len(e.Similar) > 0:
		return fmt.Sprintf("Names are compared exactly; there is %s.", strings.Join(e.Similar, ", "))
	}
	return "Create it first, or check the spelling."
}

// GroupByName finds the group of exactly this name; a [*LookupError] says that there is none or more than one.
func (c *Client) GroupByName(ctx context.Context, name string) (Group, error) {
	// The search is for a part of a name or description.
	found, err := pages[Group](ctx, c, "/groups", url.Values{"search": {name}})
	if err != nil {
		return Group{}, err
	}
	return byName(found, name, "group")
}

// Group reads the group with this id. One that does not exist is an error that [IsNotFound] knows.
func (c *Client) Group(ctx context.Context, id string) (Group, error) {
	var out Group
	r := request{method: http.MethodGet, path: "/groups/" + url.PathEscape(CanonicalID(id)), query: url.Values{"member_limit": {"1"}}}
	err := c.call(ctx, r, &out)
	if err == nil && !sameID(out.ID, id) {
		err = &MalformedError{r.method, r.path, http.StatusOK, "the answer is about another group, or about none"}
	}
	return out, err
}

// byName finds the one object of exactly this name, or says why there is none.
func byName[T object](all []T, name, kind string) (T, error) {
	failure := &LookupError{What: fmt.Sprintf("%s named %q", kind, name)}
	var out, none T
	for _, item := range all {
		switch {
		case item.objectName() == name:
			out = item
			failure.Candidates = append(failure.Candidates, item.objectID())
		case strings.EqualFold(item.objectName(), name):
			failure.Similar = append(failure.Similar, strconv.Quote(item.objectName()))
		}
	}
	if len(failure.Candidates) != 1 {
		return none, failure
	}
	return out, nil
}

// RepositoryByKey reads the repository with this key; a [*LookupError] says that there is none.
func (c *Client) RepositoryByKey(ctx context.Context, key string) (Repository, error) {
	var out Repository
	r := request{method: http.MethodGet, path: "/repositories/" + url.PathEscape(key)}
	err := c.call(ctx, r, &out)
	switch {
	case IsNotFound(err):
		return out, &LookupError{What: fmt.Sprintf("repository with the key %q", key)}
	case err != nil:
		return out, err
	case out.ID == "":
		return out, &MalformedError{r.method, r.path, http.StatusOK, "the answer has no id"}
	}
	return out, nil
}
