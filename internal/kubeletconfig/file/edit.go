package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// LockedError says that another process is changing files in a directory, and does not come to an end.
type LockedError struct{ Directory string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("another process has held the lock on directory %s for %s", e.Directory, lockPatience)
}

// Advice says what to do.
func (e *LockedError) Advice() string {
	return "See which one it is (on Linux with lslocks), and try again when it has ended."
}

const (
	lockPatience = 30 * time.Second
	lockInterval = 20 * time.Millisecond
	editAttempts = 10
)

// edits lets one Edit of this process run at a time. They take milliseconds, so that one for all files is enough.
var edits = make(chan struct{}, 1)

// Edit lets change say what becomes of the content of the file at path, and puts that in its place with the permissions
// and the owner that the file has. The same content leaves the file untouched, and nil removes it. Errors of change are
// returned as they are; the others are those of [Disk.Read] and of writing, a [*LockedError] or a [*ChangedError].
//
// Reading and writing are one step for all who call Edit, in this process and, by flock(2) on the directory where the
// system has that, in others. Whoever else writes meanwhile is noticed just before the file gets its name, and change is
// then asked again, so that only a write in that instant would be lost. Hard links of the file keep the old content.
func (d *Disk) Edit(ctx context.Context, path string, change func(content []byte) ([]byte, error)) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	unlock, err := d.lock(ctx, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	for range editAttempts {
		err := d.edit(path, change)
		if !errors.Is(err, errMeanwhile) {
			return err
		}
	}
	return &ChangedError{Path: path}
}

// errMeanwhile says that somebody else changed the file while it was being edited.
var errMeanwhile = errors.New("changed meanwhile")

func (d *Disk) edit(path string, change func(content []byte) ([]byte, error)) error {
	before, info, err := d.look(path)
	if err != nil {
		return err
	}
	after, err := change(before.Content)
	if err != nil {
		return err
	}
	if after == nil {
		if err := d.checkUnchanged(path, before); err != nil {
			return err
		}
		if err := d.system.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d.explain("remove", path, err)
		}
		return d.syncDirectory(path)
	}
	if bytes.Equal(before.Content, after) {
		return nil
	}
	var owner *Owner
	if found, ok := d.system.Owner(info); ok {
		owner = &found
	}
	return d.place(path, after, before.Mode, owner, func(temporary, path string) error {
		if err := d.checkUnchanged(path, before); err != nil {
			return err
		}
		return d.rename(temporary, path)
	})
}

func (d *Disk) checkUnchanged(path string, before File) error {
	now, err := d.Read(path)
	if err != nil {
		return err
	}
	if now.Mode != before.Mode || !bytes.Equal(now.Content, before.Content) {
		return errMeanwhile
	}
	return nil
}

// lock waits for its turn. Files are replaced by others of the same name, so that the lock is on their directory.
func (d *Disk) lock(ctx context.Context, directory string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, &LockedError{Directory: directory})
	defer cancel()
	select {
	case edits <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() {
		if err != nil {
			<-edits
		}
	}()
	next := time.NewTicker(lockInterval)
	defer next.Stop()
	for {
		release, ok, err := d.system.TryLock(directory)
		if err != nil {
			return nil, d.explain("lock directory", directory, err)
		}
		if ok {
			return func() { release(); <-edits }, nil
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
