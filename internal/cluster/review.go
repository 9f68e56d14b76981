package cluster

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Access is something that somebody may or may not do.
type Access struct {
	// User and Groups are who; empty means this client's own account.
	User   string
	Groups []string
	// Verb, Group, Resource, Namespace and Name are what, in the words of RBAC. An empty Name is every name.
	Verb, Group, Resource, Namespace, Name string
}

// Allowed asks the API server's authorizers, and returns their reason with the answer. Asking about somebody else needs
// the verb create on subjectaccessreviews.
func (c *Client) Allowed(ctx context.Context, access Access) (allowed bool, reason string, err error) {
	attributes := &authorizationv1.ResourceAttributes{
		Verb: access.Verb, Group: access.Group, Resource: access.Resource, Namespace: access.Namespace, Name: access.Name,
	}
	t := target{verb: "create", group: authorizationv1.GroupName, version: "v1"}
	if access.User == "" && len(access.Groups) == 0 {
		t.kind, t.resource = "SelfSubjectAccessReview", "selfsubjectaccessreviews"
		review := &authorizationv1.SelfSubjectAccessReview{TypeMeta: typeMeta(t)}
		review.Spec.ResourceAttributes = attributes
		if review, err = ask(ctx, c, t, review); err != nil {
			return false, "", err
		}
		return review.Status.Allowed, review.Status.Reason, nil
	}
	t.kind, t.resource = "SubjectAccessReview", "subjectaccessreviews"
	review := &authorizationv1.SubjectAccessReview{TypeMeta: typeMeta(t)}
	review.Spec = authorizationv1.SubjectAccessReviewSpec{User: access.User, Groups: access.Groups, ResourceAttributes: attributes}
	if review, err = ask(ctx, c, t, review); err != nil {
		return false, "", err
	}
	return review.Status.Allowed, review.Status.Reason, nil
}

func typeMeta(t target) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: t.group + "/" + t.version, Kind: t.kind}
}
