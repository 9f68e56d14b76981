// Package tool finds the real programs that tests and the demo run: the CLI, etcd and the API server.
package tool

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Path gives the path of a program of tools/, building it when the cache lacks it; the first build of some takes minutes.
// The environment variable AKTRUST_NAME, in upper case with _ for -, puts another program in its place.
func Path(name string) (string, error) {
	variable := "AKTRUST_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if path := os.Getenv(variable); path != "" {
		return path, nil
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	// #nosec G204 -- the program is this repository's own, and the name comes from its code.
	cmd := exec.Command(filepath.Join(root, "tools", "bin"), name)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building %s with tools/bin (or set %s to one that is there): %w", name, variable, err)
	}
	return strings.TrimSpace(out.String()), nil
}

// Root is the repository's root: the folder of go.mod above this file or, in a build that hides its paths, above the
// working directory.
func Root() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, start := range []string{filepath.Dir(here), dir} {
		for at := start; filepath.IsAbs(at); at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "tools", "bin")); err == nil {
				return at, nil
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", fmt.Errorf("no repository with tools/bin above %s", dir)
}
