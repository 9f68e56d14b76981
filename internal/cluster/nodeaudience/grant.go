// Package nodeaudience is the permission of nodes to ask for ServiceAccount tokens of an audience.
//
// The admission plugin NodeRestriction (feature ServiceAccountNodeAudienceRestriction, on by default from Kubernetes
// 1.33) lets a kubelet request a token for an audience that none of the pod's own volumes names only with a permission
// of its own: the verb request-serviceaccounts-token-audience on a resource of the core group that is called like the
// audience, in the ServiceAccount's namespace, by the ServiceAccount's name.
//
// A [Grant] is one such permission: a ClusterRole, bound everywhere by a ClusterRoleBinding of the same name or in
// chosen namespaces by RoleBindings of the same name. [Apply] brings it about, [Observe] looks what is there, and
// [Observed.Interpret] says what that means.
package nodeaudience

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Verb is what NodeRestriction asks the authorizer for.
	Verb = "request-serviceaccounts-token-audience"

	// Label marks our objects, with the value LabelValue.
	Label = "app.kubernetes.io/managed-by"
	// LabelValue is the value of Label.
	LabelValue = "terraform-provider-aktrust"

	// NodesGroup is the group of all kubelets.
	NodesGroup = "system:nodes"

	namePrefix = "aktrust-audience-"
	maxSlug    = 40
)

// Grant lets groups of nodes request tokens of an audience.
type Grant struct {
	// Name is that of the ClusterRole and of its bindings.
	Name string
	// Audience is taken literally, slashes and all.
	Audience string
	// Namespaces are those whose ServiceAccounts it covers; nil means all. Empty but not nil means none: the ClusterRole is
	// there and bound nowhere, which is also what is left when all bindings are gone.
	Namespaces []string
	// ServiceAccountNames are those that it covers, in whichever namespace; nil means all. Empty but not nil is invalid: RBAC
	// would take it for all.
	ServiceAccountNames []string
	// Groups are whom it is given to, usually NodesGroup alone. Empty but not nil means nobody: a binding would have no
	// subjects, so that there is none. Nil is invalid.
	Groups []string
	// Labels and Annotations are set on all objects, besides Label.
	Labels, Annotations map[string]string
}

// DefaultName derives an object name from an audience: a readable part, and the beginning of the audience's SHA-256,
// so that audiences that look alike do not share a name.
func DefaultName(audience string) string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(audience, "https://"), "http://")))
	slug = strings.Join(strings.FieldsFunc(slug, func(r rune) bool { return r == '-' }), "-")
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	sum := sha256.Sum256([]byte(audience))
	if slug != "" {
		slug += "-"
	}
	return namePrefix + slug + hex.EncodeToString(sum[:4])
}

// Role is the grant's ClusterRole.
func (g Grant) Role() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: g.meta(""), Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{g.Audience}, Verbs: []string{Verb}, ResourceNames: sorted(g.ServiceAccountNames),
	}}}
}

// emptyRole is the ClusterRole before it has any rule.
func (g Grant) emptyRole() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: g.Name, Labels: map[string]string{Label: LabelValue}}}
}

// ClusterRoleBinding binds the grant's ClusterRole everywhere.
func (g Grant) ClusterRoleBinding() *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{ObjectMeta: g.meta(""), Subjects: g.subjects(), RoleRef: roleRef(g.Name)}
}

// RoleBinding binds the grant's ClusterRole in one namespace.
func (g Grant) RoleBinding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{ObjectMeta: g.meta(namespace), Subjects: g.subjects(), RoleRef: roleRef(g.Name)}
}

func (g Grant) meta(namespace string) metav1.ObjectMeta {
	labels := map[string]string{Label: LabelValue}
	maps.Copy(labels, g.Labels)
	return metav1.ObjectMeta{Name: g.Name, Namespace: namespace, Labels: labels, Annotations: g.Annotations}
}

func (g Grant) subjects() []rbacv1.Subject {
	var subjects []rbacv1.Subject
	for _, group := range sorted(g.Groups) {
		subjects = append(subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group})
	}
	return subjects
}

// bound tells where the grant has bindings: everywhere, or in these namespaces.
func (g Grant) bound() (everywhere bool, namespaces []string) {
	if len(g.Groups) == 0 {
		return false, nil
	}
	return g.Namespaces == nil, g.Namespaces
}

func roleRef(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
}

// sorted returns a sorted copy without duplicates; nil stays nil.
func sorted(in []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(in)))
}

// Validate refuses what the API server would refuse, and what would grant more than it seems to.
func (g Grant) Validate() error {
	var errs []error
	check := func(field string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", field, err))
		}
	}
	each := func(field string, values []string, valid func(string) error) {
		for _, value := range values {
			check(field, valid(value))
		}
	}
	check("name", ValidName(g.Name))
	check("audience", ValidAudience(g.Audience))
	each("namespaces", g.Namespaces, ValidNamespace)
	check("service_account_names", ValidServiceAccountNames(g.ServiceAccountNames))
	each("service_account_names", g.ServiceAccountNames, ValidServiceAccountName)
	if g.Groups == nil {
		check("groups", errors.New("not said: name some, or give an empty list for nobody"))
	}
	each("groups", g.Groups, ValidGroup)
	for _, key := range slices.Sorted(maps.Keys(g.Labels)) {
		check("labels", ValidLabel(key, g.Labels[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(g.Annotations)) {
		check("annotations", ValidAnnotation(key))
	}
	return errors.Join(errs...)
}
