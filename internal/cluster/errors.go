package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Error is a call that did not succeed: refused by the API server, or never answered.
type Error struct {
	// Verb is what was attempted, as RBAC names it: get, list, create, patch (which is also a server-side apply), delete.
	Verb string
	// Group and Resource are what it was attempted on, such as rbac.authorization.k8s.io and clusterroles; a subresource
	// follows after a slash. Both are empty for what is not a resource.
	Group, Resource string
	// Namespace and Name are the object's; empty where there is none.
	Namespace, Name string
	// Object names it to people.
	Object string
	// Server is the URL of the API server.
	Server string
	// Code is the HTTP status; 0 when there was no answer.
	Code int
	// Reason is the API server's word for it. Empty when it gave none, because the answer is not an API server's at all: a
	// redirect or a proxy's page, say.
	Reason metav1.StatusReason
	// Message is the text of the answer, or of what went wrong without one. Credentials are blanked out in it.
	Message string
	// Conflicts are the fields that others own, when a server-side apply was refused for that.
	Conflicts []FieldConflict

	missing  bool   // the API server says that this very object does not exist
	location string // where a redirect points
	advice   string
	cause    error
}

// FieldConflict is a field that another manager set to another value.
type FieldConflict struct {
	// Manager is who owns the field, such as "kubectl-edit" or "argocd-controller".
	Manager string
	// Applied tells owners by server-side apply from owners by an update. The first keep stating what they want; the
	// second changed something once.
	Applied bool
	// Field is its path, such as ".rules".
	Field string
}

func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("%s %s at %s: %s", e.Verb, e.Object, e.Server, e.Message)
	}
	status := fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code))
	return fmt.Sprintf("%s %s: the API server %s answered %s: %s", e.Verb, e.Object, e.Server, status, e.Message)
}

// Unwrap returns client-go's error.
func (e *Error) Unwrap() error { return e.cause }

// Advice says what to do about it; it may be empty.
func (e *Error) Advice() string { return e.advice }

// IsNotFound tells that the API server knows no object of that name. A 404 of a proxy, of an API that is not served,
// or about the object's namespace is not that.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.missing
}

// IsForbidden tells that the API server says that the account may not do it. A 403 of a proxy is not that.
func IsForbidden(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == http.StatusForbidden && e.Reason == metav1.StatusReasonForbidden
}

// IsModified tells that the object is not the one that the caller has seen: it was changed or replaced meanwhile.
func IsModified(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == metav1.StatusReasonConflict && len(e.Conflicts) == 0
}

// IsExisting tells that an object of that name is there already.
func IsExisting(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == metav1.StatusReasonAlreadyExists
}

// Conflicts returns the fields that others own, when a server-side apply was refused for that; nil otherwise.
func Conflicts(err error) []FieldConflict {
	var e *Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Conflicts
}

// newError is about a target; code, message and advice are still to come.
func (c *Client) newError(t target) *Error {
	e := &Error{
		Verb: t.verb, Group: t.group, Resource: t.resource, Namespace: t.namespace, Name: t.name,
		Object: t.object(), Server: c.server,
	}
	if t.subresource != "" {
		e.Resource += "/" + t.subresource
	}
	return e
}

// fail makes an Error of what client-go returned, and of what was answered.
func (c *Client) fail(t target, got answer, err error) error {
	e := c.newError(t)
	e.cause = err
	var status apierrors.APIStatus
	switch {
	case got.code >= 300 && got.code < 400:
		e.readRedirect(got)
	case errors.As(err, &status):
		e.readStatus(status.Status(), got)
	default:
		e.Message = err.Error()
	}
	e.Message = c.secrets.Clean(e.Message)
	e.location = c.secrets.Clean(e.location)
	e.advice = c.advise(e)
	return e
}

// readRedirect passes over what the answer holds: no API server redirects, so that it has no say.
func (e *Error) readRedirect(got answer) {
	e.Code, e.location = got.code, got.location
	e.Message = "a redirect to " + got.location
	if got.location == "" {
		e.Message = "a redirect to nowhere"
	}
}

// readStatus takes over what the API server said. Client-go makes up a Status for answers that hold none, and marks it.
// One that contradicts the code that it came with was not written by an API server.
func (e *Error) readStatus(status metav1.Status, got answer) {
	e.Code, e.Reason, e.Message = got.code, status.Reason, status.Message
	if status.Code != 0 && int(status.Code) != got.code {
		e.Reason = ""
		return
	}
	if status.Details == nil {
		return
	}
	for _, cause := range status.Details.Causes {
		switch cause.Type {
		case metav1.CauseTypeUnexpectedServerResponse:
			e.Reason, e.Message = "", oneLine(cause.Message)
		case metav1.CauseTypeFieldManagerConflict:
			e.Conflicts = append(e.Conflicts, readConflict(cause))
		}
	}
	resource, _, _ := strings.Cut(e.Resource, "/")
	e.missing = e.Code == http.StatusNotFound && e.Reason == metav1.StatusReasonNotFound &&
		status.Details.Kind == resource && status.Details.Name == e.Name && e.Name != ""
}

var conflictMessage = regexp.MustCompile(`^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource "[^"]*")?( using .*)?$`)

// readConflict reads `conflict with "kubectl-edit" using v1 at TIME`, the form of an owner by update, or
// `conflict with "flux"`, that of an owner by apply (apimachinery, managedfields/internal/conflict.go, since 1.16).
// What is neither counts as an owner by apply, which is not overridden unasked.
func readConflict(cause metav1.StatusCause) FieldConflict {
	match := conflictMessage.FindStringSubmatch(cause.Message)
	if match == nil {
		return FieldConflict{Manager: strings.TrimPrefix(cause.Message, "conflict with "), Applied: true, Field: cause.Field}
	}
	manager, err := strconv.Unquote(match[1])
	if err != nil {
		manager = match[1]
	}
	return FieldConflict{Manager: manager, Applied: match[2] == "", Field: cause.Field}
}

// managers names the owners of conflicting fields, each with its fields.
func managers(conflicts []FieldConflict) string {
	var owners []string
	fields := map[string][]string{}
	for _, conflict := range conflicts {
		if fields[conflict.Manager] == nil {
			owners = append(owners, conflict.Manager)
		}
		fields[conflict.Manager] = append(fields[conflict.Manager], conflict.Field)
	}
	slices.Sort(owners)
	for i, owner := range owners {
		owners[i] = fmt.Sprintf("%q (%s)", owner, strings.Join(fields[owner], ", "))
	}
	return strings.Join(owners, " and ")
}

// oneLine makes a proxy's page fit into a sentence.
func oneLine(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(no text)"
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
