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
	registry, err := r.Registry() // Without it the refresh that follows would take over an object unseen.
	var providerID, id string
	names, byName := strings.CutPrefix(req.ID, "name:")
	switch {
	case err != nil:
	case req.ID == "" && req.Identity != nil:
		var given identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
		providerID, id = given.ProviderID.ValueString(), given.ID.ValueString()
	case byName:
		providerID, id, err = find(ctx, registry, names)
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
	found := identity{types.StringValue(artifactkeeper.CanonicalID(providerID)), types.StringValue(artifactkeeper.CanonicalID(id))}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provider_id"), found.ProviderID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
}

// find gives the one mapping that PROVIDER/MAPPING names. Names may hold slashes themselves, so that each is tried as the one
// in between; when none leads to a mapping, the error is of the try that got furthest.
func find(ctx context.Context, registry *artifactkeeper.Client, names string) (providerID, id string, err error) {
	err = fmt.Errorf("%q names no provider and mapping: %s", names, importForm)
	var found []artifactkeeper.Mapping
	providerFound := false
	for at, char := range names {
		if char != '/' {
			continue
		}
		provider, failure := registry.ProviderByName(ctx, names[:at])
		there := failure == nil
		if there {
			var mapping artifactkeeper.Mapping
			if mapping, failure = registry.MappingByName(ctx, provider.ID, names[at+1:]); failure == nil {
				found = append(found, mapping)
				continue
			}
		}
		if _, lookup := errors.AsType[*artifactkeeper.LookupError](failure); !lookup {
			return "", "", failure
		}
		if there || !providerFound {
			err, providerFound = failure, there
		}
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
