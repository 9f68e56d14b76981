package functions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/credentialproviderconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
)

// refusedAt expects an error about the argument at a place, that says each of these.
func refusedAt(t *testing.T, err *function.FuncError, position int64, wanted ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if err.FunctionArgument == nil || *err.FunctionArgument != position {
		t.Errorf("the error is not about argument %d: %+v", position, err)
	}
	acctest.Says(t, err.Text, wanted...)
}

const twoProviders = `# comments do not matter
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages: [ak.test, "*.ak.test:8443/team/"]
    defaultCacheDuration: 90m
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args: [--url=https://ak.test]
    env:
      - {name: A, value: first}
      - {name: B, value: ""}
      - {name: A, value: last}
    tokenAttributes:
      serviceAccountTokenAudience: artifact-keeper
      cacheType: Token
      requireServiceAccount: true
      requiredServiceAccountAnnotationKeys: [ak.test/role]
      optionalServiceAccountAnnotationKeys: []
  - name: other
    matchImages: ["*.test"]
    defaultCacheDuration: 0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1beta1
    args: []
`

func TestParseGivesTheNamesAndFormsOfTheResource(t *testing.T) {
	got, err := call(t, functions.NewParseCredentialProviderConfig, text(twoProviders))
	if err != nil {
		t.Fatal(err)
	}
	null := types.ListNull(types.StringType)
	token := object(map[string]attr.Value{
		"service_account_token_audience": text("artifact-keeper"), "cache_type": text("Token"), "require_service_account": types.BoolValue(true),
		"required_service_account_annotation_keys": texts("ak.test/role"), "optional_service_account_annotation_keys": texts(),
	})
	first := object(map[string]attr.Value{
		"name": text("ak-kubelet-provider"), "match_images": texts("ak.test", "*.ak.test:8443/team/"), "default_cache_duration": text("1h30m"),
		"api_version": text("credentialprovider.kubelet.k8s.io/v1"), "args": texts("--url=https://ak.test"),
		"env":              types.MapValueMust(types.StringType, map[string]attr.Value{"A": text("last"), "B": text("")}),
		"token_attributes": token,
	})
	second := object(map[string]attr.Value{
		"name": text("other"), "match_images": texts("*.test"), "default_cache_duration": text("0s"),
		"api_version": text("credentialprovider.kubelet.k8s.io/v1beta1"), "args": texts(),
		"env": types.MapNull(types.StringType), "token_attributes": types.ObjectNull(token.AttributeTypes(t.Context())),
	})
	want := object(map[string]attr.Value{
		"api_version": text("kubelet.config.k8s.io/v1"),
		"providers":   types.ListValueMust(first.Type(t.Context()), []attr.Value{first, second}),
	})
	if diff := cmp.Diff(want.String(), got.String()); diff != "" || !got.Equal(want) {
		t.Errorf("-want +got:\n%s", diff)
	}
	bare, err := call(t, functions.NewParseCredentialProviderConfig, text(configOf("ak.test")))
	if err != nil {
		t.Fatal(err)
	}
	provider := bare.(types.Object).Attributes()["providers"].(types.List).Elements()[0].(types.Object).Attributes()
	if !provider["args"].Equal(null) {
		t.Errorf("absent args are %s", provider["args"])
	}
}

// What the functions return has exactly the attributes of an element of the resource's providers, with their types.
func TestEntriesHaveTheTypeOfTheResource(t *testing.T) {
	var schema resource.SchemaResponse
	credentialproviderconfig.NewResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	list := schema.Schema.Attributes["providers"].GetType().TerraformType(t.Context())
	parsed := definition(t, functions.NewParseCredentialProviderConfig()).Return.GetType().(types.ObjectType)
	if got := parsed.AttrTypes["providers"].TerraformType(t.Context()); !got.Equal(list) {
		t.Errorf("parse_credential_provider_config gives %s, the resource takes %s", got, list)
	}
	made := types.ListType{ElemType: definition(t, functions.NewAKKubeletProvider()).Return.GetType()}
	if got := made.TerraformType(t.Context()); !got.Equal(list) {
		t.Errorf("ak_kubelet_provider gives an element of %s, the resource takes %s", got, list)
	}
}

func TestMatchingProvidersNamesThemInOrder(t *testing.T) {
	for image, want := range map[string]types.List{
		"ak.test/app:1.0":                 texts("ak-kubelet-provider", "other"),
		"eu.ak.test:8443/team/app":        texts("ak-kubelet-provider"),
		"ghcr.test/app@sha256:abc":        texts(), // Not a digest, so not an image.
		"ghcr.test/app":                   texts("other"),
		"nginx":                           texts(),
		"":                                texts(),
		"ak.test/NotAnImage":              texts(),
		"registry.eu.ak.test:8443/x":      texts(),
		"ak.test:443/the/port/is/written": texts(),
	} {
		got, err := call(t, functions.NewMatchingProviders, text(twoProviders), text(image))
		if err != nil {
			t.Errorf("%q: %s", image, err)
		} else if !got.Equal(want) {
			t.Errorf("%q: got %s, want %s", image, got, want)
		}
	}
}

func TestRefusedFilesSayWhereAndWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"not a config": {"a: b", []string{
			"over this file the kubelet exits at start, saying: error decoding config: Object 'Kind' is missing",
			"What to do: the file must start with apiVersion: kubelet.config.k8s.io/v1 and kind: CredentialProviderConfig",
		}},
		"empty": {"", []string{"Object 'Kind' is missing"}},
		"one problem": {configOf("ak.test:*"), []string{
			`failed to validate credential provider config: providers.matchImages: Invalid value: "ak.test:*"`,
			`What to do: providers[0] "it": matchImages[0]: write HOST[:PORT][/PATH]`,
		}},
		"two problems": {`{"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig", "providers": [{"name": "it",
			"matchImages": ["ak.test"], "apiVersion": "credentialprovider.kubelet.k8s.io/v1"},
			{"name": "..", "matchImages": ["ak.test"], "defaultCacheDuration": "5m", "apiVersion": "credentialprovider.kubelet.k8s.io/v1"}]}`, []string{
			"[providers.defaultCacheDuration: Required value, providers.name: Invalid value: \"..\": provider name cannot be '..']",
			`What to do: - providers[0] "it": defaultCacheDuration: set a duration`, `- providers[1] "..": name: `,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, functions.NewParseCredentialProviderConfig, text(c.text))
			refusedAt(t, err, 0, c.says...)
			_, same := call(t, functions.NewMatchingProviders, text(c.text), text("ak.test/app"))
			if !err.Equal(same) {
				t.Errorf("matching_providers says %q", same)
			}
		})
	}
}

// The kubelet repeats a file that it cannot place. An environment in it may hold secrets.
func TestRefusedFilesAreNotRepeated(t *testing.T) {
	_, err := call(t, functions.NewParseCredentialProviderConfig, text("providers:\n  - env: [{name: TOKEN, value: hunter2}]\n"))
	refusedAt(t, err, 0, "Object 'Kind' is missing")
	acctest.Silent(t, err.Text, "hunter2")
}
