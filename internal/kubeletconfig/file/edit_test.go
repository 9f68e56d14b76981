package file_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

// appending is an edit that adds a text.
func appending(text string) func([]byte) ([]byte, error) {
	return func(content []byte) ([]byte, error) { return append(bytes.Clone(content), text...), nil }
}

func TestEditKeepsPermissionsAndOwner(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, path, "old", 0o604)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	system := &faulty{}
	if err := file.NewDisk(system).Edit(t.Context(), path, appending(" new")); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{"config.yaml": "-rw----r-- old new"})
	if diff := cmp.Diff([]string{"lock", "lstat", "read", "create", "write", "chown", "chmod", "sync", "close", "lstat", "read", "rename", "sync directory"},
		system.calls); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	was, ok := file.OS{}.Owner(before)
	is, _ := file.OS{}.Owner(after)
	if !ok || was != is || was != (file.Owner{User: os.Geteuid(), Group: os.Getegid()}) {
		t.Errorf("the file was %v's and is %v's", was, is)
	}
}

func TestEditThatChangesNothingTouchesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "old", 0o600)
	system := &faulty{}
	if err := file.NewDisk(system).Edit(t.Context(), path, appending("")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lock", "lstat", "read"}, system.calls); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEditRemoves(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "config.yaml")
	write(t, path, "old", 0o600)
	if err := file.NewDisk(file.OS{}).Edit(t.Context(), path, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	expectTree(t, root, map[string]string{})
}

func TestEditAsksAgainWhenOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "old", 0o600)
	rounds := 0
	system := &faulty{before: map[string]func(){"close": func() {
		if rounds++; rounds == 1 {
			write(t, path, "theirs", 0o640)
		}
	}}}
	if err := file.NewDisk(system).Edit(t.Context(), path, appending(" ours")); err != nil {
		t.Fatal(err)
	}
	expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw-r----- theirs ours"})

	system.before["close"] = func() { rounds++; write(t, path, strings.Repeat("x", rounds), 0o600) }
	err := file.NewDisk(system).Edit(t.Context(), path, appending(" ours"))
	if _, ok := errors.AsType[*file.ChangedError](err); !ok {
		t.Errorf("a file that never rests: got %v", err)
	}
	expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw------- " + strings.Repeat("x", rounds)})

	system.before["close"] = func() { _ = os.Remove(path) }
	if err := file.NewDisk(system).Edit(t.Context(), path, appending(" ours")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is taken away: got %v", err)
	}
	expectTree(t, filepath.Dir(path), map[string]string{})
}

func TestEditsDoNotLoseEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "", 0o600)
	const writers = 20
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			if err := file.NewDisk(file.OS{}).Edit(t.Context(), path, appending("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw------- " + strings.Repeat("x", writers)})
}

// An edit waits for the lock of another process, which is like that of another descriptor of this one.
func TestEditWaitsForTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "old", 0o600)
	unlock, ok, err := file.OS{}.TryLock(filepath.Dir(path))
	if !ok || err != nil {
		t.Fatalf("ok %t, %v", ok, err)
	}
	tries := 0
	system := &faulty{before: map[string]func(){"lock": func() {
		if tries++; tries == 3 {
			unlock()
		}
	}}}
	if err := file.NewDisk(system).Edit(t.Context(), path, appending(" new")); err != nil {
		t.Fatal(err)
	}
	if tries != 3 {
		t.Errorf("the lock was asked for %d times", tries)
	}

	unlock, _, _ = file.OS{}.TryLock(filepath.Dir(path))
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	system.before["lock"] = cancel
	if err := file.NewDisk(system).Edit(ctx, path, appending(" new")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw------- old new"})
}

func TestFailedEditLeavesTheFileAsItWas(t *testing.T) {
	for _, step := range []string{"lock", "lstat", "read", "create", "write", "chown", "chmod", "sync", "close", "rename"} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		write(t, path, "old", 0o600)
		err := file.NewDisk(&faulty{fail: map[string]error{step: errFault}}).Edit(t.Context(), path, appending(" new"))
		if !errors.Is(err, errFault) {
			t.Errorf("%s: got %v", step, err)
		}
		expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw------- old"})
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "old", 0o600)
	refuse := func([]byte) ([]byte, error) { return []byte("new"), errFault }
	if err := file.NewDisk(file.OS{}).Edit(t.Context(), path, refuse); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	denied := &faulty{fail: map[string]error{"chown": &fs.PathError{Op: "chown", Path: "temporary", Err: syscall.EPERM}}}
	if err := file.NewDisk(denied).Edit(t.Context(), path, appending(" new")); err == nil ||
		err.Error() != "cannot give the new file to the owner of "+path+` as user "tester" (1000): operation not permitted` {
		t.Errorf("got %v", err)
	}
	expectTree(t, filepath.Dir(path), map[string]string{"config.yaml": "-rw------- old"})
	for bad, want := range map[string]string{
		filepath.Dir(path) + "/../x": `has ".." in it`, filepath.Join(path, "x"): "not a directory",
		filepath.Join(filepath.Dir(path), "x"): "no such file", filepath.Join(filepath.Dir(path), "x", "x"): "no such file",
	} {
		if err := file.NewDisk(file.OS{}).Edit(t.Context(), bad, appending("new")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

func TestLargeFilesAreNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, strings.Repeat("#", file.MaxSize), 0o600)
	if _, err := file.NewDisk(file.OS{}).Read(path); err != nil {
		t.Errorf("got %v", err)
	}
	write(t, path, strings.Repeat("#", 10*file.MaxSize), 0o600)
	system := &faulty{}
	_, err := file.NewDisk(system).Read(path)
	large, ok := errors.AsType[*file.TooLargeError](err)
	if !ok || large.Advice() == "" || err.Error() != path+" has 10485760 bytes, more than the 1048576 of which a configuration can be" {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"lstat"}, system.calls); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLockedErrorSaysWhatToDo(t *testing.T) {
	locked := &file.LockedError{Directory: "/etc"}
	if locked.Error() != "another process has held the lock on directory /etc for 30s" || locked.Advice() == "" {
		t.Errorf("got %v, %s", locked, locked.Advice())
	}
}
