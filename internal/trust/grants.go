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
// without it, and what to do instead of granting anything to the one that wins; that is empty when a grant is no more than
// what is meant. reads tells whether the account of another mapping could pull; nil when that was not looked at.
func (c *chain) instead(reads func(artifactkeeper.Mapping) bool) (clause, remedy string) {
	var filters claims.Filters
	if filters.UnmarshalJSON(c.winner.ClaimFilters) != nil {
		return "", ""
	}
	takes := ""
	if everybody(filters) {
		takes = ", which takes every token of the cluster,"
	}
	meant, could := c.next(reads)
	switch {
	case meant == nil && takes == "":
		return "", ""
	case meant == nil:
		return fmt.Sprintf("the mapping %q takes every token of the cluster", c.winner.Name),
			fmt.Sprintf("Grant nothing to the mapping %q (%s), which takes every token of the cluster: everybody could pull. Delete it, "+
				"or narrow its filters. %s", c.winner.Name, c.winner.ID, c.mappingRemedy())
	}
	and := ""
	if could {
		and = ", and whose account may read the repository"
	}
	clause = fmt.Sprintf("the mapping %q%s wins (priority %d) before %q (priority %d), which matches too%s", c.winner.Name, takes,
		c.winner.Priority, meant.Name, meant.Priority, and)
	var others claims.Filters
	if takes == "" && others.UnmarshalJSON(meant.ClaimFilters) == nil && within(filters, others) {
		return clause, ""
	}
	return clause, c.makeWay(meant)
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
	return fmt.Sprintf("If %q is meant to win, delete the mapping %q (%s), narrow its filters, or give it a higher priority number than "+
		"%d: the lowest one wins.", meant.Name, c.winner.Name, c.winner.ID, meant.Priority)
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
			ways = append(ways, fmt.Sprintf("Add the group %s, which may read it, to the mapping %q:\n  group_binding_ids = [%s]",
				named(rule), c.winner.Name, quoted(append(slices.Clone(groups), rule.PrincipalID))))
			break
		}
	}
	switch {
	case len(applying) > 0:
		ways = append(ways, fmt.Sprintf("Add the action read to the rule of %s %s on the repository %q.", applying[0].PrincipalType,
			named(applying[0]), repository.Key))
	case len(groups) > 0:
		ways = append(ways, fmt.Sprintf("Let the group %s, into which the mapping %q puts it, read the repository %q:\n  %s",
			c.group(ctx, groups[0]), c.winner.Name, repository.Key, c.rule(groups[0], repository)))
	case len(ways) == 0:
		ways = append(ways, fmt.Sprintf("Let a group read the repository %q, and name it in group_binding_ids of the mapping %q:\n  %s",
			repository.Key, c.winner.Name, c.rule("GROUP_ID", repository)))
	}
	return strings.Join(ways, "\nOr: ")
}

// rule is a command that lets a group read a repository. It stands in a line that begins with a space, which the CLI does not
// wrap.
func (c *chain) rule(group string, repository artifactkeeper.RepositoryAccess) string {
	return fmt.Sprintf("curl --fail-with-body --oauth2-bearer \"$ARTIFACT_KEEPER_TOKEN\" --json '{\"principal_type\": \"group\", "+
		"\"principal_id\": %q, \"target_type\": \"repository\", \"target_id\": %q, \"actions\": [\"read\"]}' %s/api/v1/permissions",
		group, repository.ID, strings.TrimRight(c.Registry.Endpoint(), "/"))
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
