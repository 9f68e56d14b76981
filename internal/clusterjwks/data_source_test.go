package clusterjwks_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "data.aktrust_cluster_jwks.test"

// config reads the data source as a user of a control plane. What uses its text shows whether that changes.
func config(plane *controlplane.ControlPlane, user string) string {
	return reading(plane.URL(), plane.Token(user), plane.CA())
}

func reading(host, token, ca string) string {
	return fmt.Sprintf(`provider "aktrust" {
  kubernetes = {
    host                   = %q
    token                  = %q
    cluster_ca_certificate = %s
  }
}
data "aktrust_cluster_jwks" "test" {}
resource "terraform_data" "keys" {
  input = [data.aktrust_cluster_jwks.test.jwks, data.aktrust_cluster_jwks.test.keys, data.aktrust_cluster_jwks.test.discovery_document]
}
output "key_ids" { value = data.aktrust_cluster_jwks.test.key_ids }
output "warnings" { value = data.aktrust_cluster_jwks.test.warnings }
`, host, token, acctest.HCL(ca))
}

func keys(t *testing.T) (rsa, ec *controlplane.Key, rsaID, ecID string) {
	t.Helper()
	var err error
	check := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rsa, err = controlplane.NewRSAKey()
	check()
	ec, err = controlplane.NewECKey()
	check()
	rsaID, err = rsa.ID()
	check()
	ecID, err = ec.ID()
	check()
	return rsa, ec, rsaID, ecID
}

func start(t *testing.T, options controlplane.Options) *controlplane.ControlPlane {
	t.Helper()
	plane, err := controlplane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(); err != nil {
			t.Error(err)
		}
	})
	return plane
}

func value(at tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, at, want)
}

func TestEveryAttribute(t *testing.T) {
	rsa, ec, rsaID, ecID := keys(t)
	plane := start(t, controlplane.Options{
		Issuer: "https://oidc.example.test/prod", Keys: controlplane.Keys{Sign: rsa, Verify: []*controlplane.Key{ec}},
		Args: []string{"--service-account-jwks-uri=https://oidc.example.test/prod/openid/v1/jwks"},
	})
	ids := []string{rsaID, ecID}
	slices.Sort(ids)
	key := func(id string) knownvalue.Check {
		kty, alg := "RSA", "RS256"
		if id == ecID {
			kty, alg = "EC", "ES256"
		}
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"kid": knownvalue.StringExact(id), "kty": knownvalue.StringExact(kty), "alg": knownvalue.StringExact(alg),
			"use": knownvalue.StringExact("sig"), "thumbprint": knownvalue.StringRegexp(regexp.MustCompile(`^[\w-]{43}$`)),
			"public_key_pem": knownvalue.StringRegexp(regexp.MustCompile(`^-----BEGIN PUBLIC KEY-----\n[\s\S]+-----END PUBLIC KEY-----\n$`)),
		})
	}
	path := tfjsonpath.New[string]
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Providers, Steps: []resource.TestStep{{
		Config: config(plane, controlplane.Admin),
		ConfigStateChecks: []statecheck.StateCheck{
			value(path("issuer"), knownvalue.StringExact("https://oidc.example.test/prod")),
			value(path("jwks_uri"), knownvalue.StringExact("https://oidc.example.test/prod/openid/v1/jwks")),
			value(path("key_ids"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(ids[0]), knownvalue.StringExact(ids[1])})),
			value(path("keys"), knownvalue.ListExact([]knownvalue.Check{key(ids[0]), key(ids[1])})),
			value(path("jwks"), canonical{ids}),
			value(path("signing_algorithms"), knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("ES256"), knownvalue.StringExact("RS256"),
			})),
			value(path("discovery_document"), knownvalue.StringRegexp(regexp.MustCompile(`"issuer":"https://oidc.example.test/prod"`))),
			value(path("warnings"), knownvalue.ListExact([]knownvalue.Check{})),
		},
	}}})
}

// canonical is a key set of one line with these kids in this order.
type canonical struct{ ids []string }

func (c canonical) String() string { return fmt.Sprintf("a key set of %v", c.ids) }

func (c canonical) CheckValue(value any) error {
	text, _ := value.(string)
	var set struct{ Keys []struct{ Kid string } }
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return err
	}
	var ids []string
	for _, key := range set.Keys {
		ids = append(ids, key.Kid)
	}
	if !slices.Equal(ids, c.ids) || strings.ContainsAny(text, " \n") {
		return fmt.Errorf("%s", text)
	}
	return nil
}

// A restart, and another order of the same keys, is no change. A rotation shows as what it is.
func TestTheSameKeysAreTheSameText(t *testing.T) {
	rsa, ec, rsaID, ecID := keys(t)
	plane := start(t, controlplane.Options{Keys: controlplane.Keys{Sign: rsa, Verify: []*controlplane.Key{ec}}})
	rotate := func(keys controlplane.Keys) {
		t.Helper()
		if err := plane.RotateSigningKey(t.Context(), keys); err != nil {
			t.Fatal(err)
		}
	}
	w := acctest.NewWorkspace(t, config(plane, controlplane.Admin))
	w.Apply()
	w.Plan(0)
	rotate(controlplane.Keys{Sign: ec, Verify: []*controlplane.Key{rsa}})
	w.Plan(0)
	rotate(controlplane.Keys{Sign: ec})
	acctest.Says(t, w.Plan(2), "- "+fmt.Sprintf("%q", rsaID), fmt.Sprintf("%q", ecID))
}

func TestErrors(t *testing.T) {
	plane := controlplane.Shared(t)
	w := acctest.NewWorkspace(t, config(plane, controlplane.Nobody))
	acctest.Says(t, w.Plan(1), "Cannot read the keys of the cluster", "403 Forbidden",
		"--clusterrole=system:service-account-issuer-discovery", controlplane.Nobody)

	// Whoever has that role may.
	err := plane.As(controlplane.Admin).Apply(t.Context(), "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/jwks-reader", "test", false,
		map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": "jwks-reader"},
			"roleRef": map[string]any{
				"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:service-account-issuer-discovery",
			},
			"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": controlplane.Nobody}},
		})
	if err != nil {
		t.Fatal(err)
	}
	w.Apply()

	w.Config("data \"aktrust_cluster_jwks\" \"test\" {}\n")
	acctest.Says(t, w.Plan(1), "Cannot read the keys of the cluster", "nothing names a cluster", "in_cluster = true")
}

// A connection that is known at apply cannot be used while planning; depends_on puts the read off.
func TestUnknownConnection(t *testing.T) {
	plane := controlplane.Shared(t)
	config := strings.Replace(config(plane, controlplane.Admin), fmt.Sprintf("%q", plane.URL()), "terraform_data.url.output", 1) +
		"resource \"terraform_data\" \"url\" {\n  input = " + acctest.HCL(plane.URL()) + "\n}\n"
	w := acctest.NewWorkspace(t, config)
	acctest.Says(t, w.Plan(1), "Cannot read the keys of the cluster", "kubernetes.host", "depends_on")
	w.Config(strings.Replace(config, "\"test\" {}", "\"test\" {\n  depends_on = [terraform_data.url]\n}", 1))
	w.Apply()
	w.Plan(0)
}

func TestNoIssuer(t *testing.T) {
	plane := start(t, controlplane.Options{Issuer: "kubernetes/serviceaccount"})
	w := acctest.NewWorkspace(t, config(plane, controlplane.Admin))
	acctest.Says(t, w.Plan(1), "Cannot read the keys of the cluster", "404", "the first --service-account-issuer is not an https URL")
}
