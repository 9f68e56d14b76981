package kubeletconfig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// file is a document with one provider, whose members follow.
func file(version, members string) string {
	return "apiVersion: " + version + "\nkind: CredentialProviderConfig\nproviders:\n- name: ak\n" + members
}

func TestDecodeReadsEveryMember(t *testing.T) {
	for _, text := range []string{fullYAML, fullJSON, "\ufeff" + fullYAML, strings.ReplaceAll(fullYAML, "\n", "\r\n"), "---\n" + fullYAML} {
		got, err := kubeletconfig.Decode([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(full(), got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestDecodeReadsOlderVersions(t *testing.T) {
	for _, version := range kubeletconfig.FileVersions() {
		got, err := kubeletconfig.Decode([]byte(file(version, "  env:\n  - {name: A, value: b}\n  args: []\n")))
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		want := kubeletconfig.Config{APIVersion: version, Providers: []kubeletconfig.Provider{{
			Name: "ak", Args: []string{}, Env: []kubeletconfig.EnvVar{{Name: "A", Value: "b"}},
		}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", version, diff)
		}
	}
}

func TestDecodeReadsOnlyTheFirstDocument(t *testing.T) {
	got, err := kubeletconfig.Decode([]byte(fullYAML + "---\nthis: is never looked at\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeErrorsSayWhatToDo(t *testing.T) {
	v1 := kubeletconfig.FileV1
	for _, c := range []struct{ name, text, message, remedy string }{
		{"no kind", "apiVersion: " + v1, "Object 'Kind' is missing", "only the first is read"},
		{"no version", "kind: CredentialProviderConfig", "Object 'apiVersion' is missing", "must start with apiVersion: " + v1},
		{"another kind", "apiVersion: " + v1 + "\nkind: KubeletConfiguration", "no kind", "kind: CredentialProviderConfig"},
		{"kind of the machinery", "apiVersion: v1\nkind: Status", "no kind", "older versions"},
		{"attributes of v1", file(kubeletconfig.FileV1beta1, "  tokenAttributes: {}\n"), "unknown field", "only in files of apiVersion " + v1},
		{"unknown member", file(v1, "  matchImage: []\n"), "unknown field", "spelling"},
		{"member twice", file(v1, "  args: []\n  args: []\n"), "already set", "remove one"},
		{"member twice in JSON", `{"apiVersion":"` + v1 + `","kind":"CredentialProviderConfig","providers":[],"providers":[]}`, "duplicate field", "remove one"},
		{"merge key overridden", file(v1, "  <<: {args: [a]}\n  args: [b]\n"), "already set", "remove one"},
		{"bare boolean", file(v1, "  env: [{name: A, value: y}]\n"), "cannot unmarshal bool", "quotes"},
		{"bare number", file(v1, "  env: [{name: A, value: 1}]\n"), "cannot unmarshal number", "quotes"},
		{"duration without unit", file(v1, "  defaultCacheDuration: 5\n"), "defaultCacheDuration of type string", `"5m"`},
		{"duration in days", file(v1, "  defaultCacheDuration: 1d\n"), `unknown unit "d"`, "no unit for days"},
		{"tab", file(v1, "\tenv: []\n"), "tab character", "spaces"},
		{"trailing data", `{"kind":"x"} {}`, "after top-level value", "closing brace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := kubeletconfig.Decode([]byte(c.text))
			var refused *kubeletconfig.DecodeError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(refused.Message, c.message) || !strings.Contains(refused.Remedy, c.remedy) {
				t.Errorf("message %q (want %q), remedy %q (want %q)", refused.Message, c.message, refused.Remedy, c.remedy)
			}
			if refused.Advice() != refused.Remedy || refused.Unwrap() == nil {
				t.Error("the remedy or the cause is lost")
			}
		})
	}
}

func TestDecodeErrorsRepeatNoValues(t *testing.T) {
	const secret = "s3cr3t-of-a-proxy"
	for _, text := range []string{
		"env: [{name: A, value: " + secret + "}]",
		`{"providers":[{"env":[{"name":"A","value":"` + secret + `"}]}]}`,
		"apiVersion: x/y\nkind: Z\nenv: " + secret,
	} {
		_, err := kubeletconfig.Decode([]byte(text))
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v", err)
		}
	}
}
