package cioidcprovider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "aktrust_ci_oidc_provider.test"

// provider gives the configuration of one provider with these arguments.
func provider(server *emulator.Server, arguments ...string) string {
	return acctest.ProviderBlock(server) + "resource \"aktrust_ci_oidc_provider\" \"test\" {\n  " +
		strings.Join(arguments, "\n  ") + "\n}\n"
}

// minimal is a provider with nothing but what is required.
func minimal(name string) []string {
	return []string{
		fmt.Sprintf("name = %q", name), `provider_type = "kubernetes"`, `issuer_url = "https://oidc.example.com/prod"`,
	}
}

func with(lines []string, more ...string) []string {
	return append(append([]string{}, lines...), more...)
}

func keys(kids ...string) string { return acctest.KeySet(kids...) }

// remote compares the registry's one provider whole, ids and times aside.
func remote(server *emulator.Server, want emulator.Provider) resource.TestCheckFunc {
	return func(*terraform.State) error {
		all := server.State().Providers
		if len(all) != 1 {
			return fmt.Errorf("the registry has %d providers, want 1", len(all))
		}
		got := all[0]
		want.ID, want.CreatedAt, want.UpdatedAt = got.ID, got.CreatedAt, got.UpdatedAt
		if !acctest.SameJSON(string(got.StaticJWKS), string(want.StaticJWKS)) {
			return fmt.Errorf("static_jwks is %s, want %s", got.StaticJWKS, want.StaticJWKS)
		}
		got.StaticJWKS, want.StaticJWKS = nil, nil
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			return fmt.Errorf("the registry has\n%+v, want\n%+v", got, want)
		}
		return nil
	}
}

func gone(server *emulator.Server) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if n := len(server.State().Providers); n != 0 {
			return fmt.Errorf("the registry still has %d providers", n)
		}
		return nil
	}
}

// empty expects that a plan after the step changes nothing.
var empty = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

func value(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want)
}

// The life of a provider: made with defaults, every attribute changed, cleared again, imported at each step.
func TestLife(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	base := emulator.Provider{Name: "prod", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com/prod",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"}
	static := emulator.Provider{Name: "prod-2", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com/prod/",
		Audience: "registry", KeySource: "static", StaticJWKS: []byte(keys("a", "b"))}
	imported := resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true}
	byName := func(name string) resource.TestStep {
		return resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "name:" + name, ImportStateVerify: true,
			// An import has the registry's form of the key set, which plans nothing.
			ImportStateVerifyIgnore: []string{"static_jwks"}}
	}
	changed := []string{`name = "prod-2"`, `provider_type = "kubernetes"`, `issuer_url = "https://oidc.example.com/prod/"`,
		`audience = "registry"`, "is_enabled = false"}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		CheckDestroy:             gone(server),
		Steps: []resource.TestStep{
			{
				Config: provider(server, minimal("prod")...), ConfigPlanChecks: empty, Check: remote(server, base),
				ConfigStateChecks: []statecheck.StateCheck{
					value("audience", knownvalue.StringExact("artifact-keeper")), value("is_enabled", knownvalue.Bool(true)),
					value("key_source", knownvalue.StringExact("discovery")), value("static_jwks", knownvalue.Null()),
					value("key_ids", knownvalue.ListSizeExact(0)),
				},
			},
			imported, byName("prod"),
			{
				Config:           provider(server, with(changed, "static_jwks = "+acctest.HCL(keys("b", "a")))...),
				ConfigPlanChecks: empty, Check: remote(server, static),
				ConfigStateChecks: []statecheck.StateCheck{
					value("key_source", knownvalue.StringExact("static")),
					value("key_ids", knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("a"), knownvalue.StringExact("b")})),
				},
			},
			byName("prod-2"),
			{ // The same set in another order and form is no change.
				Config:           provider(server, with(changed, "static_jwks = jsonencode(jsondecode("+acctest.HCL(keys("a", "b"))+"))")...),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{ // A removed line does not unpin.
				Config:      provider(server, changed...),
				ExpectError: regexp.MustCompile(`The keys would be unpinned`),
			},
			{ // Everything back to its default.
				Config:           provider(server, with(minimal("prod"), `key_source = "discovery"`)...),
				ConfigPlanChecks: empty, Check: remote(server, base),
			},
			imported,
			{
				Config:           provider(server, minimal("prod")...),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
}
