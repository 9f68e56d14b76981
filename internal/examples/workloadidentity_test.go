//go:build linux

package examples_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

func identityVariables(t *testing.T) map[string]any {
	t.Helper()
	return map[string]any{
		"cluster_name": "prod", "kubeconfig": kubeconfig(t, anotherCluster(t)), "namespace": "team", "service_account": "app",
		"issuer_ca_certificate": public().CA(),
	}
}

// keysOf are the keys of a cluster as its API server has them.
func keysOf(t *testing.T, plane *controlplane.ControlPlane) string {
	t.Helper()
	var keys json.RawMessage
	if err := plane.As(controlplane.Admin).Get(t.Context(), "/openid/v1/jwks", &keys); err != nil {
		t.Fatal(err)
	}
	return string(keys)
}

// Each cloud is told what it needs to tell the token of one ServiceAccount from all others.
func TestCloudsTrustOneServiceAccount(t *testing.T) {
	plane := anotherCluster(t)
	issuer := public().Issue("/clusters/prod", keysOf(t, plane))
	same(t, "the issuer", plane.Issuer(), issuer)
	out := outputs(t, "workload-identity", identityVariables(t))

	token := tokenOf(t, plane, "team", "app", "google-cloud")
	google := handed(t, out, "google.tf")
	same(t, "the pool", "prod", decode[string](t, google[0]))
	same(t, "Google's mapping", map[string]string{"google.subject": "assertion.sub"}, decode[map[string]string](t, google[1]))
	same(t, "Google's issuer", issuer, decode[string](t, google[2]))
	same(t, "Google's audiences", []string{"google-cloud"}, decode[[]string](t, google[4]))
	subject := verifiedWith(t, token, decode[string](t, google[3]))

	azure := handed(t, out, "azure.tf")
	same(t, "Azure's issuer", issuer, decode[string](t, azure[0]))
	same(t, "Azure's subject", subject, decode[string](t, azure[1]))
	same(t, "Azure's audience", []string{"api://AzureADTokenExchange"}, decode[[]string](t, azure[2]))

	aws := handed(t, out, "aws.tf")
	same(t, "AWS's issuer", issuer, decode[string](t, aws[0]))
	same(t, "AWS's audiences", []string{"sts.amazonaws.com"}, decode[[]string](t, aws[1]))
	name := strings.TrimPrefix(issuer, "https://")
	same(t, "AWS's conditions", map[string]map[string]string{
		"StringEquals": {name + ":sub": subject, name + ":aud": "sts.amazonaws.com"},
	}, decode[map[string]map[string]string](t, aws[2]))
}

// Nothing is planned for clouds that would fetch keys in vain.
func TestCloudsAreNotToldOfAnIssuerThatIsNotPublished(t *testing.T) {
	plane := anotherCluster(t)
	for name, c := range map[string]struct {
		publish func()
		says    string
	}{
		"nothing":        {func() { takeDown(map[string]document{"prod/.well-known/openid-configuration": {}}) }, "404"},
		"keys of before": {func() { public().Issue("/clusters/prod", keysOf(t, cluster(t))) }, "missing"},
		"nothing but the API": {func() {
			public().Put("/clusters/prod/.well-known/openid-configuration",
				`{"issuer":"`+plane.Issuer()+`/","jwks_uri":"https://10.0.0.7:6443/openid/v1/jwks"}`, "Content-Type", "application/json")
		}, "10.0.0.7"},
	} {
		t.Run(name, func(t *testing.T) {
			public().Issue("/clusters/prod", keysOf(t, plane))
			c.publish()
			acctest.Says(t, example(t, "workload-identity", identityVariables(t)).Plan(1),
				"Azure and AWS could not verify the cluster's tokens", c.says)
		})
	}
}
