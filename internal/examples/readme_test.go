//go:build linux

package examples_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

var hcl = regexp.MustCompile("(?s)\n```hcl\n(.*?)\n```\n")

// section gives the HCL below a headline of the README.
func section(t *testing.T, headline string) string {
	t.Helper()
	_, rest, found := strings.Cut(readFile(t, directory(t, "..", "README.md")), "\n"+headline+"\n")
	block := hcl.FindStringSubmatch(rest)
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
	text := section(t, "## A first configuration") + section(t, "### Is it true?")
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
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
}
