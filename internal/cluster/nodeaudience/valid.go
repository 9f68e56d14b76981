package nodeaudience

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// ValidAudience refuses the empty audience, which RBAC refuses, and *, which RBAC takes for every audience: nodes could
// then ask for tokens that open the API server.
func ValidAudience(audience string) error {
	switch audience {
	case "":
		return errors.New("an audience must not be empty")
	case rbacAll:
		return errors.New("* is every audience for RBAC, that of the API server included: name the one that is meant")
	}
	return nil
}

// rbacAll is what RBAC matches everything by, in verbs, groups and resources, though not in resource names.
const rbacAll = "*"

// ValidName refuses what cannot be the name of a ClusterRole.
func ValidName(name string) error {
	if name == "" {
		return errors.New("a name must not be empty")
	}
	return because(name, content.IsPathSegmentName(name))
}

// ValidNamespace refuses what cannot be the name of a namespace.
func ValidNamespace(name string) error { return because(name, content.IsDNS1123Label(name)) }

// ValidServiceAccountNames refuses a list that is empty and not nil. A rule of RBAC without resourceNames covers every
// name, so that a list that turned out empty would grant everything.
func ValidServiceAccountNames(names []string) error {
	if names != nil && len(names) == 0 {
		return errors.New("an empty list would cover every ServiceAccount, because a rule of RBAC without names covers all names: " +
			"name some, or leave the list out to cover all")
	}
	return nil
}

// ValidServiceAccountName refuses the empty name. Others that no ServiceAccount can have are worth a warning, see Warnings.
func ValidServiceAccountName(name string) error {
	if name == "" {
		return errors.New("a ServiceAccount's name must not be empty")
	}
	return nil
}

// ValidGroup refuses the empty group.
func ValidGroup(name string) error {
	if name == "" {
		return errors.New("a group must not be empty")
	}
	return nil
}

// ValidLabel refuses what the API server refuses, and the label that marks our objects.
func ValidLabel(key, value string) error {
	if key == Label {
		return fmt.Errorf("%s marks the objects that this provider manages, and is set by it", Label)
	}
	if err := because(key, content.IsLabelKey(key)); err != nil {
		return err
	}
	return because(value, content.IsLabelValue(value))
}

// ValidAnnotation refuses keys that the API server refuses; upper and lower case are the same to it here.
func ValidAnnotation(key string) error { return because(key, content.IsLabelKey(strings.ToLower(key))) }

func because(value string, problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%q: %s", value, strings.Join(problems, "; "))
}

// Warning is about something that works and is not likely to be meant.
type Warning struct {
	// Field is audience, namespaces, service_account_names or groups.
	Field         string
	Summary, Text string
}

// Warnings lists what is not likely to be meant.
func (g Grant) Warnings() []Warning {
	var out []Warning
	if cluster.IsAPIServerAudience(g.Audience) {
		out = append(out, Warning{"audience", "An audience of the API server", fmt.Sprintf("%q is an audience of API servers by default. "+
			"A token for it opens the API server as the pod's ServiceAccount, whoever holds it, and nodes could ask for it on behalf of "+
			"every pod. Choose an audience that only the registry takes.", g.Audience)})
	}
	if g.Audience != strings.TrimSpace(g.Audience) {
		out = append(out, Warning{"audience", "White space around the audience", fmt.Sprintf("The audience is compared literally, and %q "+
			"begins or ends with white space.", g.Audience)})
	}
	for _, name := range sorted(g.ServiceAccountNames) {
		if err := because(name, content.IsDNS1123Subdomain(name)); err != nil {
			out = append(out, Warning{"service_account_names", "No ServiceAccount has this name", fmt.Sprintf("RBAC compares names "+
				"literally, without wildcards and without namespaces, and no ServiceAccount can have the name %s. To cover all, leave "+
				"service_account_names out; to choose namespaces, use namespaces.", err)})
		}
	}
	if g.Namespaces != nil && len(g.Namespaces) == 0 {
		out = append(out, Warning{"namespaces", "Nothing is granted",
			"No namespace is named, so that the ClusterRole is bound nowhere and " +
				"no node gets a token by it. To cover all namespaces, leave namespaces out."})
	}
	if g.Groups != nil && len(g.Groups) == 0 {
		out = append(out, Warning{"groups", "Nothing is granted",
			"No group is named, so that the ClusterRole is bound to nobody and no node " +
				"gets a token by it. For all nodes, leave groups out."})
	}
	return out
}
