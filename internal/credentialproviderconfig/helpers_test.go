package credentialproviderconfig_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "aktrust_credential_provider_config.test"

// config is a configuration of one file with these lines beside its path.
func config(path string, lines ...string) string {
	return fmt.Sprintf("resource \"aktrust_credential_provider_config\" \"test\" {\n  path = %q\n  %s\n}\n", path, strings.Join(lines, "\n  "))
}

// plugin is a provider of the list with what is required and further lines.
func plugin(name string, lines ...string) string {
	return fmt.Sprintf("{\n    name = %q\n    match_images = [\"ak.test\"]\n    default_cache_duration = \"12h\"\n    %s\n  }", name, strings.Join(lines, "\n    "))
}

func providers(list ...string) string { return "providers = [" + strings.Join(list, ", ") + "]" }

// minimal is a list of one provider with what is required.
var minimal = providers(plugin("ak-kubelet-provider"))

const minimalYAML = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages:
      - ak.test
    defaultCacheDuration: 12h0m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
`

// full is a list that uses every attribute.
const full = `providers = [{
    name                   = "ak-kubelet-provider"
    match_images           = ["ak.test", "*.ak.test:8443/team/"]
    default_cache_duration = "1h30m"
    args                   = ["--url=https://ak.test"]
    env                    = { HTTPS_PROXY = "", AK_LOG = "info" }
    token_attributes = {
      service_account_token_audience           = "artifact-keeper"
      cache_type                               = "ServiceAccount"
      require_service_account                  = true
      required_service_account_annotation_keys = ["ak.test/role"]
      optional_service_account_annotation_keys = []
    }
  }, {
    name                   = "ecr-credential-provider"
    match_images           = ["*.dkr.ecr.*.amazonaws.com"]
    default_cache_duration = "0s"
    api_version            = "credentialprovider.kubelet.k8s.io/v1beta1"
    args                   = []
  }]`

const fullYAML = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages:
      - ak.test
      - '*.ak.test:8443/team/'
    defaultCacheDuration: 1h30m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - --url=https://ak.test
    env:
      - name: AK_LOG
        value: info
      - name: HTTPS_PROXY
        value: ""
    tokenAttributes:
      serviceAccountTokenAudience: artifact-keeper
      cacheType: ServiceAccount
      requireServiceAccount: true
      requiredServiceAccountAnnotationKeys:
        - ak.test/role
      optionalServiceAccountAnnotationKeys: []
  - name: ecr-credential-provider
    matchImages:
      - '*.dkr.ecr.*.amazonaws.com'
    defaultCacheDuration: 0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1beta1
    args: []
`

// disk expects the directory of path to hold that file alone, with this content and these permissions.
func disk(path, content string, mode fs.FileMode) resource.TestCheckFunc {
	return func(*terraform.State) error {
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			return err
		}
		if len(entries) != 1 {
			return fmt.Errorf("the directory holds %v, want one file", entries)
		}
		info, err := entries[0].Info()
		if err != nil {
			return err
		}
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if string(got) != content || info.Mode() != mode {
			return fmt.Errorf("the file has mode %s and holds\n%s\nwant %s and\n%s", info.Mode(), got, mode, content)
		}
		return nil
	}
}

// absent expects no file at any of the paths.
func absent(paths ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, path := range paths {
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				return fmt.Errorf("%s is still there (%w)", path, err)
			}
		}
		return nil
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// empty expects that a plan after the step changes nothing.
var empty = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// unchanged expects that the step itself changes nothing.
var unchanged = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// action expects what the step does to the file, and nothing after it.
func action(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, want)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

func value(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want)
}

// imported is the step that imports the file. What a file does not tell is left out of the comparison.
func imported() resource.TestStep {
	return resource.TestStep{
		ResourceName: address, ImportState: true, ImportStateVerify: true,
		ImportStateVerifyIgnore: []string{"bin_dir", "kubelet_args", "directory_permission"},
	}
}

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: steps})
}

// replacing returns lines with some of them replaced: a place, then what comes there.
func replacing(lines []string, replacements ...any) []string {
	out := append([]string{}, lines...)
	for i := 0; i < len(replacements); i += 2 {
		out[replacements[i].(int)] = replacements[i+1].(string)
	}
	return out
}

// replaced returns a text with one part of it replaced, which has to be there.
func replaced(text, old, replacement string) string {
	if !strings.Contains(text, old) {
		panic("no " + old + " in " + text)
	}
	return strings.Replace(text, old, replacement, 1)
}

// isJSON expects a file of the full list, in JSON.
func isJSON(path string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !json.Valid(content) {
			return fmt.Errorf("not JSON: %s", content)
		}
		got, err := kubeletconfig.Parse(content)
		if err != nil {
			return err
		}
		want, err := kubeletconfig.Parse([]byte(fullYAML))
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("-want +got:\n%s", diff)
		}
		return nil
	}
}

// stat remembers the file at path, and sameFile expects it to be that one still, untouched.
func stat(path string, into *os.FileInfo) resource.TestCheckFunc {
	return func(*terraform.State) (err error) {
		*into, err = os.Stat(path)
		return err
	}
}

func sameFile(path string, before *os.FileInfo) resource.TestCheckFunc {
	return func(*terraform.State) error {
		after, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !os.SameFile(*before, after) || !after.ModTime().Equal((*before).ModTime()) {
			return fmt.Errorf("%s was written again", path)
		}
		return nil
	}
}
