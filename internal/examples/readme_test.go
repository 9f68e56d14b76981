//go:build linux

package examples_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

var hclBlock = regexp.MustCompile("(?s)\n```hcl\n(.*?)\n```\n")

// section gives the HCL below a headline of the README.
func section(t *testing.T, headline string) string {
	t.Helper()
	_, rest, found := strings.Cut(readFile(t, directory(t, "..", "README.md")), "\n"+headline+"\n")
	block := hclBlock.FindStringSubmatch(rest)
	if !found || block == nil {
		t.Fatalf("the README has no HCL below %q", headline)
	}
	return block[1] + "\n"
}

// What a new user copies from the README works: it is applied, a second plan is empty, and its check holds.
func TestReadme(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	repository := registry.AddRepository(emulator.Repository{Key: "team"}).ID
	registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: registry.AddGroup("team-readers", "").ID, TargetType: "repository", TargetID: repository,
	})
	plane := cluster(t)
	serviceAccount(t, plane, "team", "default")
	text := section(t, "### 2. The configuration") + section(t, "### 3. Is it true?")
	for _, value := range [][2]string{ // The reader's own, in place of ours.
		{"https://ak.example.com", registry.URL()},
		{`"ak.example.com`, `"` + registry.Host()},
		{`"~/.kube/config"`, acctest.HCL(kubeconfig(t, plane))},
		{`config_context = "prod"`, fmt.Sprintf("config_context = %q", controlplane.Context)},
	} {
		if !strings.Contains(text, value[0]) {
			t.Fatalf("the README does not say %s", value[0])
		}
		text = strings.ReplaceAll(text, value[0], value[1])
	}
	w := acctest.NewWorkspace(t, "")
	write(t, w, "main.tf", text)
	w.Env = append(w.Env, "ARTIFACT_KEEPER_TOKEN="+registry.Token(), "ARTIFACT_KEEPER_CA_CERTIFICATE="+registry.CACertificate())
	w.Plan(2)
	acctest.Silent(t, w.Apply(), "assertion failed")
	acctest.Silent(t, w.Plan(0), "Warning")
	acctest.Says(t, w.Expect(0, "state", "show", "-no-color", "data.aktrust_pull_check.team"), "allowed = true")
	mends(t, w, registry)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
}

// Whoever reads the README finds every object, and every guide both from there and from the first page of the reference.
func TestReadmeNamesEveryObjectAndGuide(t *testing.T) {
	readme, index := readFile(t, directory(t, "..", "README.md")), readFile(t, directory(t, "..", "docs", "index.md"))
	_, table, _ := strings.Cut(readme, "\n## What it serves\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for kind, as := range map[string]string{
		"resources": "\n\\| `aktrust_%s`", "data-sources": "data .*`aktrust_%s`", "ephemeral-resources": "ephemeral .*`aktrust_%s`",
		"functions": "provider::aktrust::.*\\b%s`",
	} {
		for _, name := range pagesOf(t, kind) {
			if !regexp.MustCompile(fmt.Sprintf(as, name)).MatchString(table) {
				t.Errorf("the README's table of objects does not have %s of docs/%s", name, kind)
			}
		}
	}
	for _, guide := range pagesOf(t, "guides") {
		if !strings.Contains(readme, "](docs/guides/"+guide+".md") {
			t.Errorf("the README does not lead to the guide %s", guide)
		}
		if !strings.Contains(index, "](guides/"+guide+".md") {
			t.Errorf("docs/index.md does not lead to the guide %s", guide)
		}
	}
}

// pagesOf gives the names of the pages of a kind.
func pagesOf(t *testing.T, kind string) []string {
	t.Helper()
	entries, err := os.ReadDir(directory(t, "..", "docs", kind))
	if err != nil || len(entries) == 0 {
		t.Fatalf("there are no pages in docs/%s (%v)", kind, err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".md"))
	}
	return names
}
