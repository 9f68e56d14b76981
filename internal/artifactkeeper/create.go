package artifactkeeper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// lookTimeout is how long the client looks for what a create made, also when the run was cancelled meanwhile.
const lookTimeout = 2 * time.Minute

// AmbiguousCreateError is a create whose answer was lost, and after which it could not be told what was made.
type AmbiguousCreateError struct {
	// What is the kind and name of the object.
	What string
	// Candidates are the ids of new objects that are equal to the request; empty when none is there.
	Candidates []string
	// Err is why the answer was lost.
	Err error
	// LookErr is why the client could not look for the object; nil when it could.
	LookErr error
}

func (e *AmbiguousCreateError) Error() string {
	text := fmt.Sprintf("it is not certain whether %s was created: %s", e.What, e.Err)
	switch {
	case e.LookErr != nil:
		text += "; looking for it failed too: " + e.LookErr.Error()
	case len(e.Candidates) > 0:
		text += fmt.Sprintf("; %d new objects are equal to it: %s", len(e.Candidates), strings.Join(e.Candidates, ", "))
	default:
		text += "; the registry does not list it"
	}
	return text
}

func (e *AmbiguousCreateError) Unwrap() []error { return []error{e.Err, e.LookErr} }

// Advice says what to do about it.
func (e *AmbiguousCreateError) Advice() string {
	switch {
	case e.LookErr != nil:
		return "The request was not repeated, so that there are not two. When the registry answers again, look for the " +
			"object there: import it if it exists, or apply again if it does not."
	case len(e.Candidates) > 0:
		return "The request was not repeated. Import one of these ids and delete the others, so that only one trusts."
	}
	return "The request was not repeated, so that there are not two. Apply again; if the registry was still busy and the " +
		"object appears later, import it instead."
}

// ambiguous reports whether a create that failed with err may have happened all the same.
func ambiguous(err error) bool {
	var (
		answer    *Error
		transport *TransportError
		malformed *MalformedError
	)
	switch {
	case errors.As(err, &transport):
		return transport.Sent
	case errors.As(err, &malformed):
		return true
	case errors.As(err, &answer):
		// Create writes and then reads; the read can fail after the write.
		return answer.Status >= http.StatusInternalServerError
	}
	return false
}

// create posts an object once. After a lost answer it looks for exactly one object that was not there before, that this
// process did not make and that equals the request, and adopts it.
func create[T object](ctx context.Context, c *Client, l *collection[T], what, name string, in any, same func(T) bool) (T, error) {
	defer l.lockName(name)()
	var out T
	mark, err := l.mark(ctx, c)
	if err != nil {
		return out, fmt.Errorf("nothing was created, because what is there could not be listed first: %w", err)
	}
	r := request{method: http.MethodPost, path: l.path, in: in}
	err = c.call(ctx, r, &out)
	l.drop()
	if err == nil && out.objectID() == "" {
		err = &MalformedError{r.method, r.path, http.StatusOK, "the answer has no id"}
	}
	if err == nil {
		l.made(out.objectID())
		return out, nil
	}
	if !ambiguous(err) {
		return out, err
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	items, lookErr := l.all(look, c)
	l.drop()
	if lookErr != nil {
		return out, &AmbiguousCreateError{What: what, Err: err, LookErr: lookErr}
	}
	var found []T
	var ids []string
	for _, item := range items {
		if l.isNew(item.objectID(), mark) && same(item) {
			found, ids = append(found, item), append(ids, item.objectID())
		}
	}
	if len(found) != 1 {
		return out, &AmbiguousCreateError{What: what, Candidates: ids, Err: err}
	}
	l.made(found[0].objectID())
	return found[0], nil
}
