package attribute_test

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
)

const noteName = "meaning_note.it"

// configuration writes the resource with these arguments, and what may stand before it.
func configuration(arguments string, before ...string) string {
	return strings.Join(before, "\n") + fmt.Sprintf("\nresource \"meaning_note\" \"it\" {\n  name = \"it\"\n%s\n}\n", arguments)
}

// inState checks one argument of the state.
func inState(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(noteName, tfjsonpath.New(name), want)
}

func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func updated() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(noteName, plancheck.ResourceActionUpdate),
	}}
}

// expectWrites compares the number of writes that reached the server.
func expectWrites(s *server, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := s.written(); got != want {
			return fmt.Errorf("got %d writes, want %d", got, want)
		}
		return nil
	}
}

// Every way to write the same is the same: no plan, no write, and the state keeps what was written first. After each
// apply the harness plans again and fails if there is anything to do.
func TestCLISameMeaningIsNoChange(t *testing.T) {
	s := &server{notes: map[string]note{}}
	first := fmt.Sprintf(`
		keys     = %q
		filters  = { "/a/b" = ["x", "y"], "c" = true, "d" = null, "e" = 1.5, "f" = { "g" = ["z", 1] } }
		ids      = [%q, %q]
		duration = "90m"`, swapped, upper, other)
	second := fmt.Sprintf(`
		keys     = %q
		filters  = jsonencode({ "f" = { "g" = ["z", 1] }, "e" = 1.5, "d" = null, "c" = true, "/a/b" = ["y", "x"] })
		ids      = [%q, %q]
		duration = "1h30m0s"`, keys, other, lower)
	changed := `
		filters = jsonencode({ "c" = "true" })
		ids     = []`
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: serve(s),
		Steps: []resource.TestStep{
			{
				Config: configuration(first),
				ConfigStateChecks: []statecheck.StateCheck{
					inState("keys", knownvalue.StringExact(swapped)),
					inState("ids", knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact(upper), knownvalue.StringExact(other)})),
					inState("duration", knownvalue.StringExact("90m")),
					statecheck.ExpectKnownValue(noteName, tfjsonpath.New("filters").AtMapKey("c"), knownvalue.Bool(true)),
				},
				Check: expectWrites(s, 1),
			},
			{Config: configuration(second), ConfigPlanChecks: empty(), Check: expectWrites(s, 1)},
			{
				Config:           configuration(changed),
				ConfigPlanChecks: updated(),
				ConfigStateChecks: []statecheck.StateCheck{
					inState("keys", knownvalue.Null()),
					inState("filters", knownvalue.StringExact(`{"c":"true"}`)),
					inState("ids", knownvalue.SetExact(nil)),
				},
				Check: expectWrites(s, 2),
			},
			{Config: configuration(`filters = tomap({ c = "true" })
				ids = []`), ConfigPlanChecks: empty()},
			{
				Config:            configuration(`filters = { c = "true" }`),
				ConfigPlanChecks:  updated(), // ids from [] to null
				ConfigStateChecks: []statecheck.StateCheck{inState("ids", knownvalue.Null())},
				Check:             expectWrites(s, 3),
			},
		},
	})
}

// An import has the server's words, and the configuration plans nothing.
func TestCLIImportPlansNothing(t *testing.T) {
	for name, filters := range map[string]string{
		"object":              `{ "b" = ["y", "x"], "a" = [1, "1", null, { "c" = false }] }`,
		"text":                `jsonencode({ "b" = ["y", "x"], "a" = [1, "1", null, { "c" = false }] })`,
		"text with a decimal": `"{\"a\": 1.0}"`,
		"empty":               `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{notes: map[string]note{}}
			config := configuration(fmt.Sprintf("keys = %q\nfilters = %s\nids = [%q]\nduration = \"12h\"", swapped, filters, upper))
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: serve(s),
				Steps: []resource.TestStep{
					{Config: config},
					{Config: config, Destroy: true},
					{
						Config: config, ResourceName: noteName, ImportState: true, ImportStateId: "it", ImportStatePersist: true,
					},
					{Config: config, ConfigPlanChecks: empty(), Check: expectWrites(s, 1)},
				},
			})
		})
	}
}

// Unknown values go through the plan, and what they turn out to be is kept as it was written.
func TestCLIUnknownWhilePlanning(t *testing.T) {
	before := func(value string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"other\" {\n  input = %s\n}\n", value)
	}
	const output = "terraform_data.other.output"
	tests := map[string]struct {
		before, filters string
		want            knownvalue.Check
	}{
		"member":  {before(`"x"`), `{ a = ` + output + `, b = "y" }`, knownvalue.ObjectExact(map[string]knownvalue.Check{"a": knownvalue.StringExact("x"), "b": knownvalue.StringExact("y")})},
		"deeper":  {before(`"x"`), `{ a = ["y", ` + output + `, 1] }`, knownvalue.ObjectExact(map[string]knownvalue.Check{"a": knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("y"), knownvalue.StringExact("x"), knownvalue.Int64Exact(1)})})},
		"object":  {before(`{ a = true }`), output, knownvalue.ObjectExact(map[string]knownvalue.Check{"a": knownvalue.Bool(true)})},
		"text":    {before(`"x"`), `jsonencode({ a = ` + output + ` })`, knownvalue.StringExact(`{"a":"x"}`)},
		"no type": {before(`null`), `{ a = ` + output + ` }`, knownvalue.ObjectExact(map[string]knownvalue.Check{"a": knownvalue.Null()})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &server{notes: map[string]note{}}
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: serve(s),
				Steps: []resource.TestStep{
					{
						Config:            configuration("filters = "+test.filters, test.before),
						ConfigStateChecks: []statecheck.StateCheck{inState("filters", test.want)},
						Check:             expectWrites(s, 1),
					},
				},
			})
		})
	}
}

// What is wrong by itself is said while planning; what was unknown then, while applying.
func TestCLIRefuses(t *testing.T) {
	tests := map[string]struct{ config, want string }{
		"key set":           {configuration("filters = {}\nkeys = \"{}\""), "Invalid key set"},
		"UUID":              {configuration("filters = {}\nids = [\"x\"]"), "Invalid UUID"},
		"UUID twice":        {configuration(fmt.Sprintf("filters = {}\nids = [%q, %q]", upper, lower)), "UUID named twice"},
		"filters":           {configuration("filters = [\"x\"]"), "this is an array"},
		"pointer":           {configuration("filters = { \"/a~b\" = 1 }"), "is not a JSON\\s+Pointer"},
		"null":              {configuration("filters = null"), "(?i)filters"},
		"unknown, then bad": {configuration("filters = terraform_data.other.output", "resource \"terraform_data\" \"other\" {\n  input = [1]\n}"), "this is an array"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &server{notes: map[string]note{}}
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: serve(s),
				Steps:                    []resource.TestStep{{Config: test.config, ExpectError: regexp.MustCompile(test.want)}},
			})
			if s.written() != 0 {
				t.Errorf("%d writes reached the server", s.written())
			}
		})
	}
}
