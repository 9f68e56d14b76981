package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindCLI(t *testing.T) {
	const broken = "#!/bin/sh\necho no version is set >&2\nexit 126\n"
	says := func(version string) string { return "#!/bin/sh\necho '" + version + "'\necho more\n" }
	for name, test := range map[string]struct {
		tofu, terraform string
		want, version   string
		passedOver      bool
	}{
		"OpenTofu first":                 {says("OpenTofu v1.6.0"), says("Terraform v1.5.0"), "tofu", "OpenTofu v1.6.0", false},
		"Terraform where it is alone":    {"", says("Terraform v1.5.0"), "terraform", "Terraform v1.5.0", false},
		"a wrapper that does not run":    {broken, says("Terraform v1.5.0"), "terraform", "Terraform v1.5.0", true},
		"a wrapper that is no programme": {"#!/nowhere\n", says("Terraform v1.5.0"), "terraform", "Terraform v1.5.0", true},
	} {
		t.Run(name, func(t *testing.T) {
			d, out := toolless(t)
			dir := t.TempDir()
			for name, text := range map[string]string{"tofu": test.tofu, "terraform": test.terraform} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			program, version, err := d.findCLI(t.Context())
			if err != nil || program != filepath.Join(dir, test.want) || version != test.version {
				t.Errorf("found %s, %q, %v", program, version, err)
			}
			if told := strings.Contains(out.String(), "is passed over: "); told != test.passedOver {
				t.Errorf("told: %s", out)
			}
		})
	}
}

func TestBringStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if err := bring(ctx, "etcd"); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("bring: %v", err)
	}
	if err := orphaned(ctx); err == nil || err.Error() != "enough" {
		t.Errorf("orphaned: %v", err)
	}
}

// toolless is a demo with its folders and nothing else, and what it reports.
func toolless(t *testing.T) (*demo, *strings.Builder) {
	t.Helper()
	var out strings.Builder
	d := &demo{report: newReport(&out), dir: t.TempDir()}
	for _, name := range []string{workspaceDir, pluginsDir} {
		if err := os.Mkdir(d.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return d, &out
}
