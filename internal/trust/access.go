package trust

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

func (c *chain) accountLink(ctx context.Context) Link {
	if c.winner == nil {
		return skipped(Account, "no mapping wins for certain, so there is no account to look at")
	}
	var f finding
	if c.winner.ServiceAccountID == nil {
		f.note("the mapping %s has no account yet: the registry makes it at the first exchange", c.called(c.winner))
		return f.link(Account)
	}
	account, err := c.Registry.Account(ctx, *c.winner.ServiceAccountID)
	switch {
	case err != nil && c.credential != nil:
		f.note("the account %q is active, as the registry gave a credential for it; it could not be read itself: %s",
			c.credential.Username, err)
	case err != nil:
		f.lacks(advice(err), "%s", err)
	case account.IsActive == nil:
		f.lacks("", "the registry does not tell whether the account %q is active", account.Username)
	case !*account.IsActive && c.credential != nil:
		f.lacks("", "the registry says that the account %q of the mapping %s is deactivated, and gave a credential for %q all the same",
			account.Username, c.called(c.winner), c.credential.Username)
	case !*account.IsActive:
		f.refusal = true
		clause, remedy := c.instead(nil, func() string {
			return "Activate the account in the registry:\n  " +
				c.curl("--request PATCH --json '{\"is_active\": true}'", "/api/v1/users/"+account.ID) +
				"\nOr: Replace the mapping, which makes a new account without the direct grants of the old one."
		})
		f.breaks(remedy, "the account %q of the mapping %s is deactivated", account.Username, c.called(c.winner))
		f.note("%s", clause)
	default:
		f.note("the account %q of the mapping %s is active", account.Username, c.called(c.winner))
	}
	return f.link(Account)
}

// reader is whose permission is judged: the account of the winning mapping.
type reader struct {
	mapping  artifactkeeper.Mapping
	id, name string // of the account; empty before the first exchange on a registry older than 1.11
}

// permission judges whether the account may read the repository of the image.
func (c *chain) permission(ctx context.Context) Link {
	var f finding
	if c.down() {
		f.lacks(advice(c.healthErr), "%s", c.healthErr)
		return f.link(Permission)
	}
	repository, err := c.Registry.RepositoryAccess(ctx, c.image.key)
	var missing *artifactkeeper.LookupError
	switch {
	case errors.As(err, &missing):
		f.breaks("Name a repository that exists: the first segment of the image's path is its key.",
			"%s, which is what the image %s is pulled from", missing, c.image.text)
		return f.link(Permission)
	case err != nil:
		f.lacks(advice(err), "%s", err)
		return f.link(Permission)
	}
	c.repository = &repository
	switch {
	case c.winner == nil && repository.IsPublic:
		return skipped(Permission, "no mapping wins for certain, so there is no account to judge; the repository %q is public",
			repository.Key)
	case c.winner == nil:
		return skipped(Permission, "no mapping wins for certain, so there is no account whose permission could be judged")
	}
	who := reader{mapping: *c.winner, name: "the account of the mapping"}
	if c.winner.ServiceAccountID != nil {
		who.id = *c.winner.ServiceAccountID
	}
	if c.winner.ServiceAccountUsername != nil {
		who.name = *c.winner.ServiceAccountUsername
	}
	c.judgeReading(ctx, &f, who, repository)
	if there := c.imageAddress(); there != c.asked() {
		f.note("the image is pulled from %s, and this is the repository %q at %s", there, repository.Key, c.asked())
	}
	return f.link(Permission)
}

// judgeReading follows the registry: the ceiling first, then what is public, then rules for the account and its groups, and
// only then the roles. What was read with the credential may be read, whatever follows from the API.
func (c *chain) judgeReading(ctx context.Context, f *finding, who reader, repository artifactkeeper.RepositoryAccess) {
	if !c.read && c.aboveCeiling(ctx, f, who, repository) {
		return
	}
	if repository.IsPublic {
		f.note("the repository %q is public: everybody may read it", repository.Key)
		return
	}
	rules, err := c.rules(ctx, repository)
	var applying []artifactkeeper.Permission
	if err == nil {
		applying, err = c.applying(ctx, rules, who)
	}
	for _, rule := range applying {
		if rule.AllowsReading() {
			f.note("%q may read the repository %q: %s", who.name, repository.Key, rule)
			return
		}
	}
	switch {
	case c.read:
		f.note("%q may read the repository %q: the image's manifest was read with its credential, though no rule of the API says so",
			who.name, repository.Key)
		return
	case err != nil:
		f.lacks(advice(err), "%s", err)
		return
	}
	c.judgeRoles(ctx, f, who, repository, rules, applying)
}

// judgeRoles is about an account that no rule lets read: a role may do so. The API does not list those, so that the registry is
// asked with the credential; without one a refusal is not certain.
func (c *chain) judgeRoles(ctx context.Context, f *finding, who reader, repository artifactkeeper.RepositoryAccess,
	rules, applying []artifactkeeper.Permission,
) {
	shown, err := c.shown(ctx, repository.Key)
	certain := c.credential != nil
	refuse := func(format string, args ...any) {
		clause, remedy := c.instead(func(other artifactkeeper.Mapping) bool { return c.mayRead(ctx, other, repository, rules) },
			func() string { return c.grantReading(ctx, repository, rules, applying) })
		f.refusal = certain
		f.breaks(remedy, "%q may not read the repository %q: %s", who.name, repository.Key, fmt.Sprintf(format, args...))
		f.note("%s", clause)
	}
	switch {
	case err != nil:
		f.lacks(advice(err), "no rule lets %q read the repository %q, and whether a role does could not be asked: %s", who.name,
			repository.Key, err)
	case len(applying) > 0 && shown:
		f.lacks("manifest = true reads the image with the credential, and knows.",
			"%s, which is not to read, and yet the registry shows the repository %q to the credential of %q: a role may let it in",
			describeRules(applying), repository.Key, who.name)
	case len(applying) > 0:
		refuse("%s, which is not to read", describeRules(applying))
	case shown:
		f.note("%q may read the repository %q by a role: no rule applies, and the registry shows it to the credential", who.name,
			repository.Key)
	default:
		refuse("no rule is about it or a group that it is in%s", c.whoMay(rules))
		if c.winner.GroupBindingIDs == nil {
			f.note("the mapping %s says nothing about groups (no group_binding_ids)", c.called(c.winner))
		} else {
			f.note("the mapping %s puts it into %s", c.called(c.winner), c.groups(ctx, *c.winner.GroupBindingIDs))
		}
		if !certain {
			f.note("a role that the API does not list could let it in")
		}
	}
}

// below reports whether the ceiling of a mapping leaves the repository in.
func below(ceiling *[]string, repository artifactkeeper.RepositoryAccess) bool {
	return ceiling == nil || listed(*ceiling, repository.ID)
}

func listed(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(one string) bool {
		return artifactkeeper.CanonicalID(one) == artifactkeeper.CanonicalID(id)
	})
}

// aboveCeiling reports whether allowed_repo_ids shuts the repository out.
func (c *chain) aboveCeiling(ctx context.Context, f *finding, who reader, repository artifactkeeper.RepositoryAccess) bool {
	ceiling := who.mapping.AllowedRepoIDs
	if below(ceiling, repository) {
		return false
	}
	rules, _ := c.rules(ctx, repository) // only to tell whether another mapping would do
	clause, remedy := c.instead(func(other artifactkeeper.Mapping) bool { return c.mayRead(ctx, other, repository, rules) },
		func() string {
			return fmt.Sprintf("allowed_repo_ids = [%s] for the mapping %s, or leave it out: it is a ceiling and grants nothing",
				quoted(append(slices.Clone(*ceiling), repository.ID)), c.called(c.winner))
		})
	f.refusal = true
	defer func() { f.note("%s", clause) }()
	if len(*ceiling) == 0 {
		f.breaks(remedy, "allowed_repo_ids = [] of the mapping %s shuts every repository out", c.called(c.winner))
		return true
	}
	f.breaks(remedy,
		"the repository %q (%s) is not among the %d of allowed_repo_ids of the mapping %s", repository.Key, repository.ID, len(*ceiling),
		c.called(c.winner))
	return true
}

// rules are those on the repository and on its project.
func (c *chain) rules(ctx context.Context, repository artifactkeeper.RepositoryAccess) ([]artifactkeeper.Permission, error) {
	rules, err := c.Registry.Permissions(ctx, artifactkeeper.TargetRepository, repository.ID)
	if err != nil || repository.ProjectID == nil || *repository.ProjectID == "" {
		return rules, err
	}
	more, err := c.Registry.Permissions(ctx, artifactkeeper.TargetProject, *repository.ProjectID)
	return slices.Concat(rules, more), err
}

// applying are the rules for the account itself and for the groups that it is in. A mapping with group_binding_ids puts its
// account into exactly those at every exchange; without, its memberships are looked up.
func (c *chain) applying(ctx context.Context, rules []artifactkeeper.Permission, who reader) ([]artifactkeeper.Permission, error) {
	var out []artifactkeeper.Permission
	for _, rule := range rules {
		var applies bool
		var err error
		switch {
		case rule.PrincipalType != artifactkeeper.PrincipalGroup:
			applies = who.id != "" && artifactkeeper.CanonicalID(rule.PrincipalID) == artifactkeeper.CanonicalID(who.id)
		case who.mapping.GroupBindingIDs != nil:
			applies = listed(*who.mapping.GroupBindingIDs, rule.PrincipalID)
		case who.id != "":
			applies, err = c.Registry.IsMember(ctx, rule.PrincipalID, who.id)
		}
		if err != nil {
			return nil, err
		}
		if applies {
			out = append(out, rule)
		}
	}
	return out, nil
}

// shown asks the registry, as the account itself, whether it sees the repository.
func (c *chain) shown(ctx context.Context, key string) (bool, error) {
	if c.credential == nil {
		return false, nil
	}
	return c.Registry.Shows(ctx, *c.credential, key)
}

func describeRules(rules []artifactkeeper.Permission) string {
	texts := make([]string, len(rules))
	for i, rule := range rules {
		texts[i] = rule.String()
	}
	return strings.Join(texts, ", ")
}

// whoMay names those who have rules on the repository.
func (c *chain) whoMay(rules []artifactkeeper.Permission) string {
	if len(rules) == 0 {
		return ", and nobody has a rule on it"
	}
	return "; the rules on it: " + describeRules(rules[:min(len(rules), 5)])
}
