//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Owner reads what the system knows of a file.
func (OS) Owner(info fs.FileInfo) (Owner, bool) {
	known, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Owner{}, false
	}
	return Owner{User: int(known.Uid), Group: int(known.Gid)}, true
}

// TryLock locks the directory itself with flock(2). File systems that cannot do that, and directories that may not be
// read, are taken to be nobody else's.
func (OS) TryLock(directory string) (func(), bool, error) {
	opened, err := os.Open(directory)
	if errors.Is(err, fs.ErrPermission) {
		return func() {}, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	// Closing it gives the lock back.
	release := func() { _ = opened.Close() }
	for {
		err = syscall.Flock(int(opened.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // #nosec G115 -- a descriptor is an int.
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		release()
		return nil, false, nil
	}
	return release, true, nil
}
