package rotation_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/rotation"
)

// fake answers with what it holds, and remembers what was asked.
type fake struct {
	issuer, jwks, token    string
	documentsErr, tokenErr error
	asked                  []cluster.TokenRequest
}

func (f *fake) OIDCDocuments(context.Context) (*cluster.OIDCDocuments, error) {
	if f.documentsErr != nil {
		return nil, f.documentsErr
	}
	return &cluster.OIDCDocuments{Issuer: f.issuer, JWKS: f.jwks}, nil
}

func (f *fake) CreateToken(_ context.Context, request cluster.TokenRequest) (*cluster.Token, error) {
	f.asked = append(f.asked, request)
	if f.tokenErr != nil {
		return nil, f.tokenErr
	}
	return &cluster.Token{Value: f.token}, nil
}

// sign makes a token of an issuer.
func (k keys) sign(t *testing.T, kid, issuer string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if kid != "" {
		options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: k.private(t, kid)}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(`{"iss":"` + issuer + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestLook(t *testing.T) {
	const issuer = "https://oidc.example.com"
	k := keys{}
	served, token := k.text(t, "a", "b"), k.sign(t, "b", issuer)
	refused := &cluster.Error{Code: 403, Verb: "create", Object: "token", Message: "forbidden"}
	for name, c := range map[string]struct {
		cluster             fake
		signs               string
		serves              int    // how many keys
		signsErr, servesErr string // empty for none
		tokens              int    // how many were asked for
	}{
		"all of it":           {cluster: fake{issuer: issuer, jwks: served, token: token}, signs: "b", serves: 2, tokens: 1},
		"another cluster":     {cluster: fake{issuer: issuer + "/", jwks: served, token: token}, signsErr: issuer + `/"`, servesErr: issuer + `/"`},
		"no tokens":           {cluster: fake{issuer: issuer, jwks: served, tokenErr: refused}, serves: 2, signsErr: "403", tokens: 1},
		"no documents":        {cluster: fake{documentsErr: refused, token: token}, signs: "b", servesErr: "403", tokens: 1},
		"neither":             {cluster: fake{documentsErr: refused, tokenErr: refused}, signsErr: "403", servesErr: "403", tokens: 1},
		"nobody answers":      {cluster: fake{documentsErr: &cluster.Error{Message: "refused"}}, signsErr: "refused", servesErr: "refused"},
		"broken keys":         {cluster: fake{issuer: issuer, jwks: "{}", token: token}, signs: "b", servesErr: "keys", tokens: 1},
		"not a token":         {cluster: fake{issuer: issuer, jwks: served, token: "canary"}, serves: 2, signsErr: "not a signed JWT", tokens: 1},
		"a token without kid": {cluster: fake{issuer: issuer, jwks: served, token: k.sign(t, "", issuer)}, serves: 2, signsErr: "name no key", tokens: 1},
		"another cluster's token": {cluster: fake{documentsErr: refused, token: k.sign(t, "b", "https://other")}, signsErr: `"https://other"`,
			servesErr: `"https://other"`, tokens: 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := rotation.Look(t.Context(), &c.cluster, issuer)
			if got.Signs != c.signs || got.Serves.Len() != c.serves || len(c.cluster.asked) != c.tokens {
				t.Errorf("%+v with %d tokens", got, len(c.cluster.asked))
			}
			for _, half := range []struct {
				err  error
				want string
			}{{got.SignsErr, c.signsErr}, {got.ServesErr, c.servesErr}} {
				if (half.err == nil) != (half.want == "") || half.err != nil && !strings.Contains(half.err.Error(), half.want) {
					t.Errorf("the reason is %v, want %q", half.err, half.want)
				}
				if half.err != nil && strings.Contains(half.err.Error(), "canary") {
					t.Errorf("a token is in %v", half.err)
				}
			}
		})
	}
}

// The token is of no use to anybody, and as short-lived as can be.
func TestLookAsksForAHarmlessToken(t *testing.T) {
	f := fake{issuer: "i", documentsErr: errors.New("x"), tokenErr: errors.New("y")}
	rotation.Look(t.Context(), &f, "i")
	want := cluster.TokenRequest{
		Namespace: "default", ServiceAccount: "default", Audience: "which-key-signs.aktrust.invalid", Expiration: 10 * time.Minute,
	}
	if len(f.asked) != 1 || f.asked[0] != want {
		t.Errorf("asked for %+v", f.asked)
	}
}
