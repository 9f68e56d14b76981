package credentialproviderconfig_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

func changeOf(plan *tfjson.Plan) (before, after map[string]any, err error) {
	for _, change := range plan.ResourceChanges {
		if change.Address == address {
			before, _ = change.Change.Before.(map[string]any)
			after, _ = change.Change.After.(map[string]any)
			return before, after, nil
		}
	}
	return nil, nil, fmt.Errorf("the plan has no %s", address)
}

// expectPrior expects a value before the change, as the refresh of the plan found it.
type expectPrior struct {
	name string
	at   tfjsonpath.Path
	want knownvalue.Check
}

func (e expectPrior) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	before, _, err := changeOf(req.Plan)
	if err != nil {
		resp.Error = err
		return
	}
	got, err := tfjsonpath.Traverse(before, e.at)
	if err != nil {
		resp.Error = err
		return
	}
	if err := e.want.CheckValue(got); err != nil {
		resp.Error = fmt.Errorf("%s: before the change, %s: %w", e.name, e.at, err)
	}
}

// expectChanged expects exactly these attributes to change.
type expectChanged []string

func (e expectChanged) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	before, after, err := changeOf(req.Plan)
	if err != nil {
		resp.Error = err
		return
	}
	var changed []string
	for name := range before {
		if !reflect.DeepEqual(before[name], after[name]) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	if !slices.Equal(changed, slices.Sorted(slices.Values(e))) {
		resp.Error = fmt.Errorf("the plan changes %v, want %v", changed, []string(e))
	}
}
