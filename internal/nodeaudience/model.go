package nodeaudience

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

type model struct {
	ID                  types.String `tfsdk:"id"`
	Audience            types.String `tfsdk:"audience"`
	Name                types.String `tfsdk:"name"`
	Namespaces          types.Set    `tfsdk:"namespaces"`
	ServiceAccountNames types.Set    `tfsdk:"service_account_names"`
	Groups              types.Set    `tfsdk:"groups"`
	Labels              types.Map    `tfsdk:"labels"`
	Annotations         types.Map    `tfsdk:"annotations"`
	ForceConflicts      types.Bool   `tfsdk:"force_conflicts"`
	UnmanagedRules      types.List   `tfsdk:"unmanaged_rules"`
	UnmanagedSubjects   types.List   `tfsdk:"unmanaged_subjects"`
	Problems            types.List   `tfsdk:"problems"`
}

// identity is what identifies the objects.
type identity struct {
	Name types.String `tfsdk:"name"`
}

func (m model) identity() identity { return identity{Name: m.Name} }

// describe names the object in an error.
func (m model) describe() string {
	switch {
	case m.Audience.ValueString() == "":
		return "the node audience " + m.Name.ValueString()
	case m.Name.IsUnknown():
		return "the node audience " + strconv.Quote(m.Audience.ValueString())
	}
	return "the node audience " + strconv.Quote(m.Audience.ValueString()) + " (ClusterRole " + m.Name.ValueString() + ")"
}

// toGrant gives the grant that m describes. Everything in m must be known.
func (m model) toGrant(ctx context.Context) (domain.Grant, diag.Diagnostics) {
	g := domain.Grant{Name: m.Name.ValueString(), Audience: m.Audience.ValueString()}
	var diags diag.Diagnostics
	for _, set := range []struct {
		from types.Set
		to   *[]string
	}{{m.Namespaces, &g.Namespaces}, {m.ServiceAccountNames, &g.ServiceAccountNames}, {m.Groups, &g.Groups}} {
		if !set.from.IsNull() { // an empty set stays empty, which is not the same as none
			*set.to = []string{}
			diags.Append(set.from.ElementsAs(ctx, set.to, false)...)
		}
	}
	for _, pairs := range []struct {
		from types.Map
		to   *map[string]string
	}{{m.Labels, &g.Labels}, {m.Annotations, &g.Annotations}} {
		if len(pairs.from.Elements()) > 0 {
			diags.Append(pairs.from.ElementsAs(ctx, pairs.to, false)...)
		}
	}
	return g, diags
}

// fromFinding takes over what was found. What no cluster knows stays, or becomes its default after an import.
func (m *model) fromFinding(f *domain.Finding) {
	m.ID, m.Name = types.StringValue(f.Name), types.StringValue(f.Name)
	m.Audience = types.StringValue(f.Audience)
	m.Namespaces = setOrNull(f.Namespaces)
	m.ServiceAccountNames = setOrNull(f.ServiceAccountNames)
	m.Groups = types.SetValueMust(types.StringType, texts(f.Groups))
	m.Labels = mapLike(m.Labels, f.Labels)
	m.Annotations = mapLike(m.Annotations, f.Annotations)
	if m.ForceConflicts.IsNull() {
		m.ForceConflicts = types.BoolValue(false)
	}
	m.UnmanagedRules = types.ListValueMust(types.StringType, texts(f.UnmanagedRules))
	m.UnmanagedSubjects = types.ListValueMust(types.StringType, texts(f.UnmanagedSubjects))
	m.Problems = types.ListValueMust(types.StringType, texts(f.Problems))
}

func texts(in []string) []attr.Value {
	out := make([]attr.Value, len(in))
	for i, text := range in {
		out[i] = types.StringValue(text)
	}
	return out
}

// setOrNull keeps none and empty apart: none is all, and empty is what is left when bindings are gone.
func setOrNull(in []string) types.Set {
	if in == nil {
		return types.SetNull(types.StringType)
	}
	return types.SetValueMust(types.StringType, texts(in))
}

// mapLike is null for nothing, unless the user wrote an empty map, or had something there.
func mapLike(prior types.Map, in map[string]string) types.Map {
	if len(in) == 0 && prior.IsNull() {
		return types.MapNull(types.StringType)
	}
	elements := make(map[string]attr.Value, len(in))
	for key, text := range in {
		elements[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, elements)
}
