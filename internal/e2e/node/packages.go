//go:build linux

package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/cli"
)

// tools are the programs that a node needs of the machine, as paths.
type tools struct{ nsenter, containerd, ctr string }

// needs are those programs, and the Debian package of each. containerd finds the last two by itself.
var needs = []struct{ program, pkg string }{
	{"nsenter", "util-linux"},
	{"containerd", "containerd"},
	{"ctr", "containerd"},
	{"containerd-shim-runc-v2", "containerd"},
	{"runc", "runc"},
}

// findTools finds the programs, after installing the packages of those that are missing.
func findTools(ctx context.Context, logf func(string, ...any)) (found tools, err error) {
	if packages := missing(); len(packages) > 0 {
		if err := install(ctx, packages, logf); err != nil {
			return found, err
		}
		if still := missing(); len(still) > 0 {
			return found, fmt.Errorf("after the installation of %s programs of %s are not on the PATH yet: %s",
				strings.Join(packages, " and "), strings.Join(still, " and "), os.Getenv("PATH"))
		}
	}
	for name, path := range map[string]*string{"nsenter": &found.nsenter, "containerd": &found.containerd, "ctr": &found.ctr} {
		if *path, err = exec.LookPath(name); err != nil {
			return found, err
		}
	}
	return found, nil
}

// missing are the packages of the programs that are not there.
func missing() (packages []string) {
	for _, need := range needs {
		if _, err := exec.LookPath(need.program); err != nil && !slices.Contains(packages, need.pkg) {
			packages = append(packages, need.pkg)
		}
	}
	return packages
}

// install installs packages, which stay.
func install(ctx context.Context, packages []string, logf func(string, ...any)) error {
	names := strings.Join(packages, " ")
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("the machine lacks %s and has no apt-get; install these packages, or put their programs on the PATH", names)
	}
	logf("the machine lacks %s: installing them with apt-get, they stay installed", names)
	// The lists of packages may be missing or old.
	var tries []error
	for _, args := range [][]string{{"install"}, {"update"}, {"install"}} {
		if args[0] == "install" {
			args = append(args, "-y", "--no-install-recommends")
			args = append(args, packages...)
		}
		// #nosec G204 -- the packages are of this file.
		cmd := exec.CommandContext(ctx, apt, append([]string{"-q"}, args...)...)
		var out bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive"), &out, &out
		switch err := cli.RunGroup(cmd); {
		case err != nil:
			tries = append(tries, fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, out.Bytes()))
		case args[0] == "install":
			return nil
		}
	}
	return fmt.Errorf("installing %s failed; install them by hand: %w", names, errors.Join(tries...))
}
