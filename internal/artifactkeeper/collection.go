package artifactkeeper

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// object is what a collection holds.
type object interface {
	objectID() string
	objectName() string
}

// collection is one list of the API: the providers, or the mappings of one provider. Reads are answered from one
// list call that concurrent readers share, until a write drops it.
type collection[T object] struct {
	path   string
	flight singleflight.Group

	mu sync.Mutex
	// generation counts the writes, so that a list that began before a write is not kept after it.
	generation int
	listed     []T
	valid      bool
	// failure is why the last list failed, at failedAt; see rememberFailure.
	failure  error
	failedAt time.Time
	// clock counts lists and creates; seen tells at which count an id was first met, listed or made by this process.
	clock int
	seen  map[string]int
	// names holds a lock for each name in creation: equal requests have equal names.
	names map[string]*sync.Mutex
}

// all gives every object of the collection, from the last list when no write came after it.
// The slice is shared: callers do not change it.
func (l *collection[T]) all(ctx context.Context, c *Client) ([]T, error) {
	items, generation, valid, err := l.kept()
	if valid || err != nil {
		return items, err
	}
	// The list serves every reader, so that one reader's cancellation must not end it for the others.
	shared := l.flight.DoChan(strconv.Itoa(generation), func() (any, error) {
		// The call that this reader meant to join may have ended before it came.
		if items, now, valid, err := l.kept(); now == generation && (valid || err != nil) {
			return items, err
		}
		return l.fetch(context.WithoutCancel(ctx), c, generation)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-shared:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.([]T), nil
	}
}

// rememberFailure is for how long a registry that did not answer a list, with all repetitions, is taken to be still out of
// reach. A refresh of a thousand mappings would otherwise wait for each of them.
const rememberFailure = 30 * time.Second

// kept gives the last list, the count of writes, whether no write came after the list, and why it failed if it just did.
func (l *collection[T]) kept() (items []T, generation int, valid bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil && time.Since(l.failedAt) < rememberFailure {
		err = l.failure
	}
	return l.listed, l.generation, l.valid, err
}

// fetch lists the collection and keeps the result, unless a write came in between.
func (l *collection[T]) fetch(ctx context.Context, c *Client, generation int) ([]T, error) {
	var items []T
	err := c.call(ctx, request{method: http.MethodGet, path: l.path}, &items)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if _, unreachable := errors.AsType[*TransportError](err); unreachable {
			l.failure, l.failedAt = err, time.Now()
		}
		return nil, err
	}
	l.failure = nil
	l.clock++
	for _, item := range items {
		l.meet(item.objectID())
	}
	if generation == l.generation {
		l.listed, l.valid = items, true
	}
	return items, nil
}

// meet records when an id was first met; l.mu is held.
func (l *collection[T]) meet(id string) {
	if l.seen == nil {
		l.seen = map[string]int{}
	}
	if _, met := l.seen[id]; !met {
		l.seen[id] = l.clock
	}
}

// object is the path of one object of the collection.
func (l *collection[T]) object(id string) string {
	return l.path + "/" + url.PathEscape(CanonicalID(id))
}

// drop forgets the list, after a write.
func (l *collection[T]) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation++
	l.listed, l.valid, l.failure = nil, false, nil
}

// mark gives the point in time to hand to isNew. What is met up to now is old; the collection must have been listed
// once in this process for that to mean anything, and mark sees to it.
func (l *collection[T]) mark(ctx context.Context, c *Client) (int, error) {
	l.mu.Lock()
	listed := l.seen != nil
	l.mu.Unlock()
	if !listed {
		if _, err := l.all(ctx, c); err != nil {
			return 0, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]int{} // The list was empty.
	}
	l.clock++
	return l.clock, nil
}

// isNew reports whether an id was not met before the mark. What this process makes under another name meanwhile may be new
// too, but equals no request of this name.
func (l *collection[T]) isNew(id string, mark int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, met := l.seen[id]
	return !met || first >= mark
}

// made records that this process made the object with this id, so that a later create does not take it for its own.
func (l *collection[T]) made(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meet(id)
}

// lockName keeps two creates of one name apart, so that neither takes the other's object for its own.
func (l *collection[T]) lockName(name string) (unlock func()) {
	l.mu.Lock()
	if l.names == nil {
		l.names = map[string]*sync.Mutex{}
	}
	lock := l.names[name]
	if lock == nil {
		lock = &sync.Mutex{}
		l.names[name] = lock
	}
	l.mu.Unlock()
	lock.Lock()
	return lock.Unlock
}

// find gives the object with this id. When the list lacks it, the registry is asked for the object itself,
// because only its own not-found answer says that the object is gone.
func (l *collection[T]) find(ctx context.Context, c *Client, id string) (T, error) {
	items, err := l.all(ctx, c)
	var out T
	if err != nil {
		return out, err
	}
	for _, item := range items {
		if sameID(item.objectID(), id) {
			return item, nil
		}
	}
	return l.get(ctx, c, id)
}

// get asks for one object, past the list.
func (l *collection[T]) get(ctx context.Context, c *Client, id string) (T, error) {
	var out T
	r := request{method: http.MethodGet, path: l.object(id)}
	if err := c.call(ctx, r, &out); err != nil {
		return out, err
	}
	if !sameID(out.objectID(), id) {
		return out, &MalformedError{r.method, r.path, http.StatusOK, "the answer is about another object, or about none"}
	}
	return out, nil
}

// remove deletes one object. That it is gone already, perhaps by an earlier attempt, is what was asked for.
func (l *collection[T]) remove(ctx context.Context, c *Client, id string) error {
	defer l.drop()
	err := c.call(ctx, request{method: http.MethodDelete, path: l.object(id)}, nil)
	if IsNotFound(err) {
		return nil
	}
	return err
}
