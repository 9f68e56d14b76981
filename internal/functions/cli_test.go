package functions_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// workspace is a configuration with files beside it.
func workspace(t *testing.T, config string, files map[string]string) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t, config)
	for name, content := range files {
		if err := w.Write(name, content); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// output applies and gives the value of an output.
func output[T any](t *testing.T, w *acctest.Workspace, name string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(w.Expect(0, "output", "-json", name)), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Core hands texts over as the kubelet would read them, and catches what is refused.
func TestVectorsUnderTheCLI(t *testing.T) {
	w := workspace(t, `
locals {
  patterns = jsondecode(file("${path.module}/match-images.json"))
  configs  = jsondecode(file("${path.module}/credential-provider-configs.json"))
}
output "matches" {
  value = [for v in local.patterns : provider::aktrust::image_matches(v.pattern, v.image)]
}
output "providers" {
  value = [for v in local.patterns : try(provider::aktrust::matching_providers(jsonencode({
    apiVersion = "kubelet.config.k8s.io/v1"
    kind       = "CredentialProviderConfig"
    providers  = [{
      name = "it", matchImages = [v.pattern], defaultCacheDuration = "5m", apiVersion = "credentialprovider.kubelet.k8s.io/v1"
    }]
  }), v.image), ["refused"])]
}
output "parses" {
  value = [for v in local.configs : can(provider::aktrust::parse_credential_provider_config(v.document))]
}
output "lists" {
  value = [for v in local.configs : can(provider::aktrust::matching_providers(v.document, "ak.test/app"))]
}
output "nulls" {
  value = [
    can(provider::aktrust::image_matches(null, "ak.test")),
    can(provider::aktrust::matching_providers("", null)),
    can(provider::aktrust::parse_credential_provider_config(null)),
    can(provider::aktrust::ak_kubelet_provider(null, "a", ["ak.test"])),
    can(provider::aktrust::ak_kubelet_provider("https://ak.test", "a", null)),
  ]
}
`, map[string]string{
		"match-images.json":                readFile(t, filepath.Join(testdata, "match-images.json")),
		"credential-provider-configs.json": readFile(t, filepath.Join(testdata, "credential-provider-configs.json")),
	})
	w.Apply()
	w.Plan(0)

	var matches, accepted []bool
	var providers [][]string
	for _, v := range matchVectors(t) {
		matches = append(matches, v.Matches)
		switch {
		case strings.HasPrefix(v.Error, "parse "):
			providers = append(providers, []string{"refused"})
		case v.Matches:
			providers = append(providers, []string{"it"})
		default:
			providers = append(providers, []string{})
		}
	}
	for _, v := range configVectors(t) {
		accepted = append(accepted, v.Accepted)
	}
	same(t, "image_matches", matches, output[[]bool](t, w, "matches"))
	same(t, "matching_providers", providers, output[[][]string](t, w, "providers"))
	same(t, "parse_credential_provider_config", accepted, output[[]bool](t, w, "parses"))
	same(t, "matching_providers of files", accepted, output[[]bool](t, w, "lists"))
	same(t, "nulls", make([]bool, 5), output[[]bool](t, w, "nulls"))
}

func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

// sound are the vectors that the kubelet accepts, by the name of a file.
func sound(t *testing.T) map[string]string {
	t.Helper()
	documents := map[string]string{}
	for i, v := range configVectors(t) {
		if v.Accepted {
			documents[fmt.Sprintf("vector-%d.yaml", i)] = v.Document
		}
	}
	if len(documents) == 0 {
		t.Fatal("no vector is accepted")
	}
	return documents
}

// files manages one file for each document in a folder: with what the document says.
const files = `
resource "aktrust_credential_provider_config" "test" {
  for_each    = fileset("${path.module}/documents", "*")
  path        = "${path.module}/nodes/${each.key}"
  api_version = provider::aktrust::parse_credential_provider_config(file("${path.module}/documents/${each.key}")).api_version
  providers   = provider::aktrust::parse_credential_provider_config(file("${path.module}/documents/${each.key}")).providers
}
`

// withDocuments puts the documents into a folder of the workspace.
func withDocuments(t *testing.T, w *acctest.Workspace, folder string, documents map[string]string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(w.Dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, document := range documents {
		path := filepath.Join(w.Dir, folder, name)
		if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
		// Whatever the umask says.
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What is parsed can be written again: to the kubelet the file is the same.
func TestParsedFilesAreWrittenAgain(t *testing.T) {
	documents := sound(t)
	w := workspace(t, files, nil)
	withDocuments(t, w, "documents", documents)
	w.Apply()
	w.Plan(0)
	for name, document := range documents {
		want, err := kubeletconfig.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		written := readFile(t, filepath.Join(w.Dir, "nodes", name))
		got, err := kubeletconfig.Parse([]byte(written))
		if err != nil || !got.Equal(want) {
			t.Errorf("%v\nfrom\n%s\nbecame\n%s", err, document, written)
		}
	}
}

// What is parsed from a file that is there, and imported, plans nothing but the import.
func TestParsedFilesAreImported(t *testing.T) {
	documents := sound(t)
	w := workspace(t, files+`
import {
  for_each = fileset("${path.module}/documents", "*")
  to       = aktrust_credential_provider_config.test[each.key]
  id       = "${path.module}/nodes/${each.key}"
}
`, nil)
	withDocuments(t, w, "documents", documents)
	withDocuments(t, w, "nodes", documents)
	acctest.Says(t, w.Apply(), fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", len(documents)))
	w.Plan(0)
	for name, document := range documents {
		if readFile(t, filepath.Join(w.Dir, "nodes", name)) != document {
			t.Errorf("%s was written", name)
		}
	}
}

// A function is not called while something in its arguments is unknown. Everything else of the plan goes on.
func TestUnknownArguments(t *testing.T) {
	w := workspace(t, `
resource "terraform_data" "late" {
  input = {
    url      = "https://ak.test"
    image    = "ak.test/app"
    provider = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    text     = file("${path.module}/late.yaml")
  }
}
locals { late = terraform_data.late.output }
resource "aktrust_credential_provider_config" "test" {
  path      = "${path.module}/test.yaml"
  providers = concat(
    [
      provider::aktrust::ak_kubelet_provider(local.late.url, "a", ["ak.test"], { name = "url" }),
      provider::aktrust::ak_kubelet_provider("https://ak.test", "a", ["x.test", local.late.image], { name = "image" }),
      provider::aktrust::ak_kubelet_provider("https://ak.test", "a", ["ak.test"], { name = "option", provider_id = local.late.provider }),
      { name = "written", match_images = ["ak.test"], default_cache_duration = "5m" },
    ],
    true ? [provider::aktrust::ak_kubelet_provider("https://ak.test", "a", ["ak.test"], { name = "known" })] : [],
    provider::aktrust::parse_credential_provider_config(file("${path.module}/late.yaml")).providers,
  )
}
resource "aktrust_credential_provider_config" "parsed" {
  path      = "${path.module}/parsed.yaml"
  providers = provider::aktrust::parse_credential_provider_config(local.late.text).providers
}
output "matches" { value = provider::aktrust::image_matches("ak.test", local.late.image) }
output "plugins" { value = provider::aktrust::matching_providers(local.late.text, local.late.image) }
`, map[string]string{"late.yaml": configOf("ak.test")})
	w.Plan(2)
	w.Apply()
	w.Plan(0)
	config, err := kubeletconfig.Parse([]byte(readFile(t, filepath.Join(w.Dir, "test.yaml"))))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(config.Providers))
	for i, provider := range config.Providers {
		names[i] = provider.Name
	}
	same(t, "providers", []string{"url", "image", "option", "written", "known", "it"}, names)
	same(t, "args", []string{"--url=https://ak.test", "--provider-id=3f2504e0-4f89-41d3-9a0c-0305e82c3301"}, config.Providers[2].Args)
	if !output[bool](t, w, "matches") || !slices.Equal(output[[]string](t, w, "plugins"), []string{"it"}) {
		t.Error("the pattern does not match")
	}
}

// A refusal names the argument and keeps its lines.
func TestRefusalsUnderTheCLI(t *testing.T) {
	for call, says := range map[string][]string{
		`parse_credential_provider_config(file("${path.module}/config.yaml"))`: {
			`Invalid value for "text" parameter: over this file the kubelet exits at start, saying:`,
			`What to do: providers[0] "it": matchImages[0]: write HOST[:PORT][/PATH]`,
		},
		`matching_providers(file("${path.module}/config.yaml"), "ak.test")`:          {`Invalid value for "text" parameter: over this file`},
		`ak_kubelet_provider("http://ak.test", "a", ["ak.test"])`:                    {`Invalid value for "url" parameter: http:// is refused`},
		`issuer_documents("https://ak.test/", "")`:                                   {`Invalid value for "issuer" parameter: it ends in a slash`},
		`ak_kubelet_provider("https://ak.test", "a", [])`:                            {`Invalid value for "match_images" parameter: over this the kubelet`},
		`ak_kubelet_provider("https://ak.test", "a", ["ak.test"], {timeout = 5})`:    {`Invalid value for "options" parameter: timeout has to be a string, but its type is number`},
		`ak_kubelet_provider("https://ak.test", "a", ["ak.test"], {}, {name = "a"})`: {`Invalid value for "options" parameter: there can be one object of options only`},
	} {
		t.Run(call, func(t *testing.T) {
			w := workspace(t, `output "test" { value = provider::aktrust::`+call+` }`, map[string]string{"config.yaml": configOf("ak.test:*")})
			acctest.Says(t, w.Plan(1), says...)
		})
	}
}

// What the reference shows can be applied, and says what it says it does.
func TestExamples(t *testing.T) {
	const examples = "../../examples/functions"
	run := func(t *testing.T, name string, files ...string) *acctest.Workspace {
		t.Helper()
		contents := map[string]string{}
		for _, file := range files {
			contents[file] = readFile(t, filepath.Join(examples, name, file))
		}
		w := workspace(t, readFile(t, filepath.Join(examples, name, "function.tf")), contents)
		w.Apply()
		w.Plan(0)
		return w
	}
	same(t, "unmatched", []string{"ak.example.com/team-b/app:1.0"}, output[[]string](t, run(t, "image_matches"), "unmatched"))
	same(t, "plugins", []string{"ecr-credential-provider"}, output[[]string](t, run(t, "matching_providers", "config.json"), "plugins"))
	evaluated := run(t, "evaluate_mappings")
	same(t, "allowed", "team", output[string](t, evaluated, "allowed"))
	same(t, "denied", (*string)(nil), output[verdict](t, evaluated, "denied").Winner)
	files := output[map[string]string](t, run(t, "issuer_documents", "jwks.json"), "files")
	same(t, "files", []string{"clusters/prod/.well-known/openid-configuration", "clusters/prod/openid/v1/jwks"}, slices.Sorted(maps.Keys(files)))
	for _, w := range []*acctest.Workspace{
		run(t, "ak_kubelet_provider"),
		run(t, "parse_credential_provider_config", "config.json"),
	} {
		config, err := kubeletconfig.Parse([]byte(readFile(t, filepath.Join(w.Dir, "credential-provider.yaml"))))
		if err != nil {
			t.Fatal(err)
		}
		names, err := kubeletconfig.MatchingProviders(config, "ak.example.com/team/app:1.0")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "providers", []string{"ak-kubelet-provider"}, names)
		if len(config.Providers) != 2 {
			t.Errorf("there are %d providers", len(config.Providers))
		}
	}
	entries, err := os.ReadDir(examples)
	if err != nil || len(entries) != 6 {
		t.Errorf("there are %d examples (%v); are they all run above?", len(entries), err)
	}
}
