package pullcheck

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

// Values of expect.
const (
	expectAllowed = "allowed"
	expectDenied  = "denied"
)

type model struct {
	Namespace      types.String `tfsdk:"namespace"`
	ServiceAccount types.String `tfsdk:"service_account"`
	Image          types.String `tfsdk:"image"`
	Audience       types.String `tfsdk:"audience"`
	ProviderID     types.String `tfsdk:"provider_id"`
	KubeletConfig  types.String `tfsdk:"credential_provider_config"`
	NodeGroups     types.Set    `tfsdk:"node_groups"`
	Expect         types.String `tfsdk:"expect"`
	Manifest       types.Bool   `tfsdk:"manifest"`

	Allowed     types.Bool   `tfsdk:"allowed"`
	AsExpected  types.Bool   `tfsdk:"as_expected"`
	Summary     types.String `tfsdk:"summary"`
	Links       []link       `tfsdk:"links"`
	MappingID   types.String `tfsdk:"mapping_id"`
	MappingName types.String `tfsdk:"mapping_name"`
	Username    types.String `tfsdk:"service_account_username"`
	ExpiresIn   types.Int64  `tfsdk:"expires_in"`
}

type link struct {
	Name   string `tfsdk:"name"`
	Status string `tfsdk:"status"`
	Detail string `tfsdk:"detail"`
	Remedy string `tfsdk:"remedy"`
}

// request is the question that the configuration asks.
func (m model) request(ctx context.Context) (trust.Request, diag.Diagnostics) {
	out := trust.Request{
		Namespace: m.Namespace.ValueString(), ServiceAccount: m.ServiceAccount.ValueString(), Image: m.Image.ValueString(),
		Audience: m.Audience.ValueString(), ProviderID: m.ProviderID.ValueString(), KubeletConfig: m.KubeletConfig.ValueString(),
		Manifest: m.Manifest.ValueBool(),
	}
	if m.NodeGroups.IsNull() {
		return out, nil
	}
	return out, m.NodeGroups.ElementsAs(ctx, &out.NodeGroups, false)
}

// fromResult fills in what was found. There is no expiry where there is no credential.
func (m *model) fromResult(r trust.Result) {
	m.Allowed = types.BoolValue(r.Allowed())
	m.MappingID, m.MappingName = attribute.TextOrNull(r.MappingID), attribute.TextOrNull(r.MappingName)
	m.Username = attribute.TextOrNull(r.Username)
	m.ExpiresIn = types.Int64Null()
	if r.Username != "" {
		m.ExpiresIn = types.Int64Value(r.ExpiresIn)
	}
	m.Links = make([]link, len(r.Links))
	for i, l := range r.Links {
		m.Links[i] = link{Name: string(l.Name), Status: string(l.Status), Detail: l.Detail, Remedy: l.Remedy}
	}
	denied := m.Expect.ValueString() == expectDenied
	summary := r.Summary()
	m.AsExpected = m.Allowed
	if denied {
		m.AsExpected = types.BoolValue(r.Denied())
		if why := r.Undenied(); why != "" {
			summary += fmt.Sprintf(" %s So expect = %q is not met.", why, expectDenied)
		}
	}
	if remedies := r.Remedies(denied); remedies != "" {
		summary += "\n\n" + remedies
	}
	m.Summary = types.StringValue(summary)
}
