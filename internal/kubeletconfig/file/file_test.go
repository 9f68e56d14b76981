package file_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

func TestReadReturnsContentAndMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "text", 0o604)
	got, err := file.NewDisk(file.OS{}).Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file.File{Content: []byte("text"), Mode: 0o604}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadTellsAbsentFromUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	if _, err := file.NewDisk(file.OS{}).Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: got %v", err)
	}
	write(t, path, "text", 0o600)
	for _, step := range []string{"lstat", "read"} {
		system := &faulty{fail: map[string]error{step: &fs.PathError{Op: step, Path: path, Err: syscall.EACCES}}}
		_, err := file.NewDisk(system).Read(path)
		if errors.Is(err, fs.ErrNotExist) || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path+` as user "tester" (1000)`) {
			t.Errorf("%s: got %v", step, err)
		}
	}
}

func TestOnlyRegularFilesAreTouched(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "target"), "text", 0o600)
	kinds := map[string]struct {
		make func(path string) error
		want string
	}{
		"directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "a directory, not a regular file"},
		"link":      {func(path string) error { return os.Symlink("target", path) }, "a symbolic link to target, not a regular file"},
		"dangling":  {func(path string) error { return os.Symlink("/no/such", path) }, "a symbolic link to /no/such, not a regular file"},
		"pipe":      {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "a named pipe, not a regular file"},
		"socket": {func(path string) error {
			listener, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { _ = listener.Close() })
			}
			return err
		}, "a socket, not a regular file"},
	}
	disk := file.NewDisk(file.OS{})
	for name, kind := range kinds {
		path := filepath.Join(root, name)
		if err := kind.make(path); err != nil {
			t.Fatal(err)
		}
		_, readErr := disk.Read(path)
		for verb, err := range map[string]error{
			"read":    readErr,
			"create":  disk.Create(path, []byte("new"), permissions),
			"replace": disk.Replace(path, []byte("new"), permissions),
			"remove":  disk.Remove(path, holds("text")),
		} {
			var odd *file.NotRegularError
			if !errors.As(err, &odd) || err.Error() != path+" is "+kind.want || odd.Advice() == "" {
				t.Errorf("%s a %s: got %v", verb, name, err)
			}
		}
	}
	_, err := disk.Read(os.DevNull)
	if err == nil || !strings.Contains(err.Error(), "a device") {
		t.Errorf("a device: got %v", err)
	}
	if got := tree(t, root)["target"]; got != "-rw------- text" {
		t.Errorf("the target of a link is now %s", got)
	}
}

func TestLinkThatCannotBeReadIsStillNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("target", path); err != nil {
		t.Fatal(err)
	}
	_, err := file.NewDisk(&faulty{fail: map[string]error{"readlink": errFault}}).Read(path)
	if err == nil || err.Error() != path+" is a symbolic link to an unknown place, not a regular file" {
		t.Errorf("got %v", err)
	}
}

// holds is what Remove is asked to make sure of.
func holds(text string) func([]byte) bool {
	return func(content []byte) bool { return string(content) == text }
}

func TestRemoveOnlyWhatIsExpected(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, path, "edited", 0o600)
	disk := file.NewDisk(file.OS{})

	var changed *file.ChangedError
	if err := disk.Remove(path, holds("ours")); !errors.As(err, &changed) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw------- edited"})

	if err := disk.Remove(path, holds("edited")); err != nil {
		t.Error(err)
	}
	expectTree(t, root, map[string]string{})
	if err := disk.Remove(path, holds("edited")); err != nil {
		t.Errorf("what is gone need not be removed: %v", err)
	}
}

func TestRemoveSaysWhyNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "ours", 0o600)
	system := &faulty{fail: map[string]error{"remove": &fs.PathError{Op: "remove", Path: path, Err: syscall.EROFS}}}
	err := file.NewDisk(system).Remove(path, holds("ours"))
	if err == nil || err.Error() != "cannot remove "+path+": read-only file system" {
		t.Errorf("got %v", err)
	}
}

func TestCheckPath(t *testing.T) {
	for path, want := range map[string]string{
		"/etc/kubernetes/config.yaml": "",
		"config.yaml":                 "",
		"./build/config.yaml":         "",
		"build//config.yaml":          "",
		"...":                         "",
		"/etc/..config.yaml":          "",
		"":                            "is empty",
		"a\x00b":                      "NUL",
		"../config.yaml":              `has ".." in it`,
		"/etc/x/../config.yaml":       `has ".." in it`,
		"a/..":                        `has ".." in it`,
		"/etc/kubernetes/":            "names a directory",
		"/":                           "names a directory",
		".":                           "names a directory",
		"a/.":                         "names a directory",
	} {
		err := file.CheckPath(path)
		var refused *file.PathError
		if err != nil && (!errors.As(err, &refused) || refused.Advice() == "") {
			t.Errorf("CheckPath(%q) = %v, without advice", path, err)
		}
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("CheckPath(%q) = %v, want %q", path, err, want)
		}
	}
	if err := file.NewDisk(file.OS{}).Create("../x", nil, permissions); err == nil {
		t.Error("a path that is refused was written")
	}
}

func TestUserIsNamed(t *testing.T) {
	if got := (file.OS{}).User(); !strings.HasPrefix(got, "user ") {
		t.Errorf("got %q", got)
	}
}
