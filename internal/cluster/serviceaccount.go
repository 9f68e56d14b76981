package cluster

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ServiceAccount reads name, uid, labels and annotations of a ServiceAccount, and nothing about its secrets.
// One that does not exist is an error that IsNotFound knows.
func (c *Client) ServiceAccount(ctx context.Context, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	t := target{
		verb: "get", version: "v1", kind: "ServiceAccount", resource: "serviceaccounts", namespace: namespace, name: name,
	}
	request := t.on(c.rest.Get()).SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
	out, _, err := object[*metav1.PartialObjectMetadata](ctx, c, t, request)
	return out, err
}

// Namespace reads name, uid, labels and annotations of a namespace. One that does not exist is an error that IsNotFound knows.
func (c *Client) Namespace(ctx context.Context, name string) (*metav1.PartialObjectMetadata, error) {
	t := target{verb: "get", version: "v1", kind: "Namespace", resource: "namespaces", name: name}
	request := t.on(c.rest.Get()).SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
	out, _, err := object[*metav1.PartialObjectMetadata](ctx, c, t, request)
	return out, err
}

// TokenRequest asks for a token of a ServiceAccount.
type TokenRequest struct {
	Namespace, ServiceAccount string
	// Audience is whom the token is for; empty means the API server itself.
	Audience string
	// Expiration is how long it should be valid, in whole seconds; 0 leaves it to the API server (one hour). Less than ten
	// minutes is refused; the API server may shorten it.
	Expiration time.Duration
	// Pod binds the token to a pod, which then stands in its claims; nil binds it to the ServiceAccount alone.
	Pod *PodReference
}

// PodReference is a pod in the ServiceAccount's namespace.
type PodReference struct {
	Name string
	// UID may be empty; if not, it must be that of the pod.
	UID types.UID
}

// Token is a signed token of a ServiceAccount. Printing it does not print the token.
type Token struct {
	Value               string
	ExpirationTimestamp time.Time
}

// String tells until when the token is valid.
func (t Token) String() string { return "token until " + t.ExpirationTimestamp.Format(time.RFC3339) }

// GoString is String.
func (t Token) GoString() string { return t.String() }

// LogValue is String.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// CreateToken has the API server sign a token (TokenRequest of authentication.k8s.io/v1), which needs the verb create
// on serviceaccounts/token. A ServiceAccount that does not exist is an error that IsNotFound knows.
func (c *Client) CreateToken(ctx context.Context, request TokenRequest) (*Token, error) {
	in := &authenticationv1.TokenRequest{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(), Kind: "TokenRequest"},
	}
	if request.Audience != "" {
		in.Spec.Audiences = []string{request.Audience}
	}
	if request.Expiration != 0 {
		seconds := int64(request.Expiration / time.Second)
		in.Spec.ExpirationSeconds = &seconds
	}
	if request.Pod != nil {
		in.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{
			APIVersion: "v1", Kind: "Pod", Name: request.Pod.Name, UID: request.Pod.UID,
		}
	}
	t := target{
		verb: "create", version: "v1", kind: "ServiceAccount", resource: "serviceaccounts", subresource: "token",
		namespace: request.Namespace, name: request.ServiceAccount,
	}
	out, err := ask(ctx, c, t, in)
	if err != nil {
		return nil, err
	}
	if out.Status.Token == "" {
		e := c.newError(t)
		e.Code, e.Message = http.StatusCreated, "a TokenRequest without a token"
		e.advice = c.advise(e)
		return nil, e
	}
	return &Token{Value: out.Status.Token, ExpirationTimestamp: out.Status.ExpirationTimestamp.Time}, nil
}
