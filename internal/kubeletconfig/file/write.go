package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Permissions are the modes of what a write creates. They are set exactly, whatever the umask is.
type Permissions struct {
	File fs.FileMode
	// Directory is for the directories that are missing on the way to the file; those that exist are left alone.
	Directory fs.FileMode
}

// Create writes a file where none is. The error wraps [fs.ErrExist] when there is one, also when it appeared while this
// was at work, and is a [*NotRegularError] when something else is there.
func (d *Disk) Create(path string, content []byte, permissions Permissions) error {
	return d.write(path, content, permissions, d.linkInto)
}

// Replace writes a file, over the one that is there if there is one. Whoever reads the path sees the old content or the
// new one, with the new permissions, and never a part. The error is a [*NotRegularError] when no regular file is there.
func (d *Disk) Replace(path string, content []byte, permissions Permissions) error {
	return d.write(path, content, permissions, d.rename)
}

func (d *Disk) rename(temporary, path string) error {
	if err := d.system.Rename(temporary, path); err != nil {
		return d.explain("rename a temporary file to", path, err)
	}
	return nil
}

// write prepares the whole file under a temporary name beside its place and lets put move it there. When anything
// fails, neither the temporary file nor a directory that was made for it stays behind.
func (d *Disk) write(path string, content []byte, permissions Permissions, put func(temporary, path string) error) (err error) {
	if err := CheckPath(path); err != nil {
		return err
	}
	if err := d.checkPlace(path); err != nil {
		return err
	}
	directory := filepath.Dir(path)
	made, err := d.makeDirectories(directory, permissions.Directory)
	defer func() {
		if err != nil {
			for _, created := range made {
				// Only an empty directory can be removed: what someone else put there meanwhile stays.
				_ = d.system.Remove(created)
			}
		}
	}()
	if err != nil {
		return err
	}
	return d.place(path, content, permissions.File, nil, put)
}

// place prepares a file in a directory that is there.
func (d *Disk) place(path string, content []byte, mode fs.FileMode, owner *Owner, put func(temporary, path string) error) error {
	temporary, err := d.prepare(path, content, mode, owner)
	if err != nil {
		return err
	}
	if err := put(temporary, path); err != nil {
		_ = d.system.Remove(temporary)
		return err
	}
	return d.syncDirectory(path)
}

// syncDirectory makes a change of the directory durable: without it, it may be undone by a loss of power.
func (d *Disk) syncDirectory(path string) error {
	directory := filepath.Dir(path)
	if err := d.system.SyncDirectory(directory); err != nil {
		return d.explain("sync directory", directory, err)
	}
	return nil
}

// checkPlace makes sure that there is a regular file at path or nothing.
func (d *Disk) checkPlace(path string) error {
	info, err := d.system.Lstat(path)
	switch {
	case err == nil:
		return d.checkRegular(path, info)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return d.explain("look at", path, err)
}

// prepare writes a temporary file with its final owner and permissions down to the disk and returns its name. The name
// never ends in .yaml or .json: a kubelet that reads the whole directory takes every file that does, hidden ones too.
func (d *Disk) prepare(path string, content []byte, mode fs.FileMode, owner *Owner) (_ string, err error) {
	directory, base := filepath.Split(path)
	directory = filepath.Clean(directory)
	temporary, err := d.system.CreateTemp(directory, "."+base+".tmp-*")
	if err != nil {
		return "", d.explain("create a file in directory", directory, err)
	}
	name := temporary.Name()
	defer func() {
		if err != nil {
			_ = temporary.Close()
			_ = d.system.Remove(name)
		}
	}()
	if _, err := temporary.Write(content); err != nil {
		return "", d.explain("write", name, err)
	}
	if owner != nil {
		if err := temporary.Chown(owner.User, owner.Group); err != nil {
			return "", d.explain("give the new file to the owner of", path, err)
		}
	}
	// After the owner, whose change takes the bits for setuid and setgid away.
	if err := temporary.Chmod(mode); err != nil {
		return "", d.explain("set the permissions of", name, err)
	}
	if err := temporary.Sync(); err != nil {
		return "", d.explain("sync", name, err)
	}
	if err := temporary.Close(); err != nil {
		return "", d.explain("close", name, err)
	}
	return name, nil
}

// linkInto gives the temporary file its name, which fails when the name is taken; renaming would replace what is there.
// File systems without hard links are left with looking first.
func (d *Disk) linkInto(temporary, path string) error {
	err := d.system.Link(temporary, path)
	switch {
	case err == nil:
		if err := d.system.Remove(temporary); err != nil {
			return d.explain("remove", temporary, err)
		}
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("cannot create %s: %w", path, fs.ErrExist)
	}
	if _, err := d.system.Lstat(path); err == nil {
		return fmt.Errorf("cannot create %s: %w", path, fs.ErrExist)
	}
	return d.rename(temporary, path)
}

// makeDirectories makes the directories that are missing and returns those that it made, the deepest first.
func (d *Disk) makeDirectories(directory string, mode fs.FileMode) (made []string, err error) {
	info, err := d.system.Stat(directory)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err == nil:
		return nil, fmt.Errorf("%s is not a directory", directory)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, d.explain("look at directory", directory, err)
	}
	parent := filepath.Dir(directory)
	if parent == directory {
		return nil, d.explain("look at directory", directory, err)
	}
	made, err = d.makeDirectories(parent, mode)
	if err != nil {
		return made, err
	}
	if err := d.system.Mkdir(directory, mode); err != nil {
		if errors.Is(err, fs.ErrExist) {
			// Someone else made it in between, so its permissions are theirs.
			return made, nil
		}
		return made, d.explain("create directory", directory, err)
	}
	made = append([]string{directory}, made...)
	// Mkdir is subject to the umask.
	if err := d.system.Chmod(directory, mode); err != nil {
		return made, d.explain("set the permissions of directory", directory, err)
	}
	return made, nil
}
