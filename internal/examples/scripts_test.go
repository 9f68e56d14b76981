//go:build linux

package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Scripts that no test runs, because they need a cluster's own programs, are at least shell.
func TestScriptsAreShell(t *testing.T) {
	m, count := newMachine(t), 0
	err := filepath.WalkDir(directory(t), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".sh" {
			return err
		}
		count++
		if code, out := m.command("bash", "-n", path); code != 0 {
			t.Errorf("%s", out)
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		// What begins with #! is run, all else is put together with other pieces first.
		if text := readFile(t, path); (text[:2] == "#!") != (info.Mode()&0o111 != 0) && filepath.Base(filepath.Dir(path)) == "node" {
			t.Errorf("%s begins with %q and has the permissions %s", path, text[:2], info.Mode())
		}
		return nil
	})
	if err != nil || count == 0 {
		t.Errorf("%d scripts were found (%v)", count, err)
	}
}
