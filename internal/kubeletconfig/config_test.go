package kubeletconfig_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func TestEqualComparesByMeaning(t *testing.T) {
	type provider = kubeletconfig.Provider
	same := map[string]func(*provider){
		"nothing changed":   func(*provider) {},
		"a copied duration": func(p *provider) { p.DefaultCacheDuration = new(720 * time.Minute) },
		"env reordered":     func(p *provider) { p.Env[0], p.Env[1] = p.Env[1], p.Env[0] },
		"env overridden": func(p *provider) {
			p.Env = append([]kubeletconfig.EnvVar{{Name: "AK_TIMEOUT", Value: "never seen"}}, p.Env...)
		},
	}
	for name, change := range same {
		if other := changed(change); !full().Equal(other) || !other.Equal(full()) {
			t.Errorf("%s: the kubelet sees no difference", name)
		}
	}
	different := map[string]func(*provider){
		"name":          func(p *provider) { p.Name = "other" },
		"version":       func(p *provider) { p.APIVersion = kubeletconfig.PluginV1beta1 },
		"images":        func(p *provider) { p.MatchImages = p.MatchImages[:1] },
		"duration":      func(p *provider) { p.DefaultCacheDuration = new(time.Hour) },
		"no duration":   func(p *provider) { p.DefaultCacheDuration = nil },
		"args":          func(p *provider) { p.Args[0] = "--url=https://other.test" },
		"env":           func(p *provider) { p.Env[0].Value = "11s" },
		"no attributes": func(p *provider) { p.TokenAttributes = nil },
		"audience":      func(p *provider) { p.TokenAttributes.ServiceAccountTokenAudience = "other" },
		"cache type":    func(p *provider) { p.TokenAttributes.CacheType = kubeletconfig.CacheTypeToken },
		"require":       func(p *provider) { p.TokenAttributes.RequireServiceAccount = new(false) },
		"required":      func(p *provider) { p.TokenAttributes.RequiredServiceAccountAnnotationKeys = nil },
		"optional":      func(p *provider) { p.TokenAttributes.OptionalServiceAccountAnnotationKeys = nil },
	}
	for name, change := range different {
		if other := changed(change); full().Equal(other) || other.Equal(full()) {
			t.Errorf("%s: the kubelet sees a difference", name)
		}
	}
}

func TestEqualTakesAbsentForEmpty(t *testing.T) {
	absent := kubeletconfig.Provider{TokenAttributes: &kubeletconfig.TokenAttributes{}}
	empty := kubeletconfig.Provider{
		MatchImages: []string{}, Args: []string{}, Env: []kubeletconfig.EnvVar{},
		TokenAttributes: &kubeletconfig.TokenAttributes{RequiredServiceAccountAnnotationKeys: []string{}, OptionalServiceAccountAnnotationKeys: []string{}},
	}
	if !absent.Equal(empty) {
		t.Error("an absent list differs from an empty one")
	}
	if full().Equal(kubeletconfig.Config{APIVersion: kubeletconfig.FileV1}) {
		t.Error("no providers equal two")
	}
	other := full()
	other.APIVersion = kubeletconfig.FileV1beta1
	if full().Equal(other) {
		t.Error("two versions of the file are equal")
	}
	reversed := full()
	reversed.Providers[0], reversed.Providers[1] = reversed.Providers[1], reversed.Providers[0]
	if full().Equal(reversed) {
		t.Error("the order of providers decides who is asked first, and is not compared")
	}
}

func TestLocationNamesProviderAndElement(t *testing.T) {
	for want, location := range map[string]kubeletconfig.Location{
		`apiVersion`: {Provider: kubeletconfig.None, Field: kubeletconfig.FieldAPIVersion, Element: kubeletconfig.None},
		`providers[1] "ak": tokenAttributes.cacheType`: {Provider: 1, Name: "ak", Field: kubeletconfig.FieldCacheType, Element: kubeletconfig.None},
		`providers[0] "ak": matchImages[2]`:            {Provider: 0, Name: "ak", Field: kubeletconfig.FieldMatchImages, Element: 2},
	} {
		if got := location.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestHashIsTheKubeletsMetric(t *testing.T) {
	// Taken with sha256sum over the length (eight bytes, big endian) and the text of each file.
	for want, files := range map[string][][]byte{
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855": {},
		"sha256:af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc": {{}},
		"sha256:e51e4aae90069b84b5e2bc9ba092c6a6998b9197447eeb4766d03691c89802b5": {[]byte("a: 1\n")},
		"sha256:05de0786e534681a21f557cbdf354750ea64e94c3b70032092ab5f3bed5492e2": {[]byte("a: 1\n"), []byte("b: 2\n")},
	} {
		if got := kubeletconfig.Hash(files...); got != want {
			t.Errorf("Hash(%q) = %s, want %s", files, got, want)
		}
	}
}

func TestArgs(t *testing.T) {
	const file, bin = "/etc/kubernetes/credential-providers.yaml", "/usr/local/bin"
	for _, c := range []struct {
		path, bin string
		want      []string
	}{
		{file, bin, []string{"--image-credential-provider-config=" + file, "--image-credential-provider-bin-dir=" + bin}},
		{file, "", []string{"--image-credential-provider-config=" + file}},
		{"", bin, []string{"--image-credential-provider-bin-dir=" + bin}},
		{"", "", []string{}},
	} {
		if diff := cmp.Diff(c.want, kubeletconfig.Args(c.path, c.bin)); diff != "" {
			t.Errorf("Args(%q, %q):\n%s", c.path, c.bin, diff)
		}
	}
}
