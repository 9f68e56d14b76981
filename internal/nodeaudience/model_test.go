package nodeaudience

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

func set(in ...string) types.Set { return types.SetValueMust(types.StringType, texts(in)) }

func list(in ...string) types.List { return types.ListValueMust(types.StringType, texts(in)) }

func mapOf(pairs ...string) types.Map {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return types.MapValueMust(types.StringType, elements)
}

// both are models and grants that say the same.
var both = map[string]struct {
	model model
	grant domain.Grant
}{
	"minimal": {
		model{
			ID: types.StringValue("n"), Name: types.StringValue("n"), Audience: types.StringValue("a"), Groups: set("system:nodes"),
			Namespaces: types.SetNull(types.StringType), ServiceAccountNames: types.SetNull(types.StringType),
			Labels: types.MapNull(types.StringType), Annotations: types.MapNull(types.StringType), ForceConflicts: types.BoolValue(false),
			UnmanagedRules: list(), UnmanagedSubjects: list(), Problems: list(),
		},
		domain.Grant{Name: "n", Audience: "a", Groups: []string{"system:nodes"}},
	},
	"full": {
		model{
			ID: types.StringValue("n"), Name: types.StringValue("n"), Audience: types.StringValue("https://a/"), Groups: set("g", "h"),
			Namespaces: set("x", "y"), ServiceAccountNames: set("s"), Labels: mapOf("l", "1"), Annotations: mapOf("a", "2"),
			ForceConflicts: types.BoolValue(false), UnmanagedRules: list(), UnmanagedSubjects: list(), Problems: list(),
		},
		domain.Grant{
			Name: "n", Audience: "https://a/", Groups: []string{"g", "h"}, Namespaces: []string{"x", "y"}, ServiceAccountNames: []string{"s"},
			Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"},
		},
	},
	"bindings are gone": {
		model{
			ID: types.StringValue("n"), Name: types.StringValue("n"), Audience: types.StringValue("a"), Groups: set(),
			Namespaces: set(), ServiceAccountNames: types.SetNull(types.StringType),
			Labels: types.MapNull(types.StringType), Annotations: types.MapNull(types.StringType), ForceConflicts: types.BoolValue(false),
			UnmanagedRules: list(), UnmanagedSubjects: list(), Problems: list(),
		},
		domain.Grant{Name: "n", Audience: "a", Groups: []string{}, Namespaces: []string{}},
	},
}

func TestConversions(t *testing.T) {
	for name, test := range both {
		t.Run(name, func(t *testing.T) {
			grant, diags := test.model.toGrant(t.Context())
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.grant, grant); diff != "" {
				t.Errorf("toGrant: %s", diff)
			}
			var m model
			m.fromFinding(&domain.Finding{Grant: test.grant})
			if diff := cmp.Diff(test.model, m); diff != "" {
				t.Errorf("fromFinding: %s", diff)
			}
		})
	}
}

func TestFromFindingKeepsWhatNoClusterKnows(t *testing.T) {
	m := model{ForceConflicts: types.BoolValue(true), Labels: mapOf(), Annotations: mapOf("gone", "1")}
	m.fromFinding(&domain.Finding{UnmanagedRules: []string{"r"}, UnmanagedSubjects: []string{"s"}, Problems: []string{"p", "q"}})
	if !m.ForceConflicts.ValueBool() || !m.Labels.Equal(mapOf()) || !m.Annotations.Equal(mapOf()) {
		t.Errorf("force_conflicts %v, labels %v, annotations %v", m.ForceConflicts, m.Labels, m.Annotations)
	}
	if !m.UnmanagedRules.Equal(list("r")) || !m.UnmanagedSubjects.Equal(list("s")) || !m.Problems.Equal(list("p", "q")) {
		t.Errorf("%v, %v, %v", m.UnmanagedRules, m.UnmanagedSubjects, m.Problems)
	}
}

func TestPlannedName(t *testing.T) {
	for name, test := range map[string]struct {
		config model
		want   types.String
	}{
		"written":          {model{Name: types.StringValue("mine"), Audience: types.StringUnknown()}, types.StringValue("mine")},
		"written, unknown": {model{Name: types.StringUnknown(), Audience: types.StringValue("a")}, types.StringUnknown()},
		"derived":          {model{Audience: types.StringValue("artifact-keeper")}, types.StringValue("aktrust-audience-artifact-keeper-cae5438b")},
		"derived, unknown": {model{Audience: types.StringUnknown()}, types.StringUnknown()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plannedName(test.config); !got.Equal(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	unknown := types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown(), types.StringValue("*")})
	later := types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
	for name, test := range map[string]struct {
		model model
		want  int
	}{
		"nothing":           {both["full"].model, 0},
		"unknown":           {model{Audience: types.StringUnknown(), ServiceAccountNames: types.SetUnknown(types.StringType)}, 0},
		"both":              {model{Audience: types.StringValue("https://kubernetes.default.svc"), ServiceAccountNames: set("*")}, 2},
		"unknown elements":  {model{Audience: types.StringValue("a"), Namespaces: later, Groups: later}, 0},
		"unknown sets":      {model{Audience: types.StringValue("a"), Namespaces: types.SetUnknown(types.StringType), Groups: types.SetUnknown(types.StringType)}, 0},
		"empty sets":        {model{Audience: types.StringValue("a"), Namespaces: set(), Groups: set()}, 2},
		"what is known yet": {model{Audience: types.StringUnknown(), ServiceAccountNames: unknown}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			diags := test.model.warnings(t.Context())
			if diags.HasError() || diags.WarningsCount() != test.want {
				t.Errorf("%v, want %d warnings", diags, test.want)
			}
		})
	}
}

// What is unknown is looked at when it is known, and not before.
func TestValidatorsLetUnknownPass(t *testing.T) {
	ctx := context.Background()
	var sets validator.SetResponse
	notEmpty{}.ValidateSet(ctx, validator.SetRequest{Path: path.Root("service_account_names"), ConfigValue: types.SetUnknown(types.StringType)}, &sets)
	var maps validator.MapResponse
	unknown := types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringUnknown()})
	labels{}.ValidateMap(ctx, validator.MapRequest{Path: path.Root("labels"), ConfigValue: unknown}, &maps)
	annotations{}.ValidateMap(ctx, validator.MapRequest{Path: path.Root("annotations"), ConfigValue: types.MapUnknown(types.StringType)}, &maps)
	var strings validator.StringResponse
	valid("", domain.ValidAudience).ValidateString(ctx,
		validator.StringRequest{Path: path.Root("audience"), ConfigValue: types.StringUnknown()}, &strings)
	if sets.Diagnostics.HasError() || maps.Diagnostics.HasError() || strings.Diagnostics.HasError() {
		t.Error(sets.Diagnostics, maps.Diagnostics, strings.Diagnostics)
	}
}
