//go:build linux

package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// checked says which test has each directory of examples/.
var checked = map[string]func(*testing.T){
	"changing-the-issuer":   TestIssuerChangesWithoutAnOutage,
	"complete":              TestCompleteExample,
	"data-sources":          TestExamplesOfTheReferenceAreValid,
	"eks-al2023":            TestEKSNodesReadTheEntryBehindECRs,
	"ephemeral-resources":   TestExamplesOfTheReferenceAreValid,
	"functions":             TestExamplesOfTheReferenceAreValid,
	"gke-aks":               TestDaemonSetAddsTheEntryAndTakesItOut,
	"image-bake":            TestImageGetsFilePluginAndFlags,
	"issuer-object-storage": TestObjectStorageHasBothDocuments,
	"issuer-static-site":    TestStaticSiteServesBothDocuments,
	"kubeadm":               TestKubeadmNodesGetPluginFileAndFlags,
	"kubeadm-issuer":        TestClusterHasTheIssuerOfTheInventory,
	"many-clusters":         TestEveryClusterOfTheInventoryIsTrusted,
	"node":                  TestPinnedIsTheVariable,
	"provider":              TestExamplesOfTheReferenceAreValid,
	"resources":             TestExamplesOfTheReferenceAreValid,
	"rotating-keys":         TestKeysRotateWithoutAnOutage,
	"talos":                 TestTalosMachineConfigHoldsTheObject,
	"vault-jwt-auth":        TestVaultLetsWorkloadsInByTheClustersKeys,
	"workload-identity":     TestCloudsTrustOneServiceAccount,
}

func TestEveryDirectoryIsChecked(t *testing.T) {
	entries, err := os.ReadDir(directory(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if checked[entry.Name()] == nil {
			t.Errorf("no test is known to check examples/%s", entry.Name())
		}
	}
}

// Only these files are left out of the tests, because the providers in them cannot be had there.
func TestOtherProvidersHaveFilesOfTheirOwn(t *testing.T) {
	found := map[string][]string{}
	for name := range checked {
		if _, err := os.Stat(directory(t, name, "main.tf")); err != nil {
			continue
		}
		_, theirs := split(t, name)
		for file, text := range theirs {
			found[name+"/"+file] = handedOver(text)
		}
	}
	same(t, "what is handed to other providers", map[string][]string{
		"eks-al2023/aws.tf":              {"base64encode(local.user_data)"},
		"gke-aks/kubernetes.tf":          {"local.manifests.namespace", "local.manifests.files", "local.manifests.daemon_set"},
		"issuer-object-storage/azure.tf": {"local.objects", "local.cache_control"},
		"issuer-object-storage/gcs.tf":   {"local.objects", "local.cache_control"},
		"issuer-object-storage/s3.tf":    {"local.objects", "local.cache_control"},
		"issuer-static-site/kubernetes.tf": {
			"local.manifests.namespace", "local.manifests.files", "local.manifests.deployment", "local.manifests.disruptions",
			"local.manifests.service", "local.manifests.ingress",
		},
		"talos/talos.tf": {"[local.machine_config_patch]"},
		"vault-jwt-auth/vault.tf": {
			"local.mount.path", "local.mount.bound_issuer", "local.mount.jwt_validation_pubkeys", "local.roles",
		},
		"workload-identity/aws.tf":   {"local.aws.url", "local.aws.audiences", "local.aws.conditions"},
		"workload-identity/azure.tf": {"local.azure.issuer", "local.azure.subject", "local.azure.audience"},
		"workload-identity/google.tf": {
			"local.google.pool", "local.google.attribute_mapping", "local.google.issuer", "local.google.jwks", "local.google.audiences",
		},
	}, found)
}

// The example is applied as it is, and its checks tell an allowed pull from a denied one.
func TestCompleteExample(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	readers := registry.AddGroup("team-readers", "").ID
	registry.AddGroup("platform-readers", "")
	repository := registry.AddRepository(emulator.Repository{Key: "team"}).ID
	rule := registry.AddPermission(emulator.Permission{
		PrincipalType: "group", PrincipalID: readers, TargetType: "repository", TargetID: repository,
	})
	plane := cluster(t)
	for _, namespace := range []string{"team", "default"} {
		serviceAccount(t, plane, namespace, "default")
	}
	file := filepath.Join(t.TempDir(), "credential-provider.yaml")
	w := example(t, "complete", map[string]any{
		"cluster_name": "prod", "registry_endpoint": registry.URL(), "registry_token": registry.Token(),
		"registry_ca_certificate": registry.CACertificate(), "kubeconfig": kubeconfig(t, plane), "kubelet_config_path": file,
	})
	w.Plan(2)
	acctest.Silent(t, w.Apply(), "assertion failed")
	acctest.Silent(t, w.Plan(0), "Warning")
	starts(t, file, readFile(t, file))
	out := outputsOf(t, w)
	if kids := output[[]string](t, out, "key_ids"); len(kids) != 1 {
		t.Errorf("the registry accepts the keys %q", kids)
	}
	for name, account := range output[map[string]string](t, out, "accounts") {
		if !strings.HasPrefix(account, "ci-") {
			t.Errorf("the account of %s is %q", name, account)
		}
	}

	mends(t, w, registry)

	// What nothing here manages: the plan has nothing to do, and says what is broken.
	if err := registry.DeletePermission(rule.ID); err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, w.Plan(0), "No changes.", "assertion failed", "team/default", "is refused", "[permission]")
	registry.AddPermission(rule)
	acctest.Silent(t, w.Plan(0), "Warning")

	// A hole that no resource of the example sees either.
	_, err := registry.AddMapping(emulator.Mapping{
		Name: "everybody", ProviderID: registry.State().Providers[0].ID, Priority: 1, IsEnabled: true,
		ClaimFilters: []byte("{}"), GroupBindingIDs: []string{readers},
	})
	if err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, w.Plan(0), "No changes.", "assertion failed", "default/default", `is allowed, by the mapping "everybody"`)
	w.Expect(0, "destroy", "-no-color", "-auto-approve")
}

// mends expects that one apply mends a provider that somebody else has changed, and that no check warns of what that apply mends:
// the pull is judged after it. The plan cannot judge it yet, and says so.
func mends(t *testing.T, w *acctest.Workspace, registry *emulator.Server) {
	t.Helper()
	for name, change := range map[string]func(*emulator.Provider){
		"disabled": func(p *emulator.Provider) { p.IsEnabled = false },
		"no key":   func(p *emulator.Provider) { p.StaticJWKS = []byte(`{"keys":[]}`) },
	} {
		if err := registry.UpdateProvider(registry.State().Providers[0].ID, change); err != nil {
			t.Fatal(err)
		}
		planned := w.Plan(2)
		acctest.Says(t, planned, "known after apply", "0 to add, 1 to change, 0 to destroy")
		acctest.Silent(t, planned, "assertion failed")
		if applied := w.Apply(); strings.Contains(applied, "assertion failed") {
			t.Errorf("%s: a check warns of what the apply has mended:\n%s", name, applied)
		}
		acctest.Silent(t, w.Plan(0), "Warning")
	}
}
