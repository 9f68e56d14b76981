package trust

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// A remedy must not open the registry. Where a mapping wins that takes more tokens than the one that is meant, whatever it is
// granted goes to all of them: then it has to make way.

// everybody reports whether filters let every token of the cluster through that is for the registry.
func everybody(filters claims.Filters) bool {
	return !slices.ContainsFunc(filters.Keys(), func(key string) bool {
		return !slices.Contains([]string{"iss", "aud"}, strings.TrimPrefix(key, "/"))
	})
}

// within reports whether every token that passes the one filters passes the others too, as far as their texts tell.
func within(one, other claims.Filters) bool {
	mine, theirs := one.Value(), other.Value()
	for key, wanted := range theirs {
		got, found := mine[key]
		if !found {
			return false
		}
		for _, value := range alternatives(got) {
			if !slices.Contains(alternatives(wanted), value) {
				return false
			}
		}
	}
	return true
}

// alternatives are the values that a filter accepts, each as JSON.
func alternatives(filter any) []string {
	list, ok := filter.([]any)
	if !ok {
		list = []any{filter}
	}
	out := make([]string, len(list))
	for i, one := range list {
		text, err := json.Marshal(one)
		if err != nil {
			panic(fmt.Sprintf("trust: a decoded JSON value does not encode: %v", err))
		}
		out[i] = string(text)
	}
	return out
}

// instead is about the mapping that wins while its account may not pull. It gives a clause about the mapping that would win
// without it, and the remedy: to grant what is missing, as grant says, only where that goes to nobody but those who are meant.
// reads tells whether the account of another mapping could pull; nil when that was not looked at.
func (c *chain) instead(reads func(artifactkeeper.Mapping) bool, grant func() string) (clause, remedy string) {
	var filters claims.Filters
	if filters.UnmarshalJSON(c.winner.ClaimFilters) != nil {
		return "", grant()
	}
	takes := ""
	if everybody(filters) {
		takes = ", which takes every token of the cluster,"
	}
	meant, could := c.next(reads)
	switch {
	case meant == nil && takes == "":
		return "", grant()
	case meant == nil:
		return fmt.Sprintf("the mapping %s takes every token of the cluster", c.called(c.winner)),
			fmt.Sprintf("Grant nothing to the mapping %q (%s), which takes every token of the cluster: everybody could pull. "+
				"Narrow its filters, or delete it. %s\n%s", c.winner.Name, c.winner.ID, c.deletion(), c.mappingRemedy())
	}
	and := ""
	if could {
		and = ", and whose account may read the repository"
	}
	clause = fmt.Sprintf("the mapping %s%s wins (priority %d) before %s (priority %d), which matches too%s", c.called(c.winner), takes,
		c.winner.Priority, c.called(meant), meant.Priority, and)
	var others claims.Filters
	switch {
	case takes != "" || others.UnmarshalJSON(meant.ClaimFilters) != nil || !within(filters, others):
		return clause, c.makeWay(meant)
	case !could:
		return clause, grant()
	case within(others, filters): // the same tokens: then the one that may read is the one that is meant
		return clause, c.makeWay(meant)
	}
	return clause, c.makeWay(meant) + fmt.Sprintf("\nIf %s is meant to win: %s", c.called(c.winner), grant())
}

// called is the name of a mapping, with its id where another mapping has the same name.
func (c *chain) called(m *artifactkeeper.Mapping) string {
	if slices.ContainsFunc(c.mappings, func(o artifactkeeper.Mapping) bool { return o.Name == m.Name && o.ID != m.ID }) {
		return fmt.Sprintf("%q (%s)", m.Name, m.ID)
	}
	return fmt.Sprintf("%q", m.Name)
}

// next is the mapping that would win without the one that does: of several the first whose account could pull.
func (c *chain) next(reads func(artifactkeeper.Mapping) bool) (next *artifactkeeper.Mapping, could bool) {
	for _, m := range c.matches {
		if m.mapping.ID == c.winner.ID || !m.mapping.IsEnabled || m.fit != accepts {
			continue
		}
		if reads != nil && reads(m.mapping) {
			return &m.mapping, true
		}
		if next == nil {
			next = &m.mapping
		}
	}
	return next, false
}

// makeWay has the winner make way for another mapping.
func (c *chain) makeWay(meant *artifactkeeper.Mapping) string {
	return fmt.Sprintf("If %s is meant to win, delete the mapping %q (%s), narrow its filters, or give it a higher priority number than "+
		"%d: the lowest one wins. %s", c.called(meant), c.winner.Name, c.winner.ID, meant.Priority, c.deletion())
}

// deletion says how the winner is deleted.
func (c *chain) deletion() string {
	return fmt.Sprintf("aktrust_ci_oidc_mappings_exclusive finds mappings that no configuration declares; such a one is deleted by:\n  %s",
		c.curl("--request DELETE", "/api/v1/admin/ci-oidc/"+c.resolved.provider.ID+"/mappings/"+c.winner.ID))
}

// mayRead reports whether the account of a mapping is known to be allowed to read a repository.
func (c *chain) mayRead(ctx context.Context, m artifactkeeper.Mapping, repository artifactkeeper.RepositoryAccess,
	rules []artifactkeeper.Permission,
) bool {
	who := reader{mapping: m}
	if m.ServiceAccountID != nil {
		who.id = *m.ServiceAccountID
	}
	applying, err := c.applying(ctx, rules, who)
	return err == nil && below(m.AllowedRepoIDs, repository) &&
		slices.ContainsFunc(applying, artifactkeeper.Permission.AllowsReading)
}

// grantReading lets the account of the winning mapping read a repository: by a group that may, or by the right of one that it
// is in.
func (c *chain) grantReading(ctx context.Context, repository artifactkeeper.RepositoryAccess,
	rules, applying []artifactkeeper.Permission,
) string {
	var groups []string
	if c.winner.GroupBindingIDs != nil {
		groups = *c.winner.GroupBindingIDs
	}
	var ways []string
	for _, rule := range rules {
		if rule.PrincipalType == artifactkeeper.PrincipalGroup && rule.AllowsReading() {
			ways = append(ways, fmt.Sprintf("Add the group %s, which may read it, to the mapping %s:\n  group_binding_ids = [%s]",
				named(rule), c.called(c.winner), quoted(append(slices.Clone(groups), rule.PrincipalID))))
			break
		}
	}
	switch {
	case len(applying) > 0:
		ways = append(ways, fmt.Sprintf("Add the action read to the rule of %s %s on the repository %q.", applying[0].PrincipalType,
			named(applying[0]), repository.Key))
	case len(groups) > 0:
		ways = append(ways, fmt.Sprintf("Let the group %s, into which the mapping %s puts it, read the repository %q:\n  %s",
			c.group(ctx, groups[0]), c.called(c.winner), repository.Key, c.rule(groups[0], repository)))
	case len(ways) == 0:
		ways = append(ways, fmt.Sprintf("Let a group read the repository %q, and name it in group_binding_ids of the mapping %s:\n  %s",
			repository.Key, c.called(c.winner), c.rule("GROUP_ID", repository)))
	}
	return strings.Join(ways, "\nOr: ")
}

// rule is a command that lets a group read a repository.
func (c *chain) rule(group string, repository artifactkeeper.RepositoryAccess) string {
	return c.curl(fmt.Sprintf("--json '{\"principal_type\": \"group\", \"principal_id\": %q, \"target_type\": \"repository\", "+
		"\"target_id\": %q, \"actions\": [\"read\"]}'", group, repository.ID), "/api/v1/permissions")
}

// curl is a command for the registry's API. It stands in a line that begins with a space, which the CLI does not wrap.
func (c *chain) curl(options, path string) string {
	return fmt.Sprintf("curl --fail-with-body --oauth2-bearer \"$ARTIFACT_KEEPER_TOKEN\" %s %s%s", options,
		strings.TrimRight(c.Registry.Endpoint(), "/"), path)
}

func named(rule artifactkeeper.Permission) string {
	if rule.PrincipalName == nil {
		return rule.PrincipalID
	}
	return fmt.Sprintf("%q (%s)", *rule.PrincipalName, rule.PrincipalID)
}

// group is a group for people: its id, with its name when the registry tells it.
func (c *chain) group(ctx context.Context, id string) string {
	group, err := c.Registry.Group(ctx, id)
	if err != nil || group.Name == "" {
		return id
	}
	return fmt.Sprintf("%q (%s)", group.Name, id)
}

// mostGroups is how many groups a detail names.
const mostGroups = 3

func (c *chain) groups(ctx context.Context, ids []string) string {
	if len(ids) == 0 || len(ids) > mostGroups {
		return count(len(ids), "group")
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = c.group(ctx, id)
	}
	return count(len(ids), "group") + ": " + strings.Join(names, ", ")
}
