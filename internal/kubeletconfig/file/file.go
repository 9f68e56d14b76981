// Package file keeps one file on disk for a program that shares the disk with people and other programs: it writes
// whole files or none, never follows a symbolic link in the file's own place, and removes only what it knows.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a regular file as it stands on disk.
type File struct {
	Content []byte
	// Mode holds the permissions and the bits for setuid, setgid and sticky, nothing about the type.
	Mode fs.FileMode
}

// MaxSize is how many bytes a file may have to be read: 1 MiB. A configuration has a few hundred; what is larger than
// this was put there by mistake, and would be carried around in every state and plan.
const MaxSize = 1 << 20

// Disk reads and writes files through a [System].
type Disk struct {
	system System
}

// NewDisk returns a Disk on the system; [OS] is the real one.
func NewDisk(system System) *Disk { return &Disk{system: system} }

// NotRegularError says that something stands at a path that is no regular file.
type NotRegularError struct {
	Path string
	// Kind is what stands there, with its article: "a directory".
	Kind string
	// Target is where a symbolic link points to, as the link says it.
	Target string
}

func (e *NotRegularError) Error() string {
	if e.Target != "" {
		return fmt.Sprintf("%s is %s to %s, not a regular file", e.Path, e.Kind, e.Target)
	}
	return fmt.Sprintf("%s is %s, not a regular file", e.Path, e.Kind)
}

// Advice says what to do.
func (e *NotRegularError) Advice() string {
	if e.Target != "" {
		return "Give the path that the link points to, or put a file in the place of the link."
	}
	return "Give the path of a file, or make room for one."
}

// TooLargeError says that a file has more than [MaxSize] bytes.
type TooLargeError struct {
	Path string
	// Size is in bytes.
	Size int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the %d of which a configuration can be", e.Path, e.Size, MaxSize)
}

// Advice says what to do.
func (e *TooLargeError) Advice() string {
	return "Look at what is in it, and put the right file there."
}

// ChangedError says that a file does not hold what its caller expected.
type ChangedError struct {
	Path string
}

func (e *ChangedError) Error() string {
	return e.Path + " does not hold what it held when it was last read"
}

// PathError says that a path cannot be that of a file, or not be told apart from the paths of others.
type PathError struct {
	Path   string
	Reason string
	Remedy string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("%q %s", e.Path, e.Reason)
}

// Advice returns the remedy.
func (e *PathError) Advice() string { return e.Remedy }

// CheckPath returns a [*PathError] for a path that names no file by itself, without looking at the disk.
// A component ".." is refused because it is resolved in two ways: by its text and, behind a symbolic link, by the disk.
func CheckPath(path string) error {
	switch {
	case path == "":
		return &PathError{path, "is empty", "Name a file."}
	case strings.ContainsRune(path, 0):
		return &PathError{strings.ReplaceAll(path, "\x00", ""), "has a NUL character in it", "No file can be called so."}
	}
	components := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator })
	if slices.Contains(components, "..") {
		return &PathError{path, `has ".." in it, which means another file as soon as a directory before it is a symbolic link`,
			"Write the path without it; in a configuration, abspath() does that."}
	}
	last := path[len(path)-1]
	if last == '/' || last == filepath.Separator || len(components) == 0 || components[len(components)-1] == "." {
		return &PathError{path, "names a directory", "Add the name of a file."}
	}
	return nil
}

// Read returns the file at path. The error wraps [fs.ErrNotExist] when nothing is there, is a [*NotRegularError] when
// something else is, and a [*TooLargeError] for a file of more than [MaxSize] bytes.
func (d *Disk) Read(path string) (File, error) {
	found, _, err := d.look(path)
	return found, err
}

func (d *Disk) look(path string) (File, fs.FileInfo, error) {
	info, err := d.system.Lstat(path)
	if err != nil {
		return File{}, nil, d.explain("look at", path, err)
	}
	if err := d.checkRegular(path, info); err != nil {
		return File{}, nil, err
	}
	if info.Size() > MaxSize {
		return File{}, nil, &TooLargeError{Path: path, Size: info.Size()}
	}
	content, err := d.system.ReadFile(path)
	if err != nil {
		return File{}, nil, d.explain("read", path, err)
	}
	return File{Content: content, Mode: info.Mode() & modeBits}, info, nil
}

// Remove deletes the file if ours says so of its content, and does nothing when there is none. Else the error is a
// [*ChangedError] or a [*NotRegularError].
func (d *Disk) Remove(path string, ours func(content []byte) bool) error {
	current, err := d.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !ours(current.Content) {
		return &ChangedError{Path: path}
	}
	if err := d.system.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.explain("remove", path, err)
	}
	return nil
}

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (d *Disk) checkRegular(path string, info fs.FileInfo) error {
	problem := &NotRegularError{Path: path}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		problem.Kind = "a directory"
	case mode&fs.ModeSymlink != 0:
		problem.Kind = "a symbolic link"
		target, err := d.system.Readlink(path)
		if err != nil {
			target = "an unknown place"
		}
		problem.Target = target
	case mode&fs.ModeNamedPipe != 0:
		problem.Kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		problem.Kind = "a socket"
	default:
		problem.Kind = "a device"
	}
	return problem
}

// explain says what was tried on which path; where permissions stood in the way, whose they were.
func (d *Disk) explain(verb, path string, err error) error {
	cause := err
	// The names in these errors are partly those of temporary files.
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		cause = onPath.Err
	case errors.As(err, &onLink):
		cause = onLink.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("cannot %s %s as %s: %w", verb, path, d.system.User(), cause)
	}
	return fmt.Errorf("cannot %s %s: %w", verb, path, cause)
}
