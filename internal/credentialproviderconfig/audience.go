package credentialproviderconfig

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// end is what the file asks for, of its own entries: those of others in the same file are not this configuration's.
func (m model) end(ctx context.Context, changes bool) audience.End {
	return audience.End{Kind: audience.File, Name: m.describe(), Audiences: audiences(ctx, m.Providers), Changes: changes}
}

// end is what the text asks for, its base aside. A text is made anew in every plan and never changes anything by itself, so
// that it is compared with what changes.
func (m *rendering) end(ctx context.Context) audience.End {
	name := "the data source aktrust_credential_provider_config"
	if at := m.ConfigPath.ValueString(); at != "" {
		name += " for " + at
	}
	return audience.End{Kind: audience.File, Name: name, Audiences: audiences(ctx, m.Providers)}
}

// audiences are those of the entries that are known; an entry that asks for no token has none.
func audiences(ctx context.Context, providers types.List) []string {
	var known []string
	for _, element := range providers.Elements() {
		entry, _ := element.(types.Object)
		attributes, _ := entry.Attributes()["token_attributes"].(types.Object)
		var token tokenEntry
		if attributes.IsNull() || attributes.IsUnknown() || attributes.As(ctx, &token, basetypes.ObjectAsOptions{}).HasError() {
			continue
		}
		known = append(known, token.Audience.ValueString()) // empty before it is known
	}
	return known
}
