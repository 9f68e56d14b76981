package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment variables that name a binary to use instead of the one that tools/bin provides.
const (
	etcdVariable      = "AKTRUST_ETCD"
	apiServerVariable = "AKTRUST_KUBE_APISERVER"
)

type binaries struct{ etcd, apiServer string }

// findBinaries asks the environment, then tools/bin, which takes minutes when it has to build.
func findBinaries(ctx context.Context, logf func(string, ...any)) (binaries, error) {
	etcd, err := findBinary(ctx, etcdVariable, "etcd", logf)
	if err != nil {
		return binaries{}, err
	}
	apiServer, err := findBinary(ctx, apiServerVariable, "kube-apiserver", logf)
	return binaries{etcd: etcd, apiServer: apiServer}, err
}

func findBinary(ctx context.Context, variable, name string, logf func(string, ...any)) (string, error) {
	if path := os.Getenv(variable); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("%s: %w", variable, err)
		}
		return path, nil
	}
	root, err := repositoryRoot()
	if err != nil {
		return "", fmt.Errorf("find %s (%s may name it): %w", name, variable, err)
	}
	command := exec.CommandContext(ctx, filepath.Join(root, "tools", "bin"), name)
	var stderr bytes.Buffer
	command.Stderr = io.MultiWriter(&stderr, lineLogger(logf))
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("get %s from tools/bin: %w\n%s", name, err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// repositoryRoot is the nearest directory with a go.mod above the working directory, where tests run, or above this
// source file, where it was compiled.
func repositoryRoot() (string, error) {
	var starts []string
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		starts = append(starts, filepath.Dir(file))
	}
	for _, start := range starts {
		for dir := start; ; dir = filepath.Dir(dir) {
			_, err := os.Stat(filepath.Join(dir, "tools", "bin"))
			if err == nil {
				if _, err = os.Stat(filepath.Join(dir, "go.mod")); err == nil {
					return dir, nil
				}
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", fmt.Errorf("no directory with go.mod and tools/bin above %s", strings.Join(starts, " or "))
}

// lineLogger hands each write on as one line; tools/bin writes line by line.
type lineLogger func(string, ...any)

func (l lineLogger) Write(text []byte) (int, error) {
	l("%s", strings.TrimRight(string(text), "\n"))
	return len(text), nil
}
