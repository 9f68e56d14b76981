package artifactkeeper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/hashicorp/go-version"
)

// MinimumVersion is the oldest registry on which the whole chain works.
const MinimumVersion = "1.11"

// Health is the registry's word about itself.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// Health asks the registry how it is and which version it runs. It needs no credential.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var out Health
	err := c.send(ctx, request{method: http.MethodGet, path: "/health", atRoot: true}, "", &out)
	return out, err
}

// health remembers a version that was read; a failure is tried again.
type health struct {
	mu      sync.Mutex
	version string
}

// version gives the registry's version, from the first answer of this run.
func (c *Client) version(ctx context.Context) (string, error) {
	c.health.mu.Lock()
	defer c.health.mu.Unlock()
	if c.health.version != "" {
		return c.health.version, nil
	}
	out, err := c.Health(ctx)
	if err != nil {
		return "", err
	}
	if _, err := version.NewVersion(out.Version); err != nil {
		return "", fmt.Errorf("the registry gives its version as %q, which cannot be understood", c.scrub.Clean(shorten(out.Version, 60)))
	}
	c.health.version = out.Version
	return out.Version, nil
}

// UnsupportedError says that a write was refused before anything was sent, because the registry would ignore a part
// of it without a word.
type UnsupportedError struct {
	// Members are what needs the newer version, in words.
	Members []string
	// Version is the registry's; empty when it could not be read.
	Version string
	// Err is why the version could not be read.
	Err error
}

func (e *UnsupportedError) Error() string {
	members := strings.Join(e.Members, ", ")
	if e.Err != nil {
		return fmt.Sprintf("nothing was sent: %s needs Artifact Keeper %s or newer, and the registry's version could not be "+
			"read: %s", members, MinimumVersion, e.Err)
	}
	return fmt.Sprintf("nothing was sent: %s needs Artifact Keeper %s or newer, and the registry is %s", members,
		MinimumVersion, e.Version)
}

func (e *UnsupportedError) Unwrap() error { return e.Err }

// Advice says what to do about it.
func (e *UnsupportedError) Advice() string {
	if e.Err != nil {
		return "GET /health tells the version. An older registry would ignore these settings and let in more than was asked " +
			"for, so the version must be known first. Let /health through any proxy in front."
	}
	return "This registry would ignore these settings without a word and let in more than was asked for. Upgrade it, or " +
		"leave them out."
}

// support refuses a write that uses members which an older registry ignores. Without members it asks nothing.
func (c *Client) support(ctx context.Context, members []string) error {
	if len(members) == 0 {
		return nil
	}
	found, err := c.version(ctx)
	if err != nil {
		return &UnsupportedError{Members: members, Err: err}
	}
	// A pre-release of the minimum has its features.
	have := version.Must(version.NewVersion(found)).Core()
	if have.LessThan(version.Must(version.NewVersion(MinimumVersion))) {
		return &UnsupportedError{Members: members, Version: found}
	}
	return nil
}

// NotAppliedError says that the registry accepted a write and did not do what it said.
type NotAppliedError struct {
	// What is the kind and name of the object.
	What string
	// Members are those whose value came back differently, with both values.
	Members []string
	// Version is the registry's; empty when it could not be read.
	Version string
	// Undone tells what was done about it.
	Undone string
	// UndoErr is why it could not be undone; nil when it was.
	UndoErr error
}

func (e *NotAppliedError) Error() string {
	version := "of a version that could not be read"
	if e.Version != "" {
		version = e.Version
	}
	return fmt.Sprintf("the registry (%s) accepted %s but did not apply %s; %s", version, e.What,
		strings.Join(e.Members, " and "), e.Undone)
}

// Advice says what to do about it.
func (e *NotAppliedError) Advice() string {
	return "Registries before " + MinimumVersion + " ignore members that they do not know. Upgrade the registry to " +
		MinimumVersion + " or newer, or leave these settings out. If it is that new, someone else may have changed the " +
		"object at the same moment: plan again."
}

// Remains reports whether a create that failed with err left its object behind, as far as the client knows: it is given
// back together with the error.
func Remains(err error) bool {
	var e *NotAppliedError
	return errors.As(err, &e) && e.UndoErr != nil
}

// notApplied builds the error for a write whose answer differs from its request, after undo has run.
func (c *Client) notApplied(ctx context.Context, what string, members []string, did string, undo func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	e := &NotAppliedError{What: what, Members: members, Undone: did}
	if err := undo(ctx); err != nil {
		e.Undone, e.UndoErr = "UNDOING IT FAILED, so that it stands as the registry made it: "+err.Error(), err
	}
	e.Version, _ = c.version(ctx)
	return e
}
