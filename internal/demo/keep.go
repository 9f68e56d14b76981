package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// keep says how to use what runs, and waits for the end of ctx. What the last step has destroyed is applied once more,
// so that there is something to look at.
func (d *demo) keep(ctx context.Context, destroyed bool) error {
	if destroyed {
		d.report.title("KEEP is set: the configuration is applied once more")
		if err := d.apply(ctx); err != nil {
			return err
		}
	}
	token := d.path("registry-token")
	if err := os.WriteFile(token, []byte(d.registry.Token()), 0o600); err != nil {
		return err
	}
	d.report.title("Everything is left running. In another shell:")
	d.report.write(fmt.Sprintf(`
   cd %s
   export TF_CLI_CONFIG_FILE=%s
   export ARTIFACT_KEEPER_ENDPOINT=%s
   export ARTIFACT_KEEPER_TOKEN="$(cat %s)"
   export ARTIFACT_KEEPER_CA_CERTIFICATE="$(cat %s)" CURL_CA_BUNDLE=%s
   export KUBECONFIG=%s

   %s plan
   curl -sS -H "Authorization: Bearer $ARTIFACT_KEEPER_TOKEN" "$ARTIFACT_KEEPER_ENDPOINT/api/v1/admin/ci-oidc"
   kubectl get clusterroles,clusterrolebindings -l app.kubernetes.io/managed-by=%s
   cat %s

There is no init: TF_CLI_CONFIG_FILE names the provider, which was built for this demo. The README's configuration works here
too, once this one is destroyed (a registry takes one provider for an issuer and an audience), in a folder of its own and after

   sed -i 's|ak.example.com|%s|; s|~/.kube/config|%s|; s|config_context = "prod"|config_context = "%s"|' main.tf

Ctrl-C here, or kill -INT %d, stops the registry and the cluster, and removes the folder.`,
		d.cli.Dir, filepath.Join(d.path(pluginsDir), "cli.tfrc"), d.registry.URL(), token, d.path(caFile), d.path(caFile),
		d.path(kubeconfigFile), d.cli.CLI, owner, d.path(nodeFile), d.registry.Host(), d.path(kubeconfigFile),
		controlplane.Context, os.Getpid()))
	<-ctx.Done()
	d.report.title("Stopping.")
	return nil
}
