package cioidcmapping

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

const importForm = "give PROVIDER_ID/MAPPING_ID, or name:PROVIDER/MAPPING when one provider and one mapping have these names"

// ImportState takes PROVIDER_ID/MAPPING_ID, or name:PROVIDER/MAPPING when the names lead to one mapping, or the identity.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var providerID, id string
	var err error
	names, byName := strings.CutPrefix(req.ID, "name:")
	switch {
	case req.ID == "" && req.Identity != nil:
		var given identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
		providerID, id = given.ProviderID.ValueString(), given.ID.ValueString()
	case byName:
		providerID, id, err = r.byName(ctx, names)
	default:
		providerID, id, _ = strings.Cut(req.ID, "/")
	}
	if err == nil && (uuid.Validate(providerID) != nil || uuid.Validate(id) != nil) {
		err = fmt.Errorf("%q is not the ids of a provider and a mapping: %s", req.ID, importForm)
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("import", "the identity mapping", err))
		return
	}
	found := identity{types.StringValue(strings.ToLower(providerID)), types.StringValue(strings.ToLower(id))}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provider_id"), found.ProviderID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
}

// byName finds the one mapping that PROVIDER/MAPPING names. Names may hold slashes themselves, so that each is tried as
// the one in between.
func (r *Resource) byName(ctx context.Context, names string) (providerID, id string, err error) {
	registry, err := r.Registry()
	if err != nil {
		return "", "", err
	}
	err = fmt.Errorf("%q names no provider and mapping: %s", names, importForm)
	var found []artifactkeeper.Mapping
	for at, char := range names {
		if char != '/' {
			continue
		}
		provider, failure := registry.ProviderByName(ctx, names[:at])
		if failure == nil {
			var mapping artifactkeeper.Mapping
			if mapping, failure = registry.MappingByName(ctx, provider.ID, names[at+1:]); failure == nil {
				found = append(found, mapping)
				continue
			}
		}
		if _, ok := errors.AsType[*artifactkeeper.LookupError](failure); !ok {
			return "", "", failure
		}
		err = failure
	}
	switch len(found) {
	case 0:
		return "", "", err
	case 1:
		return found[0].ProviderID, found[0].ID, nil
	}
	return "", "", fmt.Errorf("%q names %d mappings, because the names hold slashes; import by id, such as %s/%s", names,
		len(found), found[0].ProviderID, found[0].ID)
}
