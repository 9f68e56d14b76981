//go:build linux

package examples_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// manyClusters is the example of many clusters for the CLI of this run: only OpenTofu has for_each for providers.
func manyClusters() string {
	if isOpenTofu() {
		return "many-clusters/opentofu"
	}
	return "many-clusters/terraform"
}

func TestOnlyOpenTofuTakesAProviderForEachCluster(t *testing.T) {
	w := exampleAsIs(t, "many-clusters/opentofu", nil)
	if !isOpenTofu() {
		acctest.Says(t, w.Expect(1, "validate", "-no-color"), `The provider argument name "for_each" is reserved`)
		return
	}
	if runs(t, "many-clusters/opentofu") {
		w.Expect(0, "get")
		w.Expect(0, "validate", "-no-color")
	}
}

// inventoryEntry is a cluster with the namespace team in it.
func inventoryEntry(t *testing.T, plane *controlplane.ControlPlane) map[string]any {
	t.Helper()
	return map[string]any{
		"issuer": plane.Issuer(), "kubeconfig": kubeconfig(t, plane), "namespaces": map[string]string{"team": "team-readers"},
	}
}

func inventory(registry *emulator.Server, clusters map[string]any) map[string]any {
	return map[string]any{
		"registry_endpoint": registry.URL(), "registry_token": registry.Token(), "registry_ca_certificate": registry.CACertificate(),
		"clusters": clusters, "audience": "many-clusters",
	}
}

// role is the path of the role with which nodes may ask for that audience.
func role(kind string) string {
	sum := sha256.Sum256([]byte("many-clusters"))
	return "/apis/rbac.authorization.k8s.io/v1/" + kind + "/aktrust-audience-many-clusters-" + hex.EncodeToString(sum[:4])
}

// mayAsk is what a cluster says of that role.
func mayAsk(t *testing.T, plane *controlplane.ControlPlane) error {
	t.Helper()
	return plane.As(controlplane.Admin).Get(t.Context(), role("clusterroles"), nil)
}

// forbid takes the role from a cluster that nobody manages any more.
func forbid(t *testing.T, plane *controlplane.ControlPlane) error {
	t.Helper()
	admin := plane.As(controlplane.Admin)
	return errors.Join(admin.Delete(t.Context(), role("clusterroles")), admin.Delete(t.Context(), role("clusterrolebindings")))
}

type trusted struct {
	ProviderID string            `json:"provider_id"`
	KeyIDs     []string          `json:"key_ids"`
	Accounts   map[string]string `json:"accounts"`
}

// twoClusters is the example, applied to two clusters.
func twoClusters(t *testing.T, registry *emulator.Server) (*acctest.Workspace, map[string]any) {
	t.Helper()
	registry.AddGroup("team-readers", "")
	clusters := map[string]any{"eu": inventoryEntry(t, cluster(t)), "us": inventoryEntry(t, anotherCluster(t))}
	w := example(t, manyClusters(), inventory(registry, clusters))
	w.Plan(2)
	w.Apply()
	w.Plan(0)
	return w, clusters
}

func TestEveryClusterOfTheInventoryIsTrusted(t *testing.T) {
	if !runs(t, manyClusters()) {
		return
	}
	registry := acctest.Registry(t, emulator.Options{})
	planes := map[string]*controlplane.ControlPlane{"eu": cluster(t), "us": anotherCluster(t)}
	w, clusters := twoClusters(t, registry)

	all := output[map[string]trusted](t, outputsOf(t, w), "clusters")
	client, err := artifactkeeper.New(artifactkeeper.Config{Endpoint: registry.URL(), CACertificate: registry.CACertificate()})
	if err != nil {
		t.Fatal(err)
	}
	for name, plane := range planes {
		same(t, "the registry's trusts", 2, len(registry.State().Providers))
		for other, trust := range all {
			token := tokenOf(t, plane, "team", "app", "many-clusters")
			credential, err := client.Exchange(t.Context(), token, trust.ProviderID)
			if (err == nil) != (name == other) || credential.Username != map[bool]string{true: trust.Accounts["team"]}[name == other] {
				t.Errorf("a token of %s, presented as one of %s, is the account %q (%v)", name, other, credential.Username, err)
			}
		}
		if err := mayAsk(t, plane); err != nil {
			t.Errorf("%s: %s", name, err)
		}
	}

	// One is retired: what it was given goes, while its provider is there to do so.
	clusters["us"].(map[string]any)["retired"] = true
	writeVariables(t, w, inventory(registry, clusters))
	acctest.Says(t, w.Plan(2), "0 to add, 0 to change, 3 to destroy")
	w.Apply()
	same(t, "the issuer that is left", planes["eu"].Issuer(), registry.State().Providers[0].IssuerURL)
	same(t, "the trusts that are left", 1, len(registry.State().Providers))
	if err := mayAsk(t, planes["us"]); err == nil {
		t.Error("nodes of the retired cluster may still ask for the audience")
	}
	if isOpenTofu() { // For Terraform the blocks of the cluster go, too.
		delete(clusters, "us")
		writeVariables(t, w, inventory(registry, clusters))
	}
	w.Plan(0)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
}

// One that cannot be reached is left out of a plan, and one that is gone for good leaves as the guide says.
func TestAClusterThatIsGone(t *testing.T) {
	if !runs(t, manyClusters()) {
		return
	}
	registry := acctest.Registry(t, emulator.Options{})
	w, clusters := twoClusters(t, registry)
	gone := clusters["us"].(map[string]any)
	gone["kubeconfig"] = "/nowhere"
	writeVariables(t, w, inventory(registry, clusters))
	acctest.Says(t, w.Plan(1), "there is no file /nowhere")
	address, without := "module.us[0].aktrust_node_audience.registry", "-target=module.eu"
	if isOpenTofu() {
		address, without = `module.cluster["us"].aktrust_node_audience.registry`, `-exclude=module.cluster["us"]`
	}
	acctest.Says(t, w.Plan(0, without), "No changes.")

	w.Expect(0, "state", "rm", address)
	gone["retired"] = true
	writeVariables(t, w, inventory(registry, clusters))
	w.Apply()
	same(t, "the trusts that are left", 1, len(registry.State().Providers))
	w.Plan(0)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
	if err := forbid(t, anotherCluster(t)); err != nil {
		t.Error(err)
	}
}

// What is wrong with an inventory comes out while planning, and before any cluster is asked.
func TestInventoryIsRefused(t *testing.T) {
	if !runs(t, manyClusters()) {
		return
	}
	registry := acctest.Registry(t, emulator.Options{})
	entry := func(issuer string) map[string]any { return map[string]any{"issuer": issuer, "kubeconfig": "/nowhere"} }
	for name, c := range map[string]struct{ us, says string }{
		"the same issuer":      {"https://oidc.example.com/Prod", "eu and us have https://oidc.example.com/Prod"},
		"with a slash behind":  {"https://oidc.example.com/Prod/", "eu and us have https://oidc.example.com/Prod"},
		"in capitals":          {"https://OIDC.Example.com/Prod", "eu and us have https://oidc.example.com/Prod"},
		"no URL":               {"kubernetes/serviceaccount", "An issuer is an https:// URL"},
		"a URL with a query":   {"https://oidc.example.com?a", "An issuer is an https:// URL"},
		"a URL without a host": {"https:///prod", "An issuer is an https:// URL"},
	} {
		t.Run(name, func(t *testing.T) {
			out := planFails(t, inventory(registry, map[string]any{"eu": entry("https://oidc.example.com/Prod"), "us": entry(c.us)}))
			acctest.Says(t, out, c.says)
			if name == "the same issuer" {
				saidIn(t, out, "many-clusters", "Two clusters", "https://oidc.example.com/prod", "https://oidc.example.com/Prod")
			}
			acctest.Silent(t, out, "there is no file /nowhere")
		})
	}
	t.Run("another path", func(t *testing.T) { // Paths have two cases.
		out := planFails(t, inventory(registry, map[string]any{
			"eu": entry("https://oidc.example.com/Prod"), "us": entry("https://oidc.example.com/prod"),
		}))
		acctest.Says(t, out, "there is no file /nowhere")
		acctest.Silent(t, out, "have the same issuer")
	})
	t.Run("the kubeconfig of another cluster", func(t *testing.T) {
		eu, us := inventoryEntry(t, cluster(t)), inventoryEntry(t, anotherCluster(t))
		eu["kubeconfig"], us["kubeconfig"] = us["kubeconfig"], eu["kubeconfig"]
		registry.AddGroup("team-readers", "")
		out := planFails(t, inventory(registry, map[string]any{"eu": eu, "us": us}))
		here, there := cluster(t).Issuer(), anotherCluster(t).Issuer()
		saidIn(t, out, "many-clusters", "The inventory", "https://oidc.example.com/eu", here, "https://oidc.example.com/us", there)
		acctest.Says(t, out, "The inventory has the issuer "+there+" for us, and its API server says "+here)
	})
}

// planFails is what a plan says that fails.
func planFails(t *testing.T, variables map[string]any) string {
	t.Helper()
	return example(t, manyClusters(), variables).Plan(1)
}

func TestInventoriesAreOfOneForm(t *testing.T) {
	for _, file := range []string{"variables.tf", "terraform.tfvars"} {
		same(t, file, readFile(t, directory(t, "many-clusters", "opentofu", file)), readFile(t, directory(t, "many-clusters", "terraform", file)))
	}
	if isOpenTofu() {
		return
	}
	// Under Terraform each cluster needs blocks of its own.
	registry := acctest.Registry(t, emulator.Options{})
	registry.AddGroup("team-readers", "")
	out := planFails(t, inventory(registry, map[string]any{
		"eu": inventoryEntry(t, cluster(t)), "us": inventoryEntry(t, anotherCluster(t)),
		"ap": map[string]any{"issuer": "https://oidc.example.com", "kubeconfig": "/nowhere"},
	}))
	acctest.Says(t, out, "Without a provider and a module here: ap.")
}
