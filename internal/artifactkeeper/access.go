package artifactkeeper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Kinds of principals and targets of a [Permission].
const (
	PrincipalGroup   = "group"
	TargetRepository = "repository"
	TargetProject    = "project"
)

// Permission is a rule: what a principal may do with a target.
type Permission struct {
	// PrincipalType is user, service_account or group.
	PrincipalType string `json:"principal_type"`
	PrincipalID   string `json:"principal_id"`
	// PrincipalName is for people; nil when the principal is gone.
	PrincipalName *string `json:"principal_name"`
	// TargetType is repository or project.
	TargetType string   `json:"target_type"`
	TargetID   string   `json:"target_id"`
	Actions    []string `json:"actions"`
}

// AllowsReading reports whether the rule lets its principal pull: admin implies read.
func (p Permission) AllowsReading() bool {
	return slices.Contains(p.Actions, "read") || slices.Contains(p.Actions, "admin")
}

// Permissions lists the rules on a target, such as [TargetRepository] and its id.
func (c *Client) Permissions(ctx context.Context, targetType, targetID string) ([]Permission, error) {
	return pages[Permission](ctx, c, "/permissions", url.Values{"target_type": {targetType}, "target_id": {targetID}})
}

// Account is a user or service account, such as the one that belongs to an identity mapping.
type Account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	// IsActive is nil when the registry does not tell.
	IsActive *bool `json:"is_active"`
}

// Account reads an account by its id. The account of a mapping is a service account to some releases and a user to others,
// so that both are looked at. One that is neither is an error that [IsNotFound] knows.
func (c *Client) Account(ctx context.Context, id string) (Account, error) {
	var out Account
	var err error
	for _, path := range []string{"/service-accounts/", "/users/"} {
		r := request{method: http.MethodGet, path: path + url.PathEscape(CanonicalID(id))}
		if err = c.call(ctx, r, &out); err == nil {
			if !sameID(out.ID, id) {
				return Account{}, &MalformedError{r.method, r.path, http.StatusOK, "the answer is about another object, or about none"}
			}
			return out, nil
		}
		if !IsNotFound(err) {
			return Account{}, err
		}
	}
	return Account{}, err
}

// memberWindow is the largest number of members that one answer holds.
const memberWindow = 200

// IsMember reports whether an account is in a group. A group that does not exist has no members.
func (c *Client) IsMember(ctx context.Context, groupID, accountID string) (bool, error) {
	path := "/groups/" + url.PathEscape(CanonicalID(groupID))
	for offset := 0; ; {
		var out struct {
			Members []struct {
				UserID string `json:"user_id"`
			} `json:"members"`
			Total int `json:"members_total"`
		}
		query := url.Values{"member_limit": {strconv.Itoa(memberWindow)}, "member_offset": {strconv.Itoa(offset)}}
		err := c.call(ctx, request{method: http.MethodGet, path: path, query: query}, &out)
		switch {
		case IsNotFound(err):
			return false, nil
		case err != nil:
			return false, err
		}
		for _, member := range out.Members {
			if sameID(member.UserID, accountID) {
				return true, nil
			}
		}
		if offset += len(out.Members); len(out.Members) == 0 || offset >= out.Total {
			return false, nil
		}
	}
}

// Shows asks the registry, as the owner of a credential, for the repository with this key: it hides what the owner may not
// read. Answers that say neither are errors.
func (c *Client) Shows(ctx context.Context, credential Credential, key string) (bool, error) {
	var out Repository
	r := request{method: http.MethodGet, path: "/repositories/" + url.PathEscape(key)}
	err := c.send(ctx, r, credential.AccessToken, &out)
	switch {
	case IsNotFound(err):
		return false, nil
	case err != nil:
		return false, err
	case out.Key != key:
		return false, &MalformedError{r.method, r.path, http.StatusOK, "the answer is about another repository, or about none"}
	}
	return true, nil
}

// Unreachable reports whether err says that the registry gave no answer at all.
func Unreachable(err error) bool {
	_, unreachable := errors.AsType[*TransportError](err)
	return unreachable
}

// String says what the rule allows to whom.
func (p Permission) String() string {
	name := p.PrincipalID
	if p.PrincipalName != nil {
		name = strconv.Quote(*p.PrincipalName)
	}
	return fmt.Sprintf("%s %s may %v", p.PrincipalType, name, p.Actions)
}

// RepositoryAccess is a repository with what decides who may read it.
type RepositoryAccess struct {
	Repository
	// ProjectID is the project whose rules hold for the repository too; nil when it is in none.
	ProjectID *string `json:"project_id"`
}

// RepositoryAccess reads the repository with this key; a [*LookupError] says that there is none.
func (c *Client) RepositoryAccess(ctx context.Context, key string) (RepositoryAccess, error) {
	var out RepositoryAccess
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
