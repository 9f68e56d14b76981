package credentialproviderconfig_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// token is a token_attributes argument with these lines in place of the standard ones of the same name.
func token(lines ...string) string {
	standard := []string{`service_account_token_audience = "artifact-keeper"`, `cache_type = "ServiceAccount"`, `require_service_account = true`}
	return "token_attributes = {\n" + strings.Join(override(standard, lines), "\n") + "\n}"
}

// entry is an element of providers with these lines in place of the standard ones of the same name.
func entry(lines ...string) string {
	standard := []string{`name = "ak-kubelet-provider"`, `match_images = ["ak.test"]`, `default_cache_duration = "12h"`}
	return "{\n" + strings.Join(override(standard, lines), "\n") + "\n}"
}

func override(standard, lines []string) []string {
	out := append([]string{}, lines...)
	for _, line := range standard {
		name, _, _ := strings.Cut(line, " ")
		taken := false
		for _, given := range lines {
			taken = taken || strings.HasPrefix(given, name+" ")
		}
		if !taken {
			out = append(out, line)
		}
	}
	return out
}

func TestWhatTheKubeletRefusesIsRefusedWhilePlanning(t *testing.T) {
	w := acctest.NewWorkspace(t, "")
	for _, c := range []struct{ name, config, want string }{
		{"no providers", config("c.yaml", providers()), "providers: Required value: at least 1 item in plugins is required"},
		{"nothing but a name", config("c.yaml", `providers = [{ name = "ak" }]`), "match_images"},
		{"no name", config("c.yaml", providers(entry("name = null"))), "providers[0].name attribute"},
		{"null for a provider", config("c.yaml", providers("null")), "null"},
		{"half a token", config("c.yaml", providers(entry(`token_attributes = { cache_type = "Token" }`))), "require_service_account"},
		{"slash in a name", config("c.yaml", providers(entry(`name = "bin/ak"`))), "provider name cannot contain '/'"},
		{"space in a name", config("c.yaml", providers(entry(`name = "a k"`))), "provider name cannot contain spaces"},
		{"dots for a name", config("c.yaml", providers(entry(`name = ".."`))), "provider name cannot be '..'"},
		{"empty name", config("c.yaml", providers(entry(`name = ""`))), "providers[0].name must not be empty. Write the file name of the plugin's binary"},
		{"name twice", config("c.yaml", providers(entry(), entry())), `duplicate provider name "ak-kubelet-provider"`},
		{"unknown protocol", config("c.yaml", providers(entry(`api_version = "v2"`))), `providers.apiVersion: Unsupported value: "v2"`},
		{"empty protocol", config("c.yaml", providers(entry(`api_version = ""`))), "providers.apiVersion: Required value"},
		{"no images", config("c.yaml", providers(entry(`match_images = []`))), "at least 1 item in matchImages is required"},
		{"star for a port", config("c.yaml", providers(entry(`match_images = ["ak.test", "ak.test:*"]`))), `providers[0].match_images[1]`},
		{"null for an image", config("c.yaml", providers(entry(`match_images = [null]`))), "null"},
		{"days", config("c.yaml", providers(entry(`default_cache_duration = "1d"`))), `unknown unit "d" in duration "1d"`},
		{"no unit", config("c.yaml", providers(entry(`default_cache_duration = "300"`))), "missing unit in duration"},
		{"negative duration", config("c.yaml", providers(entry(`default_cache_duration = "-5m"`))), "must be greater than or equal to 0"},
		{"older protocol with a token", config("c.yaml", providers(entry(`api_version = "credentialprovider.kubelet.k8s.io/v1beta1"`, token()))),
			"tokenAttributes is only supported for credentialprovider.kubelet.k8s.io/v1 API version"},
		{"older file with a token", config("c.yaml", `api_version = "kubelet.config.k8s.io/v1beta1"`, providers(entry(token()))),
			`unknown field "providers[0].tokenAttributes"`},
		{"unknown file version", config("c.yaml", `api_version = "v1"`, minimal), `no kind "CredentialProviderConfig" is registered for version "v1"`},
		{"empty audience", config("c.yaml", providers(entry(token(`service_account_token_audience = ""`)))),
			"tokenAttributes.serviceAccountTokenAudience: Required value"},
		{"cache type in lower case", config("c.yaml", providers(entry(token(`cache_type = "token"`)))), `cacheType: Unsupported value: "token"`},
		{"required keys without an account", config("c.yaml", providers(entry(token("require_service_account = false", `required_service_account_annotation_keys = ["a"]`)))),
			"requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set"},
		{"key twice", config("c.yaml", providers(entry(token(`optional_service_account_annotation_keys = ["a", "a"]`)))),
			"token_attributes.optional_service_account_annotation_keys[1]"},
		{"key in both lists", config("c.yaml", providers(entry(token(`required_service_account_annotation_keys = ["a"]`, `optional_service_account_annotation_keys = ["a"]`)))),
			`Invalid value: ["a"]: annotation keys cannot be both required and optional`},
		{"key that is none", config("c.yaml", providers(entry(token(`required_service_account_annotation_keys = ["a/b/c"]`)))), `Invalid value: "a/b/c"`},
		{"path upwards", config("../c.yaml", minimal), "abspath()"},
		{"path of a directory", config("c/", minimal), "names a directory"},
		{"empty path", config("", minimal), "is empty"},
		{"permissions in words", config("c.yaml", minimal, `file_permission = "u=rw"`), "in octal"},
		{"permissions of a program", config("c.yaml", minimal, `file_permission = "4755"`), "in octal"},
		{"empty directory", config("c.yaml", minimal, `bin_dir = ""`), "bin_dir must not be empty. Write the path of the directory"},
		{"something else to manage", config("c.yaml", minimal, `manage = "all"`), "value must be one of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.Config(c.config)
			// Validation knows all of this, so that nothing else need be known.
			acctest.Says(t, w.Expect(1, "validate", "-no-color"), c.want)
		})
	}
}

func TestRefusalsNameProviderAndRemedy(t *testing.T) {
	w := acctest.NewWorkspace(t, config("c.yaml", providers(plugin("first"), entry(`name = "second"`, `match_images = ["ok.test", "ak.test:*"]`))))
	acctest.Says(t, w.Plan(1), "The kubelet would not start with this", `Over providers[1].match_images[1], of the provider named "second", the kubelet exits at start, saying:`,
		`providers.matchImages: Invalid value: "ak.test:*": match image is invalid`, "a port is a number")
}

// unknown gives values that are known only once something else is applied.
const unknown = `resource "terraform_data" "later" {
  input = {
    name = "ak-kubelet-provider", image = "ak.test/*", audience = " ", duration = "1h", keys = ["a"], yes = true
    path = "PATH", args = ["-v"], env = { A = "b" }, kind = "Token"
  }
}
`

const later = "terraform_data.later.output"

// Unknown is not absent: what is unknown breaks no rule while planning, and is held against the rules once it is known.
func TestUnknownValuesBreakNoRule(t *testing.T) {
	for name, list := range map[string]string{
		"the whole list":          "providers = [for k in " + later + ".keys : { name = k, match_images = [\"ak.test\"], default_cache_duration = \"1h\" }]",
		"every text":              providers(entry("name = "+later+".name", "match_images = ["+later+".image, "+later+".image]", "default_cache_duration = "+later+".duration", "api_version = \"credentialprovider.kubelet.k8s.io/${"+later+".yes ? \"v1\" : \"v2\"}\""), plugin("other")),
		"every list and map":      providers(entry("match_images = "+later+".keys", "args = "+later+".args", "env = "+later+".env")),
		"parts of lists and maps": providers(entry("match_images = [\"ak.test\", "+later+".image]", "args = [\"-v\", "+later+".name]", "env = { A = "+later+".name }")),
		"all of a token": providers(entry(token("service_account_token_audience = "+later+".audience", "cache_type = "+later+".kind", "require_service_account = "+later+".yes",
			"required_service_account_annotation_keys = ["+later+".name, \"x\"]", "optional_service_account_annotation_keys = ["+later+".audience == \" \" ? \"y\" : \"x\", \"z\"]"))),
		"a token or none":     providers(entry("token_attributes = " + later + ".yes ? { service_account_token_audience = \"a\", cache_type = \"Token\", require_service_account = true } : null")),
		"an element":          "providers = [" + later + ".yes ? { name = \"a\", match_images = [\"ak.test\"], default_cache_duration = \"1h\" } : null]",
		"version of the file": "api_version = \"kubelet.config.k8s.io/${" + later + ".yes ? \"v1\" : \"v2\"}\"\n  " + providers(entry(token())),
	} {
		t.Run(name, func(t *testing.T) {
			w := acctest.NewWorkspace(t, unknown+config("config.yaml", list))
			acctest.Says(t, w.Plan(2), "content = (known after apply)", "config_hash = (known after apply)",
				`"--image-credential-provider-config=config.yaml"`)
			w.Apply()
			acctest.Silent(t, w.Plan(0), "Warning")
		})
	}
}

func TestUnknownPathAndDirectory(t *testing.T) {
	w := acctest.NewWorkspace(t, unknown+"resource \"aktrust_credential_provider_config\" \"test\" {\n  path = "+later+".path\n  bin_dir = "+later+".path\n  "+minimal+"\n}\n")
	acctest.Says(t, w.Plan(2), "content = (known after apply)", "kubelet_args = (known after apply)", "id = (known after apply)")
	w.Apply()
	w.Plan(0)
	if got := read(t, filepath.Join(w.Dir, "PATH")); got != minimalYAML {
		t.Errorf("the file holds\n%s", got)
	}
}

// What is known next to something unknown is checked all the same, and nothing is written that turns out wrong.
func TestUnknownValuesDoNotHideWrongOnes(t *testing.T) {
	w := acctest.NewWorkspace(t, unknown+config("config.yaml", providers(entry("name = "+later+".name", `match_images = ["ak.test:*"]`))))
	acctest.Says(t, w.Plan(1), "invalid port")

	w.Config(unknown + config("config.yaml", providers(entry("name = \"${"+later+".name} bad\""))))
	w.Plan(2)
	acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "provider name cannot contain spaces")
	if err := absent(filepath.Join(w.Dir, "config.yaml"))(nil); err != nil {
		t.Error(err)
	}
}

// A warning comes with the plan that brings about what it is about, and never with one that changes nothing.
func TestWarningsComeOnce(t *testing.T) {
	odd := config("~/config.yaml", `file_permission = "0664"`, providers(entry(`match_images = ["ak.test/*", "https://ak.test"]`,
		token(`service_account_token_audience = "https://kubernetes.default.svc"`))))
	w := acctest.NewWorkspace(t, odd)
	first := w.Plan(2)
	acctest.Says(t, first, "A * in the path is a literal star", `write "ak.test"`, "opens the API server", "A directory called ~", "Others may write",
		"The kubelet accepts providers[0].match_images[1], but it is hardly meant")
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning")

	w.Config(strings.Replace(odd, `"ak.test/*", "https://ak.test"`, `"ak.test"`, 1))
	acctest.Silent(t, w.Plan(2), "literal star", "no scheme")
}

// What was not known while planning is warned of when it is applied.
func TestWarningsOfUnknownValuesComeAtApply(t *testing.T) {
	w := acctest.NewWorkspace(t, unknown+config("config.yaml", providers(entry("match_images = ["+later+".image]", token("service_account_token_audience = "+later+".audience")))))
	acctest.Silent(t, w.Plan(2), "Warning")
	acctest.Says(t, w.Apply(), "literal star", "nothing but white space")
	acctest.Silent(t, w.Plan(0), "Warning")
}
