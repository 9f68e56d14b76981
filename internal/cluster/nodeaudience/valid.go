package nodeaudience

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// errEmpty is about lists: in RBAC an empty one means everything, which nobody should get by a list that turned out empty.
var errEmpty = errors.New("an empty list would grant nothing or everything: name something, or leave it out")

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

// ValidServiceAccountName refuses what cannot be the name of a ServiceAccount: RBAC would take it, and match nothing.
// Names of the form system:serviceaccount:NAMESPACE:NAME are subjects, not names.
func ValidServiceAccountName(name string) error {
	if name == rbacAll {
		return errors.New("* matches no ServiceAccount here, because RBAC compares names literally: leave the list out to cover all")
	}
	return because(name, content.IsDNS1123Subdomain(name))
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

// apiServerAudiences are those that API servers have by default (kubeadm's and most managed ones').
var apiServerAudiences = []string{"https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local"}

// IsAPIServerAudience tells that an audience is the default one of API servers. A token for it opens the API server as
// the pod's ServiceAccount, whoever holds it. Which audiences a given API server has is not to be learned from outside.
func IsAPIServerAudience(audience string) bool { return slices.Contains(apiServerAudiences, audience) }
