package functions

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// NewEvaluateMappings gives the function evaluate_mappings.
func NewEvaluateMappings() function.Function { return evaluateMappings{} }

type evaluateMappings struct{}

// The places of the parameters, which errors name.
const (
	mappingsPosition int64 = iota
	claimsPosition
)

var (
	resultType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"name":    types.StringType,
		"matches": types.BoolType,
		"reasons": textsType,
	}}

	evaluationType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"winner":  types.StringType,
		"results": types.ListType{ElemType: resultType},
	}}
)

// evaluation is a value of evaluationType.
type evaluation struct {
	Winner  types.String `tfsdk:"winner"`
	Results []result     `tfsdk:"results"`
}

type result struct {
	Name    string   `tfsdk:"name"`
	Matches bool     `tfsdk:"matches"`
	Reasons []string `tfsdk:"reasons"`
}

// Metadata names the function.
func (evaluateMappings) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "evaluate_mappings"
}

// Definition describes the function.
func (evaluateMappings) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Says which identity mapping lets a token in, and why the others do not",
		MarkdownDescription: "Holds the claims of a token against identity mappings as the registry does (1.11 and newer), and says what " +
			"the registry never tells: which filter failed. Nothing is dialed, so that mappings can be tried before they are there.\n\n" +
			"`winner` is the name of the mapping whose account the token becomes, null when no enabled mapping matches. `results` has " +
			"each mapping in the order in which the registry tries them: the lowest `priority` first, of equal ones the earlier in the " +
			"list. `matches` says whether its filters match, also of a disabled mapping, which takes no part. `reasons` says why a " +
			"mapping does not win, one sentence for each filter that fails; the winner has none.\n\n" +
			"An element of `mappings` may be an `aktrust_ci_oidc_mapping`, an element of `mappings` of the data source " +
			"`aktrust_ci_oidc_mappings`, or an object of its own.",
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "mappings",
				MarkdownDescription: "List of objects with `name`, `claim_filters` (an object, or JSON text of one), and optionally " +
					"`priority` (default `100`) and `is_enabled` (default `true`). What else a mapping has is left out of account.",
			},
			function.DynamicParameter{
				Name:                "claims",
				MarkdownDescription: "Claims of the token, as an object or as JSON text: the payload of the JWT.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: evaluationType.AttrTypes},
	}
}

// Run reads both arguments and holds one against the other.
func (evaluateMappings) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var list, object types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &list, &object); resp.Error != nil {
		return
	}
	mappings, err := readMappings(ctx, list)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(mappingsPosition, err.Error())
		return
	}
	token, err := readClaims(ctx, object)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(claimsPosition, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, evaluate(mappings, token))
}

// evaluate holds the claims of a token against mappings in the registry's order.
func evaluate(mappings []mapping, token claims.Claims) evaluation {
	slices.SortStableFunc(mappings, func(a, b mapping) int { return cmp.Compare(a.priority, b.priority) })
	out := evaluation{Results: make([]result, len(mappings))}
	for i, m := range mappings {
		matches, filters := m.filters.Match(token)
		r := result{Name: m.name, Matches: matches, Reasons: []string{}}
		switch {
		case !m.enabled:
			r.Reasons = append(r.Reasons, "the mapping is disabled")
		case matches && out.Winner.IsNull():
			out.Winner = types.StringValue(m.name)
		case matches:
			r.Reasons = append(r.Reasons, fmt.Sprintf("%q comes first and wins", out.Winner.ValueString()))
		}
		for _, filter := range filters {
			if !filter.Matched {
				r.Reasons = append(r.Reasons, filter.String())
			}
		}
		out.Results[i] = r
	}
	return out
}

// readClaims reads an object, a map, or JSON text of an object.
func readClaims(ctx context.Context, argument types.Dynamic) (claims.Claims, error) {
	switch value := argument.UnderlyingValue().(type) {
	case types.String:
		return claims.ParseClaims(value.ValueString())
	case types.Object, types.Map:
		// Claims are written as JSON just as filters are.
		object, err := attribute.ClaimFilters{DynamicValue: argument}.Filters(ctx)
		if err != nil {
			return claims.Claims{}, err
		}
		return claims.ParseClaims(object.JSON())
	}
	return claims.Claims{}, fmt.Errorf("have to be an object of claims, or JSON text of one, but their type is %s",
		typeName(ctx, argument))
}
