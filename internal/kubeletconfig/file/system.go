package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"runtime"
	"syscall"
)

// System is what a [Disk] needs of an operating system. The functions behave as those of the package os do.
type System interface {
	Lstat(path string) (fs.FileInfo, error)
	Stat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadFile(path string) ([]byte, error)
	Mkdir(path string, mode fs.FileMode) error
	Chmod(path string, mode fs.FileMode) error
	CreateTemp(directory, pattern string) (Temporary, error)
	Link(from, to string) error
	Rename(from, to string) error
	Remove(path string) error
	// SyncDirectory makes the names in a directory durable, where the system can.
	SyncDirectory(path string) error
	// Owner gives the numbers of a file's user and group, where the system has them.
	Owner(info fs.FileInfo) (owner Owner, ok bool)
	// TryLock keeps others out that lock the directory too, in this process or another, until unlock is called. It does
	// not wait: ok is false while somebody else has the lock. Where the system cannot lock, it is as if nobody else did.
	TryLock(directory string) (unlock func(), ok bool, err error)
	// User says as whom all this is done, for errors.
	User() string
}

// Owner is the number of a user and of a group.
type Owner struct{ User, Group int }

// Temporary is a file that is being written; [os.File] is one.
type Temporary interface {
	Name() string
	Write(content []byte) (int, error)
	Chmod(mode fs.FileMode) error
	Chown(user, group int) error
	Sync() error
	Close() error
}

// HasPermissions tells whether files on this system have the permissions that [File.Mode] and [Permissions] speak of.
// Windows knows only whether a file may be written.
const HasPermissions = runtime.GOOS != "windows"

// OS is the operating system that the program runs on.
type OS struct{}

var _ System = OS{}

// Lstat is [os.Lstat].
func (OS) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Stat is [os.Stat].
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Readlink is [os.Readlink].
func (OS) Readlink(path string) (string, error) { return os.Readlink(path) }

// ReadFile is [os.ReadFile].
func (OS) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Mkdir is [os.Mkdir].
func (OS) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// Chmod is [os.Chmod].
func (OS) Chmod(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

// CreateTemp is [os.CreateTemp]. The file can be read and written by its owner alone until its mode is set.
func (OS) CreateTemp(directory, pattern string) (Temporary, error) {
	created, err := os.CreateTemp(directory, pattern)
	if err != nil {
		// Not the nil *os.File, which would be a Temporary that is not nil.
		return nil, err
	}
	return created, nil
}

// Link is [os.Link].
func (OS) Link(from, to string) error { return os.Link(from, to) }

// Rename is [os.Rename].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is [os.Remove].
func (OS) Remove(path string) error { return os.Remove(path) }

// SyncDirectory syncs the directory. File systems that cannot sync a directory are taken to need none, and a directory
// that may be written but not read is left to the system's own pace.
func (OS) SyncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = directory.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, directory.Close())
}

// User returns the name and the number of the effective user.
func (OS) User() string {
	number := fmt.Sprint(os.Geteuid())
	if current, err := user.LookupId(number); err == nil {
		return fmt.Sprintf("user %q (%s)", current.Username, number)
	}
	return "user " + number
}
