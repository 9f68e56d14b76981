package functions_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
)

const audience = "artifact-keeper"

// publish applies, and puts what the configuration makes of the cluster's issuer and keys where it belongs.
func publish(t *testing.T, server *publisher.Server, w *acctest.Workspace) {
	t.Helper()
	w.Apply()
	type document struct {
		Path        string `json:"path"`
		Content     string `json:"content"`
		ContentType string `json:"content_type"`
	}
	for _, made := range output[map[string]document](t, w, "documents") {
		server.Put("/"+made.Path, made.Content, "Content-Type", made.ContentType)
	}
}

// verify does what a consumer does that trusts an issuer and knows nothing else: somebody else's code fetches both documents
// and checks the token.
func verify(t *testing.T, server *publisher.Server, issuer, token string) error {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), server.Client())
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return err
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: audience}).Verify(ctx, token)
	if err == nil && verified.Subject != "system:serviceaccount:default:puller" {
		t.Errorf("the token is of %s", verified.Subject)
	}
	return err
}

// documentsOf makes the documents of what the data source reads.
func documentsOf(plane *controlplane.ControlPlane) string {
	return "provider \"aktrust\" {\n  kubernetes = {\n    host = \"" + plane.URL() + "\"\n    token = \"" + plane.Token(controlplane.Admin) +
		"\"\n    cluster_ca_certificate = " + acctest.HCL(plane.CA()) + "\n  }\n}\n" + `
data "aktrust_cluster_jwks" "this" {}
output "documents" {
  value = provider::aktrust::issuer_documents(data.aktrust_cluster_jwks.this.issuer, data.aktrust_cluster_jwks.this.jwks)
}
`
}

// Whoever serves what the function makes, at the URL that the API server signs with, has an issuer that go-oidc trusts with
// the API server's tokens; through a rotation too, from the apply after it.
func TestAConsumerVerifiesTokens(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	old, err := controlplane.NewRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	issuer := server.URL() + "/clusters/prod"
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Issuer: issuer, Keys: controlplane.Keys{Sign: old}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	})
	token := func() string {
		t.Helper()
		admin := plane.As(controlplane.Admin)
		if err := admin.EnsureServiceAccount(t.Context(), "default", "puller", nil); err != nil {
			t.Fatal(err)
		}
		token, err := admin.CreateToken(t.Context(), "default", "puller", audience, nil)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	w := workspace(t, documentsOf(plane), nil)
	publish(t, server, w)
	first := token()
	if err := verify(t, server, issuer, first); err != nil {
		t.Error(err)
	}
	// The slash too many: the consumer gets the document, and refuses it for the issuer that it names.
	if err := verify(t, server, issuer+"/", first); !mismatch(err) {
		t.Errorf("an issuer with a slash behind: %v", err)
	}

	young, err := controlplane.NewRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.RotateSigningKey(t.Context(), controlplane.Keys{Sign: young, Verify: []*controlplane.Key{old}}); err != nil {
		t.Fatal(err)
	}
	second := token()
	if err := verify(t, server, issuer, second); err == nil || !strings.Contains(err.Error(), "failed to verify") {
		t.Errorf("a token of a key that is not published: %v", err)
	}
	publish(t, server, w)
	for _, token := range []string{first, second} {
		if err := verify(t, server, issuer, token); err != nil {
			t.Error(err)
		}
	}
	withoutPath(t, server, plane, w, token)
}

// withoutPath gives the cluster a key of another type, and issuers at the root of the host: one that works, and one with a slash
// behind, for which the function makes no documents. Those of the issuer without it are of no use to the tokens.
func withoutPath(t *testing.T, server *publisher.Server, plane *controlplane.ControlPlane, w *acctest.Workspace, token func() string) {
	t.Helper()
	key, err := controlplane.NewECKey()
	if err != nil {
		t.Fatal(err)
	}
	change := func(issuer string) {
		t.Helper()
		err := plane.Restart(t.Context(), func(o *controlplane.Options) { o.Issuer, o.Keys = issuer, controlplane.Keys{Sign: key} })
		if err != nil {
			t.Fatal(err)
		}
	}
	change(server.URL())
	publish(t, server, w)
	if err := verify(t, server, server.URL(), token()); err != nil {
		t.Error(err)
	}
	change(server.URL() + "/")
	acctest.Says(t, w.Plan(1), `Invalid value for "issuer" parameter: it ends in a slash`, "--service-account-issuer")
	if err := verify(t, server, server.URL(), token()); err == nil || !strings.Contains(err.Error(), "issued by a different provider") {
		t.Errorf("a token whose issuer has a slash behind: %v", err)
	}
}

func mismatch(err error) bool {
	_, ok := errors.AsType[*oidc.IssuerMismatchError](err)
	return ok
}
