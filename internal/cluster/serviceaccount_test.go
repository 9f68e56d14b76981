package cluster

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

type tokenClaims struct {
	Issuer     string                             `json:"iss"`
	Audience   []string                           `json:"aud"`
	Subject    string                             `json:"sub"`
	Kubernetes struct{ Pod struct{ UID string } } `json:"kubernetes.io"`
}

// readClaims reads a token without checking it.
func readClaims(t *testing.T, token string) (claims tokenClaims) {
	t.Helper()
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestServiceAccountAndItsToken(t *testing.T) {
	plane := controlplane.Shared(t)
	namespace, admin := plane.Namespace(t), plane.As(controlplane.Admin)
	err := errors.Join(
		admin.EnsureServiceAccount(t.Context(), namespace, "puller", map[string]string{"example.test/a": "b"}),
		admin.EnsureNode(t.Context(), controlplane.Node),
	)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := admin.EnsurePod(t.Context(), namespace, "app", "puller", controlplane.Node)
	if err != nil {
		t.Fatal(err)
	}
	client := as(t, controlplane.Admin)
	account, err := client.ServiceAccount(t.Context(), namespace, "puller")
	if err != nil {
		t.Fatal(err)
	}
	if account.Name != "puller" || account.UID == "" || account.Annotations["example.test/a"] != "b" {
		t.Errorf("account %+v", account)
	}

	if space, err := client.Namespace(t.Context(), namespace); err != nil || space.Name != namespace {
		t.Errorf("namespace %+v, %v", space, err)
	}
	if _, err := client.Namespace(t.Context(), "no-such-namespace"); !IsNotFound(err) {
		t.Errorf("a namespace that does not exist: %v", err)
	}

	before := time.Now()
	token, err := client.CreateToken(t.Context(), TokenRequest{
		Namespace: namespace, ServiceAccount: "puller", Audience: "https://registry.test/", Expiration: 20 * time.Minute,
		Pod: &PodReference{Name: pod.Name, UID: types.UID(pod.UID)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := token.ExpirationTimestamp.Sub(before); left < 19*time.Minute || left > 21*time.Minute {
		t.Errorf("valid for %v", left)
	}
	claims := readClaims(t, token.Value)
	if claims.Issuer != plane.Issuer() || len(claims.Audience) != 1 || claims.Audience[0] != "https://registry.test/" ||
		claims.Subject != "system:serviceaccount:"+namespace+":puller" || claims.Kubernetes.Pod.UID != pod.UID {
		t.Errorf("claims %+v", claims)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("got", "token", token)
	for _, printed := range []string{fmt.Sprint(token), fmt.Sprintf("%#v", token), fmt.Sprintf("%+v", *token), log.String()} {
		if strings.Contains(printed, token.Value) || !strings.Contains(printed, "token until 20") {
			t.Errorf("printed as %s", printed)
		}
	}
}

func TestTokenForTheAPIServerItself(t *testing.T) {
	plane, client := controlplane.Shared(t), as(t, controlplane.Admin)
	namespace := plane.Namespace(t)
	if err := plane.As(controlplane.Admin).EnsureServiceAccount(t.Context(), namespace, "puller", nil); err != nil {
		t.Fatal(err)
	}
	own, err := client.CreateToken(t.Context(), TokenRequest{Namespace: namespace, ServiceAccount: "puller"})
	if err != nil {
		t.Fatal(err)
	}
	asPuller := connect(t, Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: own.Value})
	if allowed, _, err := asPuller.Allowed(t.Context(), Access{Verb: "get", Resource: "secrets"}); err != nil || allowed {
		t.Errorf("the account itself: %v, %v", allowed, err)
	}
}

func TestTokenRefusals(t *testing.T) {
	plane := controlplane.Shared(t)
	namespace := plane.Namespace(t)
	if err := plane.As(controlplane.Admin).EnsureServiceAccount(t.Context(), namespace, "puller", nil); err != nil {
		t.Fatal(err)
	}
	client := as(t, controlplane.Admin)
	_, err := client.CreateToken(t.Context(), TokenRequest{Namespace: namespace, ServiceAccount: "gone", Audience: "a"})
	if !IsNotFound(err) {
		t.Errorf("a ServiceAccount that does not exist: %v", err)
	}
	contains(t, err, `create token of ServiceAccount "`+namespace+`/gone": `, `serviceaccounts "gone" not found`)
	_, err = client.ServiceAccount(t.Context(), namespace, "gone")
	if !IsNotFound(err) {
		t.Errorf("a ServiceAccount that does not exist: %v", err)
	}
	_, err = client.CreateToken(t.Context(), TokenRequest{Namespace: namespace, ServiceAccount: "puller", Expiration: time.Minute})
	contains(t, err, "422", "may not specify a duration less than 10 minutes")
	_, err = client.CreateToken(t.Context(), TokenRequest{Namespace: namespace, ServiceAccount: "puller", Pod: &PodReference{Name: "gone"}})
	contains(t, err, `pods "gone" not found`)
	if IsNotFound(err) {
		t.Error("the pod that does not exist is taken for the ServiceAccount")
	}
}

func TestAllowed(t *testing.T) {
	admin, nobody := as(t, controlplane.Admin), as(t, controlplane.Nobody)
	read := Access{Verb: "get", Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Name: "x"}
	for name, test := range map[string]struct {
		client *Client
		access Access
		want   bool
	}{
		"admin may":         {admin, read, true},
		"nobody may not":    {nobody, read, false},
		"admin's group may": {admin, Access{User: "someone", Groups: []string{"system:masters"}, Verb: "get", Resource: "secrets"}, true},
		"another may not":   {admin, Access{User: "someone", Verb: "get", Resource: "secrets", Namespace: "default"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := test.client.Allowed(t.Context(), test.access)
			if err != nil || got != test.want {
				t.Errorf("allowed %v, %v; want %v", got, err, test.want)
			}
		})
	}
	_, _, err := nobody.Allowed(t.Context(), Access{User: "someone", Verb: "get", Resource: "secrets"})
	contains(t, err, "create SubjectAccessReview", "403", "the verb create on subjectaccessreviews")
}
