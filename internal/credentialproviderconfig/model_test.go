package credentialproviderconfig

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

// sound is a provider that uses every member.
func sound() kubeletconfig.Provider {
	return kubeletconfig.Provider{
		Name: "ak-kubelet-provider", MatchImages: []string{"ak.test"}, DefaultCacheDuration: new(12 * time.Hour), APIVersion: kubeletconfig.PluginV1,
		Args: []string{"-v"}, Env: []kubeletconfig.EnvVar{{Name: "A", Value: "b"}},
		TokenAttributes: &kubeletconfig.TokenAttributes{
			ServiceAccountTokenAudience: "artifact-keeper", CacheType: kubeletconfig.CacheTypeServiceAccount, RequireServiceAccount: new(true),
			RequiredServiceAccountAnnotationKeys: []string{"a"}, OptionalServiceAccountAnnotationKeys: []string{},
		},
	}
}

// listOf is a list of providers as a state holds it.
func listOf(t *testing.T, providers ...kubeletconfig.Provider) types.List {
	t.Helper()
	list, diags := newEntries(t.Context(), providers, types.ListNull(entryType))
	if diags.HasError() {
		t.Fatal(diags)
	}
	return list
}

// with returns the list with one attribute of its first element replaced.
func with(t *testing.T, list types.List, name string, value attr.Value) types.List {
	t.Helper()
	elements := slices.Clone(list.Elements())
	attributes := elements[0].(types.Object).Attributes()
	attributes[name] = value
	elements[0] = types.ObjectValueMust(entryType.AttrTypes, attributes)
	return types.ListValueMust(entryType, elements)
}

func TestConfigAndBack(t *testing.T) {
	bare := kubeletconfig.Provider{Name: "bare", APIVersion: kubeletconfig.PluginV1beta1, MatchImages: []string{}, Args: []string{}, Env: []kubeletconfig.EnvVar{}}
	want := kubeletconfig.Config{APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{sound(), bare, {APIVersion: kubeletconfig.PluginV1}}}
	m := model{APIVersion: types.StringValue(kubeletconfig.FileV1), Providers: listOf(t, want.Providers...)}
	got, known, diags := m.config(t.Context())
	if !known || diags.HasError() {
		t.Fatalf("known %t, %v", known, diags)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNullsAreDefaultsOrAbsent(t *testing.T) {
	list := with(t, listOf(t, sound()), "api_version", types.StringNull())
	got, known, _ := model{Providers: list}.config(t.Context())
	if !known || got.APIVersion != kubeletconfig.FileV1 || got.Providers[0].APIVersion != kubeletconfig.PluginV1 {
		t.Errorf("known %t, got %+v", known, got)
	}
	if got, known, _ := (model{}).config(t.Context()); !known || got.Providers != nil {
		t.Errorf("no list: known %t, got %+v", known, got)
	}
}

// Whatever is unknown, it breaks no rule and deserves no warning.
func TestUnknownPartsAreNobodysFault(t *testing.T) {
	list := listOf(t, sound(), kubeletconfig.Provider{Name: "other", MatchImages: []string{"x.test"}, DefaultCacheDuration: new(time.Hour), APIVersion: kubeletconfig.PluginV1})
	unknownTexts := types.ListValueMust(types.StringType, []attr.Value{types.StringUnknown(), types.StringValue("x.test"), types.StringUnknown()})
	token := func(name string, value attr.Value) types.List {
		attributes := list.Elements()[0].(types.Object).Attributes()["token_attributes"].(types.Object).Attributes()
		attributes[name] = value
		return with(t, list, "token_attributes", types.ObjectValueMust(tokenType.AttrTypes, attributes))
	}
	keysOfBoth := types.ObjectValueMust(tokenType.AttrTypes, map[string]attr.Value{
		"service_account_token_audience": types.StringUnknown(), "cache_type": types.StringUnknown(), "require_service_account": types.BoolUnknown(),
		"required_service_account_annotation_keys": unknownTexts, "optional_service_account_annotation_keys": types.ListValueMust(types.StringType,
			[]attr.Value{types.StringUnknown(), types.StringUnknown()}),
	})
	for name, providers := range map[string]types.List{
		"list":             types.ListUnknown(entryType),
		"elements":         types.ListValueMust(entryType, []attr.Value{types.ObjectUnknown(entryType.AttrTypes), types.ObjectUnknown(entryType.AttrTypes)}),
		"name":             with(t, list, "name", types.StringUnknown()),
		"images":           with(t, list, "match_images", types.ListUnknown(types.StringType)),
		"some images":      with(t, list, "match_images", unknownTexts),
		"duration":         with(t, list, "default_cache_duration", attribute.NewDurationUnknown()),
		"version":          with(t, list, "api_version", types.StringUnknown()),
		"args":             with(t, list, "args", types.ListUnknown(types.StringType)),
		"some args":        with(t, list, "args", unknownTexts),
		"env":              with(t, list, "env", types.MapUnknown(types.StringType)),
		"some env":         with(t, list, "env", types.MapValueMust(types.StringType, map[string]attr.Value{"A": types.StringUnknown()})),
		"attributes":       with(t, list, "token_attributes", types.ObjectUnknown(tokenType.AttrTypes)),
		"audience":         token("service_account_token_audience", types.StringUnknown()),
		"cache type":       token("cache_type", types.StringUnknown()),
		"requirement":      token("require_service_account", types.BoolUnknown()),
		"keys":             token("required_service_account_annotation_keys", types.ListUnknown(types.StringType)),
		"all of the token": with(t, list, "token_attributes", keysOfBoth),
	} {
		m := model{APIVersion: types.StringUnknown(), Providers: providers}
		if _, known, _ := m.config(t.Context()); known {
			t.Errorf("%s: taken for known", name)
		}
		if diags := m.refusals(t.Context()); len(diags) > 0 {
			t.Errorf("%s: refused: %v", name, diags)
		}
		if diags := m.warnings(t.Context()); len(diags) > 0 {
			t.Errorf("%s: warned: %v", name, diags)
		}
	}
}

func TestTakeKeepsTheWordsOfWhatMeansTheSame(t *testing.T) {
	second := kubeletconfig.Provider{Name: "other", MatchImages: []string{"x.test"}, DefaultCacheDuration: new(time.Hour), APIVersion: kubeletconfig.PluginV1}
	prior := with(t, listOf(t, sound(), second), "default_cache_duration", attribute.NewDurationValue("720m"))
	changed := second
	changed.Args = []string{"-v"}
	content, err := kubeletconfig.Encode(kubeletconfig.Config{APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{sound(), changed}}, kubeletconfig.YAML)
	if err != nil {
		t.Fatal(err)
	}
	m := model{
		APIVersion: types.StringValue(kubeletconfig.FileV1), Providers: prior, ConfigHash: types.StringValue("of before"),
		FilePermission: newPermission("640"),
	}
	if diags := m.take(t.Context(), file.File{Content: content, Mode: 0o640}); len(diags) > 0 {
		t.Fatal(diags)
	}
	if !m.Providers.Elements()[0].Equal(prior.Elements()[0]) || m.FilePermission.ValueString() != "640" {
		t.Errorf("the words of before are lost: %s, %s", m.Providers.Elements()[0], m.FilePermission)
	}
	if m.Providers.Elements()[1].Equal(prior.Elements()[1]) {
		t.Error("the change is not shown")
	}
	if !m.isFaithful(kubeletconfig.Hash(content)) {
		t.Errorf("content and hash do not belong together: %s", m.Content)
	}
}

func TestPermissions(t *testing.T) {
	for text, want := range map[string]fs.FileMode{"0644": 0o644, "600": 0o600, "0000": 0} {
		got, err := parsePermission(text)
		if err != nil || got != want {
			t.Errorf("parsePermission(%q) = %s, %v", text, got, err)
		}
	}
	for mode, want := range map[fs.FileMode]string{
		0o644: "0644", 0: "0000", 0o755 | fs.ModeSetuid: "4755", 0o755 | fs.ModeSetgid: "2755", 0o777 | fs.ModeSticky: "1777",
	} {
		if got := formatPermission(mode); got != want {
			t.Errorf("formatPermission(%s) = %s, want %s", mode, got, want)
		}
	}
	same := permissionMeaning{}.Same
	if !same("644", "0644") || same("644", "600") || same("4755", "755") || !same("x", "x") || same("x", "y") || same("644", "x") || same("x", "644") {
		t.Error("permissions are compared wrongly")
	}
	m := model{FilePermission: newPermission("x"), DirectoryPermission: newPermission("9")}
	if _, diags := m.permissions(); diags.ErrorsCount() != 2 {
		t.Errorf("got %v", diags)
	}
}

func TestDurationsAreWrittenAsPeopleDo(t *testing.T) {
	for _, text := range []string{"12h", "1h30m", "5m", "90ms", "0s", "1h0m1s", "10m", "20h", "1m30s", "-5m"} {
		duration, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := kubeletconfig.FormatDuration(duration); got != text {
			t.Errorf("FormatDuration(%s) = %s, want %s", duration, got, text)
		}
	}
}

func TestEveryPlaceHasAnAttribute(t *testing.T) {
	at := func(provider int, field kubeletconfig.Field, element int) string {
		return attributePath(kubeletconfig.Location{Provider: provider, Field: field, Element: element}).String()
	}
	for want, got := range map[string]string{
		"api_version":                         at(kubeletconfig.None, kubeletconfig.FieldAPIVersion, kubeletconfig.None),
		"providers":                           at(kubeletconfig.None, kubeletconfig.FieldProviders, kubeletconfig.None),
		"providers[1].name":                   at(1, kubeletconfig.FieldName, kubeletconfig.None),
		"providers[1].api_version":            at(1, kubeletconfig.FieldAPIVersion, kubeletconfig.None),
		"providers[0].match_images[2]":        at(0, kubeletconfig.FieldMatchImages, 2),
		"providers[0].default_cache_duration": at(0, kubeletconfig.FieldDefaultCacheDuration, kubeletconfig.None),
		"providers[0].token_attributes":       at(0, kubeletconfig.FieldTokenAttributes, kubeletconfig.None),
		"providers[0].token_attributes.service_account_token_audience":              at(0, kubeletconfig.FieldAudience, kubeletconfig.None),
		"providers[0].token_attributes.cache_type":                                  at(0, kubeletconfig.FieldCacheType, kubeletconfig.None),
		"providers[0].token_attributes.require_service_account":                     at(0, kubeletconfig.FieldRequireServiceAccount, kubeletconfig.None),
		"providers[0].token_attributes.required_service_account_annotation_keys[1]": at(0, kubeletconfig.FieldRequiredAnnotationKeys, 1),
		"providers[0].token_attributes.optional_service_account_annotation_keys":    at(0, kubeletconfig.FieldOptionalAnnotationKeys, kubeletconfig.None),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
