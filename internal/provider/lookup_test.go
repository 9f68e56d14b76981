package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// The data sources that look ids up give everything that the API tells.
func TestLookups(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	group := server.AddGroup("team", "readers of team")
	server.AddGroup("team-2", "team")
	repository := server.AddRepository(emulator.Repository{Key: "team", Name: "Team", Description: "images", Format: "docker",
		RepoType: "local", IsPublic: true})
	const g, r = "data.aktrust_group.g", "data.aktrust_repository.r"
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps: []resource.TestStep{{
			Config: acctest.ProviderBlock(server) + lookup("team", "team"),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(g, "id", group.ID), resource.TestCheckResourceAttr(g, "description", "readers of team"),
				resource.TestCheckResourceAttr(g, "member_count", "0"), resource.TestCheckNoResourceAttr(g, "external_source"),
				resource.TestCheckResourceAttr(r, "id", repository.ID), resource.TestCheckResourceAttr(r, "name", "Team"),
				resource.TestCheckResourceAttr(r, "description", "images"), resource.TestCheckResourceAttr(r, "format", "docker"),
				resource.TestCheckResourceAttr(r, "repo_type", "local"), resource.TestCheckResourceAttr(r, "is_public", "true"),
			),
		}},
	})
}

func lookup(group, repository string) string {
	return fmt.Sprintf("data \"aktrust_group\" \"g\" {\n  name = %q\n}\ndata \"aktrust_repository\" \"r\" {\n  key = %q\n}\n", group, repository)
}

func TestLookupsThatFail(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	server.AddGroup("Team", "")
	w := acctest.NewWorkspace(t, "")
	cases := []struct {
		name, group, repository string
		fault                   emulator.Kind
		says                    []string
	}{
		{"none", "nobody", "nowhere", "", []string{`no group named "nobody"`, `no repository with the key "nowhere"`, "Create it first"}},
		{"another case", "team", "nowhere", "", []string{`there is "Team"`}},
		{"empty", "", "", "", []string{"name must not be empty. Write the name of the group", "key must not be empty. Write the key of the repository"}},
		{"forbidden", "Team", "x", emulator.Forbidden, []string{`Cannot read the group "Team"`, `Cannot read the repository "x"`, "administrator"}},
		{"a missing route", "Team", "x", emulator.NotFoundEmpty, []string{"not the registry's own not-found answer"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.fault != "" {
				defer server.Inject(emulator.Fault{Kind: c.fault}).Remove()
			}
			w.Config(acctest.ProviderBlock(server) + lookup(c.group, c.repository))
			acctest.Says(t, w.Expect(1, "plan", "-no-color"), c.says...)
		})
	}
}
