package nodeaudience_test

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// Bad input is refused while planning, in words that name the argument.
func TestRefusedWhilePlanning(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct {
		arguments map[string]string
		says      []string
	}{
		"no audience":             {map[string]string{"audience": `""`}, []string{"Empty text", "audience must not be empty. Write the audience that the registry expects"}},
		"every audience":          {map[string]string{"audience": `"*"`}, []string{"audience", "* is every audience", "the API server"}},
		"no names":                {map[string]string{"service_account_names": "[]"}, []string{"An empty set", "service_account_names has to name something", "would cover every ServiceAccount"}},
		"null in namespaces":      {map[string]string{"namespaces": `["a", null]`}, []string{"Null in a collection"}},
		"null in labels":          {map[string]string{"labels": `{ a = null }`}, []string{"Null in a collection", "labels"}},
		"a namespace that is not": {map[string]string{"namespaces": `["Team_A"]`}, []string{"namespaces", `"Team_A"`}},
		"a group without name":    {map[string]string{"groups": `[""]`}, []string{"An element of groups must not be empty. Write a name"}},
		"an account without name": {map[string]string{"service_account_names": `[""]`}, []string{"An element of service_account_names must not be empty"}},
		"a name with a slash":     {map[string]string{"name": `"a/b"`}, []string{"name", "may not contain"}},
		"no name":                 {map[string]string{"name": `""`}, []string{"name must not be empty. Write the name of a ClusterRole, or leave it out"}},
		"our label":               {map[string]string{"labels": `{ "app.kubernetes.io/managed-by" = "me" }`}, []string{"Invalid label", "is set by it"}},
		"a bad label":             {map[string]string{"labels": `{ a = "b c" }`}, []string{"Invalid label", `"b c"`}},
		"a bad annotation":        {map[string]string{"annotations": `{ "a b" = "" }`}, []string{"Invalid annotation", `"a b"`}},
	} {
		t.Run(name, func(t *testing.T) {
			resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: []resource.TestStep{
				{Config: w.config(test.arguments), PlanOnly: true, ExpectError: says(test.says...)},
			}})
		})
	}
	w.must(w.gone(nil))
}

// theirs makes a ClusterRole that somebody else keeps by hand.
func (w *world) theirs(more object) {
	w.t.Helper()
	role := object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": object{"name": w.name},
		"rules": []object{
			{"apiGroups": []string{""}, "resources": []string{w.audience}, "verbs": []string{"request-serviceaccounts-token-audience"}},
		},
	}
	maps.Copy(role, more)
	w.must(w.admin.Do(w.t.Context(), http.MethodPost, api+"clusterroles", role, nil))
}

// What is there and is not ours is not adopted; the error has the command that does.
func TestNotAdoptedButImported(t *testing.T) {
	w := newWorld(t)
	w.theirs(object{"metadata": object{"name": w.name, "labels": object{"theirs": "1"}}})
	before, err := w.look(w.name)
	w.must(err)
	want := w.expected()
	want.Labels = map[string]string{managed: "terraform-provider-aktrust", "theirs": "1"}
	w.run(
		resource.TestStep{
			Config: w.config(nil),
			ExpectError: says("Cannot create the node audience", "ClusterRole "+w.name+" exists, and was not made by this provider",
				"tofu import aktrust_node_audience.NAME "+w.name),
		},
		resource.TestStep{
			PreConfig: func() { w.must(w.has(*before)(nil)) },
			Config:    w.config(nil), ResourceName: address, ImportState: true, ImportStateId: w.name, ImportStatePersist: true,
		},
		resource.TestStep{
			Config: w.config(nil), Check: w.has(want),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate), was{
					"audience": w.audience, "groups": []any{}, "labels": nil,
					"problems": []any{"ClusterRole " + w.name + " lacks the label app.kubernetes.io/managed-by=terraform-provider-aktrust"},
				}},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
		},
	)
}

func TestAggregatedRolesAreRefused(t *testing.T) {
	w := newWorld(t)
	w.theirs(object{
		"metadata":        object{"name": w.name, "labels": object{managed: "terraform-provider-aktrust"}},
		"aggregationRule": object{"clusterRoleSelectors": []object{{"matchLabels": object{"a": "b"}}}},
	})
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: []resource.TestStep{
		{Config: w.config(nil), ExpectError: says("Cannot create the node audience", "has an aggregationRule", "cannot be managed here")},
		{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: w.name,
			ExpectError: says("Cannot read the node audience", "has an aggregationRule"),
		},
	}})
}

func TestImportRefuses(t *testing.T) {
	w := newWorld(t)
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: []resource.TestStep{
		{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: "system:node-proxier",
			ExpectError: says("Cannot read the node audience system:node-proxier", "None of its rules lets nodes request an audience"),
		},
		{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: "no-such-role",
			ExpectError: says("Cannot import non-existent remote object"),
		},
	}})
}

// The audience in place of the name is told from a name that leads nowhere, and the error has the name.
func TestImportByAudience(t *testing.T) {
	w := newWorld(t)
	plain := strings.ToLower(t.Name()) // which could be a name, other than the URL of the world
	role := nodeaudience.DefaultName(plain)
	w.run(
		resource.TestStep{Config: w.config(nil) + strings.Replace(strings.TrimPrefix(w.config(map[string]string{"audience": acctest.HCL(plain)}),
			w.provider()), `"test"`, `"plain"`, 1)},
		resource.TestStep{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: w.audience,
			ExpectError: says("Cannot import a node audience", "no ClusterRole "+strconv.Quote(w.audience), "is called", w.name),
		},
		resource.TestStep{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: plain,
			ExpectError: says("Give the name of the ClusterRole instead of the audience: " + role),
		},
		resource.TestStep{
			Config: w.config(nil), ResourceName: address, ImportState: true, ImportStateId: "https://nowhere.test",
			ExpectError: says("Cannot read the node audience https://nowhere.test"),
		},
	)
}

// A role that gets an aggregationRule later is shown, and not fought over.
func TestAggregatedLater(t *testing.T) {
	w := newWorld(t)
	w.run(
		resource.TestStep{Config: w.config(nil), ConfigPlanChecks: emptyAfter},
		resource.TestStep{
			PreConfig: func() {
				w.must(w.edit(w.role(), object{"aggregationRule": object{"clusterRoleSelectors": []object{{"matchLabels": object{"a": "b"}}}}}))
			},
			Config: w.config(nil), ExpectError: says("Cannot update the node audience", "has an aggregationRule"),
		},
		resource.TestStep{
			PreConfig: func() { w.must(w.edit(w.role(), object{"aggregationRule": nil})) },
			Config:    w.config(nil), ConfigPlanChecks: emptyAfter, Check: w.has(w.expected()),
		},
	)
}

// Half of it is there when the namespace is missing: the state knows of it, and the next apply starts over.
func TestNamespaceIsMissing(t *testing.T) {
	w := newWorld(t)
	w.run(
		resource.TestStep{
			Config:      w.config(map[string]string{"namespaces": quoted(w.a, "not-there-yet")}),
			ExpectError: says(`namespaces "not-there-yet" not found`, `Create namespace "not-there-yet" first`),
		},
		resource.TestStep{
			Config: w.config(map[string]string{"namespaces": quoted(w.a)}), ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
			Check: w.has(w.expected().in(w.a)),
		},
		resource.TestStep{
			Config:      w.config(map[string]string{"namespaces": quoted(w.a, w.b, "not-there-yet")}),
			ExpectError: says("Cannot update the node audience", `Create namespace "not-there-yet" first`),
		},
		resource.TestStep{
			Config: w.config(nil), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: w.has(w.expected()),
		},
	)
}
