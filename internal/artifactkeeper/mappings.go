package artifactkeeper

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// Mapping says whose tokens become which account, as it is read.
type Mapping struct {
	ID           string          `json:"id"`
	ProviderID   string          `json:"provider_id"`
	Name         string          `json:"name"`
	Priority     int32           `json:"priority"`
	ClaimFilters json.RawMessage `json:"claim_filters"`
	// AllowedRepoIDs is the ceiling: nil is unrestricted, empty denies every repository.
	AllowedRepoIDs *[]string `json:"allowed_repo_ids"`
	// GroupBindingIDs is the grant: nil says nothing, empty strips every membership.
	GroupBindingIDs *[]string `json:"group_binding_ids"`
	IsEnabled       bool      `json:"is_enabled"`
	// ServiceAccountID and ServiceAccountUsername are nil on mappings that are older than registry 1.11.
	ServiceAccountID       *string `json:"service_account_id"`
	ServiceAccountUsername *string `json:"service_account_username"`
	CreatedAt              string  `json:"created_at"`
	UpdatedAt              string  `json:"updated_at"`
}

func (m Mapping) objectID() string   { return m.ID }
func (m Mapping) objectName() string { return m.Name }

// MappingInput is a mapping as it shall be.
type MappingInput struct {
	Name            string          `json:"name"`
	Priority        int32           `json:"priority"`
	ClaimFilters    json.RawMessage `json:"claim_filters"`
	AllowedRepoIDs  IDList          `json:"allowed_repo_ids,omitzero"`
	GroupBindingIDs IDList          `json:"group_binding_ids,omitzero"`
	IsEnabled       bool            `json:"is_enabled"`
}

func (in MappingInput) describe() string { return fmt.Sprintf("the identity mapping %q", in.Name) }

// newer lists what the request uses that registries before 1.11 ignore or misunderstand.
func (in MappingInput) newer() []string {
	var members []string
	if filters, err := claims.Parse(string(in.ClaimFilters)); err == nil && filters.UsesPointer() {
		members = append(members, "a JSON Pointer in claim_filters")
	}
	if !in.GroupBindingIDs.IsZero() {
		members = append(members, "group_binding_ids")
	}
	if in.AllowedRepoIDs.clear {
		members = append(members, "clearing allowed_repo_ids")
	}
	return members
}

// differences lists the members whose value in out is not the one asked for.
func (in MappingInput) differences(out Mapping) []string {
	var d differences
	d.compare("name", in.Name, out.Name)
	d.compare("priority", in.Priority, out.Priority)
	d.compare("is_enabled", in.IsEnabled, out.IsEnabled)
	if !sameFilters(in.ClaimFilters, out.ClaimFilters) {
		d.add(fmt.Sprintf("claim_filters (asked for %s, got %s)", value(in.ClaimFilters), value(out.ClaimFilters)))
	}
	d.list("allowed_repo_ids", in.AllowedRepoIDs, out.AllowedRepoIDs)
	d.list("group_binding_ids", in.GroupBindingIDs, out.GroupBindingIDs)
	return d
}

func sameFilters(a, b json.RawMessage) bool {
	var x, y claims.Filters
	return x.UnmarshalJSON(a) == nil && y.UnmarshalJSON(b) == nil && x.Equal(y)
}

// input is the request that gives a mapping as it was read.
func (m Mapping) input() MappingInput {
	return MappingInput{Name: m.Name, Priority: m.Priority, ClaimFilters: m.ClaimFilters, IsEnabled: m.IsEnabled,
		AllowedRepoIDs: restore(m.AllowedRepoIDs), GroupBindingIDs: restore(m.GroupBindingIDs)}
}

// mappingsOf is the collection of one provider's mappings.
func (c *Client) mappingsOf(providerID string) *collection[Mapping] {
	l, _ := c.mappings.LoadOrStore(CanonicalID(providerID), &collection[Mapping]{path: c.providers.object(providerID) + "/mappings"})
	return l.(*collection[Mapping])
}

// Mappings lists the identity mappings of a provider, by priority and then creation time.
func (c *Client) Mappings(ctx context.Context, providerID string) ([]Mapping, error) {
	return c.mappingsOf(providerID).all(ctx, c)
}

// Mapping reads one identity mapping. When its provider is gone, so is the mapping.
func (c *Client) Mapping(ctx context.Context, providerID, id string) (Mapping, error) {
	return c.mappingsOf(providerID).find(ctx, c, id)
}

// MappingByName finds the one mapping of exactly this name under a provider; a [*LookupError] says that there is none, or
// several.
func (c *Client) MappingByName(ctx context.Context, providerID, name string) (Mapping, error) {
	all, err := c.Mappings(ctx, providerID)
	if err != nil {
		return Mapping{}, err
	}
	return byName(all, name, "identity mapping")
}

// CreateMapping makes a mapping under a provider. What the registry is too old for is refused with an
// [*UnsupportedError]; a lost answer is resolved or ends in an [*AmbiguousCreateError].
func (c *Client) CreateMapping(ctx context.Context, providerID string, in MappingInput) (Mapping, error) {
	if err := c.support(ctx, in.newer()); err != nil {
		return Mapping{}, err
	}
	out, err := create(ctx, c, c.mappingsOf(providerID), in.describe(), in.Name, in,
		func(m Mapping) bool { return len(in.differences(m)) == 0 })
	if err != nil {
		return out, err
	}
	if missed := in.differences(out); len(missed) > 0 {
		return out, c.notApplied(ctx, in.describe(), missed, "the new mapping was deleted again",
			func(ctx context.Context) error { return c.DeleteMapping(ctx, providerID, out.ID) })
	}
	return out, nil
}

// UpdateMapping makes a mapping what in says. A list of which in says nothing is expected to be null; when it is not,
// someone has narrowed the mapping since it was read, and the error says so instead of widening it.
func (c *Client) UpdateMapping(ctx context.Context, providerID, id string, in MappingInput) (Mapping, error) {
	if err := c.support(ctx, in.newer()); err != nil {
		return Mapping{}, err
	}
	before, err := c.mappingsOf(providerID).get(ctx, c, id)
	if err != nil {
		return Mapping{}, err
	}
	out, err := c.putMapping(ctx, providerID, id, in)
	if err != nil {
		return out, err
	}
	if missed := in.differences(out); len(missed) > 0 {
		return out, c.notApplied(ctx, in.describe(), missed, "the former values were written back",
			func(ctx context.Context) error {
				_, err := c.putMapping(ctx, providerID, id, before.input())
				return err
			})
	}
	return out, nil
}

func (c *Client) putMapping(ctx context.Context, providerID, id string, in MappingInput) (Mapping, error) {
	l := c.mappingsOf(providerID)
	defer l.drop()
	var out Mapping
	err := c.call(ctx, request{method: http.MethodPut, path: l.object(id), in: in}, &out)
	return out, err
}

// DeleteMapping deletes a mapping, and with it the registry deactivates its account. It is no error when it is gone.
func (c *Client) DeleteMapping(ctx context.Context, providerID, id string) error {
	return c.mappingsOf(providerID).remove(ctx, c, id)
}
