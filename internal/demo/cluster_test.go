package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kubeletFile = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages:
      - ak.test:8443
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - --url=https://ak.test:8443
      - --provider-id=an-id
      - --log-level=debug
    tokenAttributes:
      serviceAccountTokenAudience: artifact-keeper
      cacheType: ServiceAccount
      requireServiceAccount: true
`

func TestReadFile(t *testing.T) {
	const image = "ak.test:8443/team/app:1.0"
	tokenless, _, _ := strings.Cut(kubeletFile, "    tokenAttributes")
	for name, test := range map[string]struct {
		text, image string
		want        plugin
		err         string
	}{
		"plugin":   {kubeletFile, image, plugin{"ak-kubelet-provider", "artifact-keeper", "https://ak.test:8443", "an-id"}, ""},
		"port":     {kubeletFile, "ak.test/team/app:1.0", plugin{}, "has 0 plugins for the image ak.test/team/app:1.0"},
		"no token": {tokenless, image, plugin{}, "hands the plugin ak-kubelet-provider no token"},
		"refused":  {strings.Replace(kubeletFile, "5m0s", "a while", 1), image, plugin{}, "the kubelet would not start with"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readFile(path, test.image)
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("readFile: %+v, %v", got, err)
			}
		})
	}
}

func TestEditFile(t *testing.T) {
	d := &demo{dir: t.TempDir()}
	path := d.path(nodeFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(kubeletFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.editFile(context.Background()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(kubeletFile, "5m0s", "720h", 1); string(text) != want {
		t.Errorf("edited:\n%s", text)
	}
	if _, _, err := d.editFile(context.Background()); err == nil {
		t.Error("an edit that changes nothing passes for a drift")
	}
}
