//go:build linux

package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// checked says which test has each directory of examples/.
var checked = map[string]func(*testing.T){
	"complete":            TestCompleteExample,
	"ephemeral-resources": TestExamplesOfTheReferenceAreValid,
	"data-sources":        TestExamplesOfTheReferenceAreValid,
	"eks-al2023":          TestEKSNodesReadTheEntryBehindECRs,
	"functions":           TestExamplesOfTheReferenceAreValid,
	"gke-aks":             TestDaemonSetAddsTheEntryAndTakesItOut,
	"image-bake":          TestImageGetsFilePluginAndFlags,
	"kubeadm":             TestKubeadmNodesGetPluginFileAndFlags,
	"node":                TestPinnedIsTheVariable,
	"provider":            TestExamplesOfTheReferenceAreValid,
	"resources":           TestExamplesOfTheReferenceAreValid,
	"talos":               TestTalosMachineConfigHoldsTheObject,
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
		"eks-al2023/aws.tf":     {"base64encode(local.user_data)"},
		"gke-aks/kubernetes.tf": {"local.manifests.namespace", "local.manifests.files", "local.manifests.daemon_set"},
		"talos/talos.tf":        {"[local.machine_config_patch]"},
	}, found)
}

func TestCompleteExample(t *testing.T) {
	registry := acctest.Registry(t, emulator.Options{})
	registry.AddGroup("team-readers", "")
	registry.AddGroup("platform-readers", "")
	plane := cluster(t)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := plane.WriteKubeconfig(kubeconfig, controlplane.Admin); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "credential-provider.yaml")
	out := outputs(t, "complete", map[string]any{
		"cluster_name": "prod", "registry_endpoint": registry.URL(), "registry_token": registry.Token(),
		"registry_ca_certificate": registry.CACertificate(), "kubeconfig": kubeconfig, "kubelet_config_path": file,
	})
	starts(t, file, readFile(t, file))
	if kids := output[[]string](t, out, "key_ids"); len(kids) != 1 {
		t.Errorf("the registry accepts the keys %q", kids)
	}
	for name, account := range output[map[string]string](t, out, "accounts") {
		if !strings.HasPrefix(account, "ci-") {
			t.Errorf("the account of %s is %q", name, account)
		}
	}
}
