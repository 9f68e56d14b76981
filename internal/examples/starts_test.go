//go:build linux

package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const anyProgram = "#!/bin/sh\n"

// starts expects that a kubelet starts with a file, read by the name that it has on the node, and with its plugins.
func starts(t *testing.T, name, text string) kubeletconfig.Config {
	t.Helper()
	config := parse(t, text)
	dir := t.TempDir()
	for _, provider := range config.Providers {
		writeFile(t, filepath.Join(dir, "bin", provider.Name), anyProgram, 0o755)
	}
	file := filepath.Join(dir, filepath.Base(name))
	writeFile(t, file, text, 0o644)
	startKubelet(t, kubeletconfig.Args(file, filepath.Join(dir, "bin"))...).has(t, text)
	return config
}

// parse reads a file as the kubelet does.
func parse(t *testing.T, text string) kubeletconfig.Config {
	t.Helper()
	config, err := kubeletconfig.Parse([]byte(text))
	if err != nil {
		t.Fatalf("the kubelet refuses this: %s\n%s", err, text)
	}
	return config
}

const soundFile = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages: [ak.example.com]
    defaultCacheDuration: 5m
    apiVersion: credentialprovider.kubelet.k8s.io/v1
`

// What the other tests rely on: this kubelet tells a file that it takes from one that it does not.
func TestKubeletTellsFilesApart(t *testing.T) {
	starts(t, "credential-provider.yaml", soundFile)

	for name, text := range map[string]string{
		"undecodable": strings.Replace(soundFile, "5m", "5 minutes", 1),
		"invalid":     strings.Replace(soundFile, "[ak.example.com]", "[]", 1),
		"empty":       "",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kubeletconfig.Parse([]byte(text))
			if err == nil {
				t.Fatal("the file is sound")
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "bin", "ak-kubelet-provider"), anyProgram, 0o755)
			writeFile(t, filepath.Join(dir, "file"), text, 0o644)
			refusal := startKubelet(t, kubeletconfig.Args(filepath.Join(dir, "file"), filepath.Join(dir, "bin"))...).refusal(t)
			if words := strings.ReplaceAll(err.Error(), `"`, `\"`); !strings.Contains(refusal, words) {
				t.Errorf("the kubelet says\n%s\nand not\n%s", refusal, words)
			}
		})
	}

	t.Run("without the binary", func(t *testing.T) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "file"), soundFile, 0o644)
		refusal := startKubelet(t, kubeletconfig.Args(filepath.Join(dir, "file"), dir)...).refusal(t)
		acctest.Says(t, refusal, "plugin binary executable", "did not exist")
	})
}
