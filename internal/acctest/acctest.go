// Package acctest is how tests run a CLI against the provider, a registry and a cluster.
package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/provider"
)

// Main runs the tests of a package that drive a CLI; call it from TestMain. The CLI is TF_ACC_TERRAFORM_PATH, or else the
// OpenTofu of tools/.
func Main(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "acctest:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(pluginDir) // A temporary folder that stays does no harm.
	os.Exit(code)
}

func prepare() error {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// What the person who runs the tests has configured must not reach the provider.
		if strings.HasPrefix(name, "ARTIFACT_KEEPER_") || strings.HasPrefix(name, "KUBE") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	// The CLI warns about a configuration file that is not there, and the harness takes the warning for output.
	if file := os.Getenv("TF_CLI_CONFIG_FILE"); file != "" {
		if _, err := os.Stat(file); err != nil {
			if err := os.Unsetenv("TF_CLI_CONFIG_FILE"); err != nil {
				return err
			}
		}
	}
	cli, err := CLI()
	if err != nil {
		return err
	}
	if err := os.Setenv("TF_ACC_TERRAFORM_PATH", cli); err != nil {
		return err
	}
	opentofu, err := isOpenTofu(cli)
	if err != nil || !opentofu {
		return err
	}
	return os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
}

// CLI is the path of the OpenTofu or Terraform that tests run.
func CLI() (string, error) {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path, nil
	}
	return tool.Path("tofu")
}

func isOpenTofu(cli string) (bool, error) {
	out, err := exec.Command(cli, "version").Output() // #nosec G204 -- the developer's own choice.
	if err != nil {
		return false, fmt.Errorf("asking %s for its version: %w", cli, err)
	}
	return strings.HasPrefix(string(out), "OpenTofu"), nil
}

// Providers serves the provider to the CLI, in this process.
var Providers = map[string]func() (tfprotov6.ProviderServer, error){
	"aktrust": providerserver.NewProtocol6WithError(provider.New("test")),
}

// Registry starts a registry for one test.
func Registry(t testing.TB, options emulator.Options) *emulator.Server {
	t.Helper()
	server, err := emulator.Start(options)
	if err != nil {
		t.Fatalf("starting the registry: %s", err)
	}
	t.Cleanup(server.Close)
	return server
}

// ProviderBlock is a provider configuration for the registry, with further lines such as a kubernetes argument.
func ProviderBlock(server *emulator.Server, lines ...string) string {
	return fmt.Sprintf("provider \"aktrust\" {\n  endpoint       = %q\n  token          = %q\n  ca_certificate = <<-EOT\n%s\nEOT\n%s\n}\n",
		server.URL(), server.Token(), strings.TrimSpace(server.CACertificate()), strings.Join(lines, "\n"))
}
