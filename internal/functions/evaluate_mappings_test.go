package functions_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
)

// verdict is what the function says.
type verdict struct {
	Winner  *string
	Results []struct {
		Name    string
		Matches bool
		Reasons []string
	}
}

// String is the verdict on one line for each mapping.
func (v verdict) String() string {
	winner := "nobody"
	if v.Winner != nil {
		winner = *v.Winner
	}
	out := []string{"winner: " + winner}
	for _, r := range v.Results {
		out = append(out, fmt.Sprintf("%s %t: %s", r.Name, r.Matches, strings.Join(r.Reasons, " | ")))
	}
	return strings.Join(out, "\n")
}

// evaluations are arguments in HCL, and what the function says to them.
var evaluations = []struct {
	name, mappings, claims string
	want                   []string
}{
	{"none", `[]`, `{}`, []string{"winner: nobody"}},
	{"one that matches", `[{ name = "a", claim_filters = { sub = "x" } }]`, `{ sub = "x" }`, []string{"winner: a", "a true: "}},
	{
		"texts", `[{ name = "a", claim_filters = jsonencode({ sub = "x" }) }]`, `jsonencode({ sub = "x" })`,
		[]string{"winner: a", "a true: "},
	},
	{
		"every token", `[{ name = "a", claim_filters = {} }]`, `{}`, []string{"winner: a", "a true: "},
	},
	{
		"priority, then place",
		`[{ name = "d", claim_filters = {} }, { name = "c", claim_filters = {}, priority = 100 },
		  { name = "b", claim_filters = {}, priority = 99 }, { name = "a", claim_filters = { sub = "y" }, priority = -1 },
		  { name = "e", claim_filters = {}, priority = null, is_enabled = null }]`, `{ sub = "x" }`,
		[]string{
			"winner: b", `a false: sub: the filter wants "y", the claim is "x"`, "b true: ", `d true: "b" comes first and wins`,
			`c true: "b" comes first and wins`, `e true: "b" comes first and wins`,
		},
	},
	{
		"disabled",
		`[{ name = "off", claim_filters = {}, is_enabled = false }, { name = "off, too", claim_filters = { sub = "y" }, is_enabled = false },
		  { name = "on", claim_filters = { sub = "x" }, is_enabled = true }]`, `{ sub = "x" }`,
		[]string{
			"winner: on", "off true: the mapping is disabled",
			`off, too false: the mapping is disabled | sub: the filter wants "y", the claim is "x"`, "on true: ",
		},
	},
	{
		"nobody, and why",
		`[{ name = "case", claim_filters = { "/kubernetes.io/namespace" = "Team", sub = "x" } },
		  { name = "dots", claim_filters = { "kubernetes.io.namespace" = "team" } },
		  { name = "type", claim_filters = { "/n" = "1" } },
		  { name = "never", claim_filters = { sub = [] } }]`,
		`{ "kubernetes.io" = { namespace = "team" }, sub = "x", n = 1 }`,
		[]string{
			"winner: nobody",
			`case false: /kubernetes.io/namespace: the filter wants "Team", the claim is "team"; upper and lower case count`,
			`dots false: kubernetes.io.namespace: the filter wants "team", the token has no such claim; did you mean /kubernetes.io/namespace, which is "team"?`,
			`type false: /n: the filter wants "1", the claim is 1; the filter has a string and the claim is a number; write 1`,
			`never false: sub: the filter wants one of nothing, the claim is "x"; an empty list never matches`,
		},
	},
	{
		"types are kept", `[{ name = "a", claim_filters = { b = true, n = 1, l = [null, "x"], o = { x = [1] } } }]`,
		`{ b = true, n = 1, o = { x = [1] } }`, []string{"winner: a", "a true: "},
	},
	{
		"maps and lists of one type", `tolist([{ name = "a", claim_filters = tomap({ sub = "x" }) }])`, `tomap({ sub = "x" })`,
		[]string{"winner: a", "a true: "},
	},
	{
		"what else a mapping has",
		`[{ id = "i", provider_id = "p", name = "a", claim_filters = {}, allowed_repo_ids = null, group_binding_ids = [],
		  service_account_id = "s", service_account_username = "u", created_at = "c", updated_at = "u" }]`, `{}`,
		[]string{"winner: a", "a true: "},
	},
}

// Core hands both arguments over in every form, and gets the registry's verdict with its reasons.
func TestEvaluateMappings(t *testing.T) {
	var config strings.Builder
	for i, c := range evaluations {
		fmt.Fprintf(&config, "output \"o%d\" { value = provider::aktrust::evaluate_mappings(%s, %s) }\n", i, c.mappings, c.claims)
	}
	w := workspace(t, config.String(), nil)
	w.Apply()
	w.Plan(0)
	for i, c := range evaluations {
		same(t, c.name, strings.Join(c.want, "\n"), output[verdict](t, w, fmt.Sprint("o", i)).String())
	}
}

// What cannot be used is refused in words that name the place, and nothing else is.
func TestEvaluateMappingsRefused(t *testing.T) {
	const sound = `[{ name = "a", claim_filters = {} }]`
	w := workspace(t, "", nil)
	for _, c := range []struct{ mappings, claims, says string }{
		{`null`, `{}`, `"mappings" parameter`},
		{`"x"`, `{}`, `"mappings" parameter: have to be a list of objects, but their type is string`},
		{`{ a = {} }`, `{}`, `"mappings" parameter: have to be a list of objects, but their type is object`},
		{`toset([{ name = "a", claim_filters = "{}" }])`, `{}`, "a set has no order"},
		{`[{ name = "a", claim_filters = {} }, null]`, `{}`, "[1]: is null"},
		{`["a"]`, `{}`, "[0]: has to be an object such as"},
		{`[{ claim_filters = {} }]`, `{}`, "[0]: name is missing or null"},
		{`[{ name = null, claim_filters = {} }]`, `{}`, "[0]: name is missing or null"},
		{`[{ name = 1, claim_filters = {} }]`, `{}`, "[0]: name has to be a string, but its type is number"},
		{`[{ name = "a" }]`, `{}`, "[0]: claim_filters is missing or null"},
		{`[{ name = "a", claim_filters = null }]`, `{}`, "[0]: claim_filters is missing or null"},
		{`[{ name = "a", claim_filters = "" }]`, `{}`, "[0]: claim_filters are refused: claim filters are a JSON object"},
		{`[{ name = "a", claim_filters = [] }]`, `{}`, "[0]: claim_filters are refused: claim filters are a JSON object"},
		{`[{ name = "a", claim_filters = { "/a~2" = 1 } }]`, `{}`, `claim filter "/a~2" is not a JSON Pointer`},
		{`[{ name = "a", claim_filters = {}, priority = "1" }]`, `{}`, "[0]: priority has to be a number, but its type is string"},
		{`[{ name = "a", claim_filters = {}, priority = 1.5 }]`, `{}`, "priority is 1.5, and has to be a whole number"},
		{`[{ name = "a", claim_filters = {}, priority = 2147483648 }]`, `{}`, "between -2147483648 and 2147483647"},
		{`[{ name = "a", claim_filters = {}, is_enabled = "no" }]`, `{}`, "[0]: is_enabled has to be a bool, but its type is string"},
		{`[{ name = "a", claim_filters = {}, enabled = false }]`, `{}`, `[0]: a mapping has no "enabled"; it has name, claim_filters, priority`},
		{sound, `null`, `"claims" parameter`},
		{sound, `""`, `"claims" parameter: claims are a JSON object`},
		{sound, `"[]"`, `"claims" parameter: claims are a JSON object, this is an array`},
		{sound, `["a"]`, `"claims" parameter: have to be an object of claims, or JSON text of one, but their type is tuple`},
		{sound, `1`, `"claims" parameter: have to be an object of claims, or JSON text of one, but their type is number`},
	} {
		w.Config("output \"o\" { value = provider::aktrust::evaluate_mappings(" + c.mappings + ", " + c.claims + ") }\n")
		acctest.Says(t, w.Plan(1), c.says)
	}
}

// Mappings come as they are from the resource and from the data source. While something is unknown, core does not ask.
func TestEvaluateMappingsOfARegistry(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	p, err := server.AddProvider(emulator.Provider{Name: "p", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com", IsEnabled: true})
	if err != nil {
		t.Fatal(err)
	}
	w := workspace(t, acctest.ProviderBlock(server)+fmt.Sprintf(`
resource "aktrust_ci_oidc_mapping" "m" {
  provider_id       = %[1]q
  name              = "pods"
  claim_filters     = { "/kubernetes.io/namespace" = "team", "/n" = [1, 2] }
  group_binding_ids = []
}
data "aktrust_ci_oidc_mappings" "all" {
  provider_id = %[1]q
  depends_on  = [aktrust_ci_oidc_mapping.m]
}
locals { claims = { "kubernetes.io" = { namespace = "team" }, n = 2 } }
output "resource" { value = provider::aktrust::evaluate_mappings([aktrust_ci_oidc_mapping.m], local.claims) }
output "data" { value = provider::aktrust::evaluate_mappings(data.aktrust_ci_oidc_mappings.all.mappings, local.claims) }
`, p.ID), nil)
	w.Plan(2)
	w.Apply()
	w.Plan(0)
	for _, name := range []string{"resource", "data"} {
		same(t, name, "winner: pods\n"+"pods true: ", output[verdict](t, w, name).String())
	}
}

// Numbers of claims are compared as they were written, however many digits they have.
func TestEvaluateMappingsKeepsDigits(t *testing.T) {
	number, _, err := big.ParseFloat("9007199254740993", 10, 512, big.ToNearestEven) // A float64 has no such number.
	if err != nil {
		t.Fatal(err)
	}
	mappings := types.TupleValueMust([]attr.Type{types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType,
		"claim_filters": types.StringType}}}, []attr.Value{object(map[string]attr.Value{"name": text("a"),
		"claim_filters": text(`{"n":9007199254740993}`)})})
	for claim, wins := range map[attr.Value]bool{types.NumberValue(number): true, types.NumberValue(big.NewFloat(9007199254740992)): false} {
		got, failure := call(t, functions.NewEvaluateMappings, types.DynamicValue(mappings),
			types.DynamicValue(object(map[string]attr.Value{"n": claim})))
		if failure != nil {
			t.Fatal(failure)
		}
		if diff := cmp.Diff(wins, !got.(types.Object).Attributes()["winner"].IsNull()); diff != "" {
			t.Errorf("%s: %s", claim, diff)
		}
	}
}
