//go:build linux

package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// The README's commands make a group that may read the repository. They may be run again, and stop where something is missing
// before they grant anything.
func TestReadmeMakesAGroupThatMayRead(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	registry.AddGroup("all-team-readers", "")
	m := newMachine(t)
	if _, err := exec.LookPath("jq"); err != nil {
		m.stub("jq", noJQ)
	}
	authority := filepath.Join(t.TempDir(), "ca.crt")
	writeFile(t, authority, registry.CACertificate(), 0o600)
	_, text, _ := strings.Cut(readFile(t, directory(t, "..", "README.md")), "\n### 1. A group that may read\n\n")
	_, text, _ = strings.Cut(text, "\n```sh\n")
	text, _, _ = strings.Cut(text, "\n```\n")
	text = strings.NewReplacer("https://ak.example.com", registry.URL(), "=...", "="+registry.Token()).Replace(text)
	run := func() (int, string) { return m.command("env", "CURL_CA_BUNDLE="+authority, "bash", "-c", text) }

	if code, out := run(); code == 0 || strings.Count(out, "curl: (22)") != 1 || !strings.Contains(out, "404") {
		t.Errorf("without a repository they exit with %d, and the one refusal should be that there is none:\n%s", code, out)
	}
	registry.AddRepository(emulator.Repository{Key: "team"})
	if code, out := run(); code != 0 {
		t.Errorf("they exit with %d:\n%s", code, out)
	}
	_, out := run()
	acctest.Says(t, out, "Group name already exists", "Permission already exists")
	state := registry.State()
	same(t, "groups and permissions", []int{2, 1}, []int{len(state.Groups), len(state.Permissions)})
	granted := state.Permissions[0]
	same(t, "who may do what", []string{state.Groups[1].ID, state.Repositories[0].ID, "read"},
		append([]string{granted.PrincipalID, granted.TargetID}, granted.Actions...))
}

// noJQ answers the README's two questions where there is no jq, and fails like jq -e where there is no answer.
const noJQ = `case "$2" in
.id) pattern='"id":"[^"]*"' ;;
*) pattern='"id":"[^"]*","name":"team-readers"' ;;
esac
answer=$(grep -o "$pattern" | head -n 1 | cut -d '"' -f 4)
[ -n "$answer" ] && echo "$answer"`

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
