package file_test

import (
	"errors"
	"io/fs"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

var errFault = errors.New("the disk is on fire")

// faulty is the real system but for the calls that fail, by name. It counts the calls as it goes.
type faulty struct {
	file.OS
	fail  map[string]error
	calls []string
	// before runs ahead of a call of that name, to let something happen meanwhile.
	before map[string]func()
}

func (f *faulty) call(name string) error {
	f.calls = append(f.calls, name)
	if hook, ok := f.before[name]; ok {
		hook()
	}
	return f.fail[name]
}

func (f *faulty) Lstat(path string) (fs.FileInfo, error) {
	if err := f.call("lstat"); err != nil {
		return nil, err
	}
	return f.OS.Lstat(path)
}

func (f *faulty) Stat(path string) (fs.FileInfo, error) {
	if err := f.call("stat"); err != nil {
		return nil, err
	}
	return f.OS.Stat(path)
}

func (f *faulty) Readlink(path string) (string, error) {
	if err := f.call("readlink"); err != nil {
		return "", err
	}
	return f.OS.Readlink(path)
}

func (f *faulty) ReadFile(path string) ([]byte, error) {
	if err := f.call("read"); err != nil {
		return nil, err
	}
	return f.OS.ReadFile(path)
}

func (f *faulty) Mkdir(path string, mode fs.FileMode) error {
	if err := f.call("mkdir"); err != nil {
		return err
	}
	return f.OS.Mkdir(path, mode)
}

func (f *faulty) Chmod(path string, mode fs.FileMode) error {
	if err := f.call("chmod directory"); err != nil {
		return err
	}
	return f.OS.Chmod(path, mode)
}

func (f *faulty) CreateTemp(directory, pattern string) (file.Temporary, error) {
	if err := f.call("create"); err != nil {
		return nil, err
	}
	created, err := f.OS.CreateTemp(directory, pattern)
	if err != nil {
		return nil, err
	}
	return &faultyFile{Temporary: created, system: f}, nil
}

func (f *faulty) Link(from, to string) error {
	if err := f.call("link"); err != nil {
		return err
	}
	return f.OS.Link(from, to)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.call("rename"); err != nil {
		return err
	}
	return f.OS.Rename(from, to)
}

func (f *faulty) Remove(path string) error {
	if err := f.call("remove"); err != nil {
		return err
	}
	return f.OS.Remove(path)
}

func (f *faulty) SyncDirectory(path string) error {
	if err := f.call("sync directory"); err != nil {
		return err
	}
	return f.OS.SyncDirectory(path)
}

func (f *faulty) TryLock(directory string) (func(), bool, error) {
	if err := f.call("lock"); err != nil {
		return nil, false, err
	}
	return f.OS.TryLock(directory)
}

func (f *faulty) User() string { return `user "tester" (1000)` }

type faultyFile struct {
	file.Temporary
	system *faulty
}

func (f *faultyFile) Write(content []byte) (int, error) {
	if err := f.system.call("write"); err != nil {
		// A full disk takes a part.
		n, _ := f.Temporary.Write(content[:len(content)/2])
		return n, err
	}
	return f.Temporary.Write(content)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.system.call("chmod"); err != nil {
		return err
	}
	return f.Temporary.Chmod(mode)
}

func (f *faultyFile) Chown(user, group int) error {
	if err := f.system.call("chown"); err != nil {
		return err
	}
	return f.Temporary.Chown(user, group)
}

func (f *faultyFile) Sync() error {
	if err := f.system.call("sync"); err != nil {
		return err
	}
	return f.Temporary.Sync()
}

func (f *faultyFile) Close() error {
	if err := f.system.call("close"); err != nil {
		_ = f.Temporary.Close()
		return err
	}
	return f.Temporary.Close()
}
