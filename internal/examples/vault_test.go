//go:build linux

package examples_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// vault verifies tokens as Vault's JWT method does: with the keys of its mount and nothing else.
type vault struct {
	Path   string   `json:"path"`
	Issuer string   `json:"bound_issuer"`
	Keys   []string `json:"jwt_validation_pubkeys"`
	roles  map[string]vaultRole
}

type vaultRole struct {
	Audiences []string          `json:"bound_audiences"`
	Claims    map[string]string `json:"bound_claims"`
	User      string            `json:"user_claim"`
	Policies  []string          `json:"token_policies"`
	TTL       int               `json:"token_ttl"`
}

// login gives the user that a token is, or else why it is refused.
func (v vault) login(t *testing.T, token string, role vaultRole) (user, refusal string) {
	t.Helper()
	claims := map[string]any{}
	if !slices.ContainsFunc(v.Keys, func(key string) bool { return verify(t, token, key, &claims) }) {
		return "", "no known key successfully validated the token signature"
	}
	if claims["iss"] != v.Issuer {
		return "", "invalid issuer (iss) claim"
	}
	audiences, _ := claims["aud"].([]any)
	if !slices.ContainsFunc(audiences, func(a any) bool { return slices.Contains(role.Audiences, fmt.Sprint(a)) }) {
		return "", "invalid audience (aud) claim"
	}
	for pointer, want := range role.Claims {
		if !slices.Contains(strings.Split(want, ","), fmt.Sprint(at(claims, pointer))) {
			return "", "claim " + pointer + " does not match any associated bound claim values"
		}
	}
	return fmt.Sprint(claims[role.User]), ""
}

// verify reports whether a key in PEM verifies a token, and reads its claims.
func verify(t *testing.T, token, key string, into any) bool {
	t.Helper()
	block, rest := pem.Decode([]byte(key))
	if block == nil || block.Type != "PUBLIC KEY" || len(rest) != 0 {
		t.Fatalf("not one public key in PEM: %q", key)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Claims(public, into) == nil
}

// at is the value that a JSON pointer names.
func at(value any, pointer string) any {
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[strings.ReplaceAll(name, "~1", "/")]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inner) {
				return nil
			}
			value = inner[i]
		default:
			return nil
		}
	}
	return value
}

func vaultVariables(t *testing.T, plane *controlplane.ControlPlane, more map[string]any) map[string]any {
	t.Helper()
	v := map[string]any{
		"cluster_name": "prod", "kubeconfig": kubeconfig(t, plane),
		"roles": map[string]any{"builder": map[string]any{
			"namespace": "ci", "service_accounts": []string{"build", "release"}, "policies": []string{"ci"},
		}},
	}
	maps.Copy(v, more)
	return v
}

func TestVaultLetsWorkloadsInByTheClustersKeys(t *testing.T) {
	plane := cluster(t)
	values := handed(t, outputs(t, "vault-jwt-auth", vaultVariables(t, plane, nil)), "vault.tf")
	v := vault{
		Path: decode[string](t, values[0]), Issuer: decode[string](t, values[1]), Keys: decode[[]string](t, values[2]),
		roles: decode[map[string]vaultRole](t, values[3]),
	}
	same(t, "the mount", "jwt-prod "+plane.Issuer(), v.Path+" "+v.Issuer)
	role := v.roles["builder"]
	same(t, "the policies", []string{"ci"}, role.Policies)
	same(t, "the lifetime", 900, role.TTL)

	token := func(namespace, name, audience string) string { return tokenOf(t, plane, namespace, name, audience) }
	for name, c := range map[string]struct{ token, user, refusal string }{
		"a ServiceAccount of the role": {token: token("ci", "release", "vault"), user: "system:serviceaccount:ci:release"},
		"another one of the role":      {token: token("ci", "build", "vault"), user: "system:serviceaccount:ci:build"},
		"one of the same namespace":    {token: token("ci", "default", "vault"), refusal: "serviceaccount/name does not match"},
		"one of that name, elsewhere":  {token: token("team", "release", "vault"), refusal: "/namespace does not match"},
		"a token that every pod has":   {token: token("ci", "release", ""), refusal: "invalid audience"},
		"a token for the registry":     {token: token("ci", "release", "artifact-keeper"), refusal: "invalid audience"},
		"signed by somebody else":      {token: forged(t, token("ci", "release", "vault")), refusal: "no known key"},
	} {
		t.Run(name, func(t *testing.T) {
			user, refusal := v.login(t, c.token, role)
			if user != c.user || (c.refusal == "") != (refusal == "") || !strings.Contains(refusal, c.refusal) {
				t.Errorf("Vault says %q, %q", user, refusal)
			}
		})
	}
}

// forged are the claims of a token under another signature.
func forged(t *testing.T, token string) string {
	t.Helper()
	claims := map[string]any{}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.UnsafeClaimsWithoutVerification(&claims); err != nil {
		t.Fatal(err)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVaultIsNotOpenedByTokensThatEveryPodHas(t *testing.T) {
	plane := cluster(t)
	for _, audience := range []string{plane.Issuer(), "https://kubernetes.default.svc"} {
		w := example(t, "vault-jwt-auth", vaultVariables(t, plane, map[string]any{"audience": audience}))
		acctest.Says(t, w.Plan(1), audience+" is an audience of the API server", "Every pod has a token for it")
	}
}
