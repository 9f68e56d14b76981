package file_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

var permissions = file.Permissions{File: 0o640, Directory: 0o751}

// tree lists everything below a directory: its path, permissions and, for files, the content.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(content)
		}
		relative, err := filepath.Rel(root, path)
		found[relative] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func expectTree(t *testing.T, root string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t, root)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	// WriteFile is subject to the umask.
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestCreateMakesDirectoriesAndSetsModesExactly(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	root := t.TempDir()
	disk := file.NewDisk(file.OS{})
	if err := disk.Create(filepath.Join(root, "a", "b", "config.yaml"), []byte("new"), permissions); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{
		"a": "drwxr-x--x", "a/b": "drwxr-x--x", "a/b/config.yaml": "-rw-r----- new",
	})
}

func TestCreateNeverReplaces(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, path, "theirs", 0o600)
	err := file.NewDisk(file.OS{}).Create(path, []byte("ours"), permissions)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw------- theirs"})
}

// Someone creates the file between the look and the write; with hard links and without.
func TestCreateLosesARaceWithoutHarm(t *testing.T) {
	for name, fail := range map[string]map[string]error{
		"hard links": {}, "none": {"link": &os.LinkError{Op: "link", Err: syscall.EPERM}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "config.yaml")
			system := &faulty{fail: fail, before: map[string]func(){"sync": func() { write(t, path, "theirs", 0o600) }}}
			if err := file.NewDisk(system).Create(path, []byte("ours"), permissions); !errors.Is(err, fs.ErrExist) {
				t.Errorf("got %v", err)
			}
			expectTree(t, root, map[string]string{"config.yaml": "-rw------- theirs"})
		})
	}
}

func TestCreateWithoutHardLinks(t *testing.T) {
	root := t.TempDir()
	system := &faulty{fail: map[string]error{"link": &os.LinkError{Op: "link", Err: syscall.EPERM}}}
	if err := file.NewDisk(system).Create(filepath.Join(root, "config.yaml"), []byte("new"), permissions); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw-r----- new"})
}

func TestReplaceChangesContentAndMode(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, path, "old", 0o600)
	if err := file.NewDisk(file.OS{}).Replace(path, []byte("new"), permissions); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw-r----- new"})

	// A file that is gone is written again.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := file.NewDisk(file.OS{}).Replace(path, []byte("again"), permissions); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw-r----- again"})
}

// The mode is set before the file gets its name, and the content is on the disk by then.
func TestReplaceTakesItsStepsInOrder(t *testing.T) {
	root := t.TempDir()
	system := &faulty{}
	if err := file.NewDisk(system).Replace(filepath.Join(root, "config.yaml"), []byte("new"), permissions); err != nil {
		t.Fatal(err)
	}
	want := []string{"lstat", "stat", "create", "write", "chmod", "sync", "close", "rename", "sync directory"}
	if diff := cmp.Diff(want, system.calls); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The temporary file would be taken for a config by a kubelet that reads the whole directory.
func TestTemporaryFileIsNoConfig(t *testing.T) {
	root := t.TempDir()
	var names []string
	system := &faulty{}
	system.before = map[string]func(){"sync": func() {
		for name := range tree(t, root) {
			names = append(names, name)
		}
	}}
	if err := file.NewDisk(system).Replace(filepath.Join(root, "config.yaml"), []byte("new"), permissions); err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(names[0])) {
		t.Errorf("the kubelet would read %v", names)
	}
}

func TestFailedWriteLeavesEverythingAsItWas(t *testing.T) {
	steps := []string{"lstat", "stat", "mkdir", "chmod directory", "create", "write", "chmod", "sync", "close", "rename"}
	for _, step := range steps {
		t.Run("replace "+step, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "config.yaml"), "old", 0o600)
			name := "config.yaml"
			if step == "mkdir" || step == "chmod directory" {
				name = "made/for/config.yaml"
			}
			system := &faulty{fail: map[string]error{step: errFault}}
			if err := file.NewDisk(system).Replace(filepath.Join(root, name), []byte("new content"), permissions); !errors.Is(err, errFault) {
				t.Errorf("got %v", err)
			}
			expectTree(t, root, map[string]string{"config.yaml": "-rw------- old"})
		})
		t.Run("create "+step, func(t *testing.T) {
			root := t.TempDir()
			fail := map[string]error{step: errFault}
			if step == "rename" {
				fail["link"] = syscall.EPERM
			}
			system := &faulty{fail: fail}
			if err := file.NewDisk(system).Create(filepath.Join(root, "made", "for", "config.yaml"), []byte("new content"), permissions); !errors.Is(err, errFault) {
				t.Errorf("got %v", err)
			}
			expectTree(t, root, map[string]string{})
		})
	}
}

func TestWriteErrorsNameWhatWasTried(t *testing.T) {
	denied := func(op string) error { return &fs.PathError{Op: op, Path: "/some/temporary/name", Err: syscall.EACCES} }
	for step, c := range map[string]struct {
		err  error
		want string
	}{
		"create":         {denied("open"), `cannot create a file in directory ROOT as user "tester" (1000): permission denied`},
		"lstat":          {denied("lstat"), `cannot look at ROOT/config.yaml as user "tester" (1000): permission denied`},
		"rename":         {&os.LinkError{Op: "rename", Err: syscall.ENOSPC}, "cannot rename a temporary file to ROOT/config.yaml: no space left on device"},
		"sync directory": {errFault, "cannot sync directory ROOT: " + errFault.Error()},
	} {
		root := t.TempDir()
		system := &faulty{fail: map[string]error{step: c.err}}
		err := file.NewDisk(system).Replace(filepath.Join(root, "config.yaml"), []byte("new"), permissions)
		if err == nil || strings.ReplaceAll(err.Error(), root, "ROOT") != c.want {
			t.Errorf("%s: got %v, want %s", step, err, c.want)
		}
	}
}

func TestWriteBelowAFile(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "file"), "x", 0o600)
	for _, path := range []string{"file/config.yaml", "file/deeper/config.yaml"} {
		err := file.NewDisk(file.OS{}).Create(filepath.Join(root, path), []byte("new"), permissions)
		if err == nil || !strings.Contains(err.Error(), "not a directory") {
			t.Errorf("%s: got %v", path, err)
		}
	}
	expectTree(t, root, map[string]string{"file": "-rw------- x"})
}

// A directory that appears meanwhile belongs to whoever made it, and stays when the write fails.
func TestDirectoryOfSomeoneElseIsLeftAlone(t *testing.T) {
	root := t.TempDir()
	system := &faulty{fail: map[string]error{"write": errFault}}
	system.before = map[string]func(){"mkdir": func() {
		if err := os.Mkdir(filepath.Join(root, "theirs"), 0o700); err != nil {
			t.Error(err)
		}
	}}
	if err := file.NewDisk(system).Create(filepath.Join(root, "theirs", "config.yaml"), []byte("new"), permissions); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	expectTree(t, root, map[string]string{"theirs": "drwx------"})
}
