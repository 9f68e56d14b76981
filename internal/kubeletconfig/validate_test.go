package kubeletconfig_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func TestValidateAcceptsWhatTheKubeletDoes(t *testing.T) {
	type provider = kubeletconfig.Provider
	for name, change := range map[string]func(*provider){
		"everything":          func(*provider) {},
		"no attributes":       func(p *provider) { p.TokenAttributes = nil },
		"older protocol":      func(p *provider) { p.TokenAttributes, p.APIVersion = nil, kubeletconfig.PluginV1alpha1 },
		"no caching":          func(p *provider) { p.DefaultCacheDuration = new(time.Duration(0)) },
		"keys in upper case":  func(p *provider) { p.TokenAttributes.RequiredServiceAccountAnnotationKeys = []string{"Ak.Test/Role"} },
		"keys differ in case": func(p *provider) { p.TokenAttributes.RequiredServiceAccountAnnotationKeys = []string{"a", "A"} },
		"optional without account": func(p *provider) {
			p.TokenAttributes.RequireServiceAccount = new(false)
			p.TokenAttributes.RequiredServiceAccountAnnotationKeys = []string{}
		},
		"odd, but accepted": func(p *provider) { p.Name, p.MatchImages = "ak\t", []string{"", "https://ak.test", "ak.test/*"} },
	} {
		if err := kubeletconfig.Validate(changed(change)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidateSaysWhereAndWhatToDo(t *testing.T) {
	type provider = kubeletconfig.Provider
	for _, c := range []struct {
		name, at, message, remedy string
		change                    func(*provider)
	}{
		{"slash in name", `providers[0] "bin/ak": name`, "cannot contain '/'", "file name of the plugin",
			func(p *provider) { p.Name = "bin/ak" }},
		{"space in name", `providers[0] "a k": name`, "cannot contain spaces", "file name of the plugin",
			func(p *provider) { p.Name = "a k" }},
		{"dot", `providers[0] ".": name`, "cannot be '.'", "file name of the plugin", func(p *provider) { p.Name = "." }},
		{"dots", `providers[0] "..": name`, "cannot be '..'", "file name of the plugin", func(p *provider) { p.Name = ".." }},
		{"no protocol", `providers[0] "ak-kubelet-provider": apiVersion`, "Required value", "use " + kubeletconfig.PluginV1,
			func(p *provider) { p.APIVersion, p.TokenAttributes = "", nil }},
		{"unknown protocol", `providers[0] "ak-kubelet-provider": apiVersion`, `Unsupported value: "v2"`, "use " + kubeletconfig.PluginV1,
			func(p *provider) { p.APIVersion, p.TokenAttributes = "v2", nil }},
		{"older protocol with attributes", `providers[0] "ak-kubelet-provider": tokenAttributes`, "only supported for", "take the tokenAttributes out",
			func(p *provider) { p.APIVersion = kubeletconfig.PluginV1beta1 }},
		{"no images", `providers[0] "ak-kubelet-provider": matchImages`, "at least 1 item", "name the registry",
			func(p *provider) { p.MatchImages = nil }},
		{"bad port", `providers[0] "ak-kubelet-provider": matchImages[1]`, "invalid port", "a port is a number",
			func(p *provider) { p.MatchImages[1] = "ak.test:*" }},
		{"no duration", `providers[0] "ak-kubelet-provider": defaultCacheDuration`, "Required value", `"5m"`,
			func(p *provider) { p.DefaultCacheDuration = nil }},
		{"negative duration", `providers[0] "ak-kubelet-provider": defaultCacheDuration`, `"-1m0s"`, `"0s"`,
			func(p *provider) { p.DefaultCacheDuration = new(-time.Minute) }},
		{"no audience", `providers[0] "ak-kubelet-provider": tokenAttributes.serviceAccountTokenAudience`, "Required value", "expects of a token",
			func(p *provider) { p.TokenAttributes.ServiceAccountTokenAudience = "" }},
		{"no requirement", `providers[0] "ak-kubelet-provider": tokenAttributes.requireServiceAccount`, "Required value", "set true",
			func(p *provider) { p.TokenAttributes.RequireServiceAccount = nil }},
		{"no cache type", `providers[0] "ak-kubelet-provider": tokenAttributes.cacheType`, "ServiceAccount, Token", "use ServiceAccount",
			func(p *provider) { p.TokenAttributes.CacheType = "" }},
		{"cache type of a response", `providers[0] "ak-kubelet-provider": tokenAttributes.cacheType`, `"Registry"`, "use ServiceAccount",
			func(p *provider) { p.TokenAttributes.CacheType = "Registry" }},
		{"required without account", `providers[0] "ak-kubelet-provider": tokenAttributes.requiredServiceAccountAnnotationKeys`, "cannot be false", "make the annotations optional",
			func(p *provider) { p.TokenAttributes.RequireServiceAccount = new(false) }},
		{"bad key", `providers[0] "ak-kubelet-provider": tokenAttributes.optionalServiceAccountAnnotationKeys[1]`, `"a/b/c"`, "key of an annotation",
			func(p *provider) { p.TokenAttributes.OptionalServiceAccountAnnotationKeys = []string{"a", "a/b/c"} }},
		{"key twice", `providers[0] "ak-kubelet-provider": tokenAttributes.requiredServiceAccountAnnotationKeys[1]`, `Duplicate value: "a"`, "once",
			func(p *provider) { p.TokenAttributes.RequiredServiceAccountAnnotationKeys = []string{"a", "a"} }},
		{"key in both", `providers[0] "ak-kubelet-provider": tokenAttributes`, `["ak.test/role"]`, "one of the two lists",
			func(p *provider) {
				p.TokenAttributes.OptionalServiceAccountAnnotationKeys = p.TokenAttributes.RequiredServiceAccountAnnotationKeys
			}},
		{"name twice", `providers[1] "ak-kubelet-provider": name`, "duplicate provider name", "providers[0] has that name already",
			func(*provider) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := changed(c.change)
			if c.name == "name twice" {
				config.Providers[1].Name = config.Providers[0].Name
			}
			problem := onlyProblem(t, config)
			if problem.Location.String() != c.at || !strings.Contains(problem.Message, c.message) || !strings.Contains(problem.Remedy, c.remedy) {
				t.Errorf("got %s", problem)
			}
		})
	}
}

func onlyProblem(t *testing.T, config kubeletconfig.Config) kubeletconfig.Problem {
	t.Helper()
	var refused *kubeletconfig.ValidationError
	if err := kubeletconfig.Validate(config); !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	if len(refused.Problems) != 1 {
		t.Fatalf("want one problem, got %v", refused.Problems)
	}
	return refused.Problems[0]
}

func TestValidateChecksTheFileItself(t *testing.T) {
	withVersion := func(version string) kubeletconfig.Config {
		config := changed(func(p *kubeletconfig.Provider) { p.TokenAttributes = nil })
		config.APIVersion = version
		return config
	}
	for version, message := range map[string]string{
		"kubelet.config.k8s.io/v2": `no kind "CredentialProviderConfig" is registered for version "kubelet.config.k8s.io/v2"`,
		"a/b/c":                    "unexpected GroupVersion string: a/b/c",
		"":                         "Object 'apiVersion' is missing",
	} {
		problem := onlyProblem(t, withVersion(version))
		if problem.Location.String() != "apiVersion" || !strings.HasPrefix(problem.Message, message) {
			t.Errorf("%q: got %s", version, problem)
		}
	}
	if problem := onlyProblem(t, kubeletconfig.Config{APIVersion: kubeletconfig.FileV1}); problem.Location.String() != "providers" {
		t.Errorf("no providers: got %s", problem)
	}
	older := full()
	older.APIVersion = kubeletconfig.FileV1beta1
	want := `providers[0] "ak-kubelet-provider": tokenAttributes: strict decoding error: unknown field "providers[0].tokenAttributes" ` +
		"(tokenAttributes exist only in files of apiVersion kubelet.config.k8s.io/v1)"
	if got := onlyProblem(t, older).String(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// The error's text is the kubelet's: all that validation finds, or the one thing at which reading stops.
func TestValidationErrorReadsLikeTheKubelet(t *testing.T) {
	config := changed(func(p *kubeletconfig.Provider) {
		p.Name, p.MatchImages, p.TokenAttributes = "a b/c", nil, nil
	})
	want := "failed to validate credential provider config: [" +
		`providers.name: Invalid value: "a b/c": provider name cannot contain '/', ` +
		`providers.name: Invalid value: "a b/c": provider name cannot contain spaces, ` +
		"providers.matchImages: Required value: at least 1 item in matchImages is required]"
	if diff := cmp.Diff(want, kubeletconfig.Validate(config).Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	config.Providers[1].Name = config.Providers[0].Name
	if got := kubeletconfig.Validate(config).Error(); got != `duplicate provider name "a b/c" found in configuration file(s)` {
		t.Errorf("got %s", got)
	}
}
