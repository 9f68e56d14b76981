package provider_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// many is a provider with a thousand mappings.
const many = `
resource "aktrust_ci_oidc_provider" "p" {
  name          = "prod"
  provider_type = "kubernetes"
  issuer_url    = "https://oidc.example.com"
}
resource "aktrust_ci_oidc_mapping" "m" {
  count             = 1000
  provider_id       = aktrust_ci_oidc_provider.p.id
  name              = "team-${count.index}"
  claim_filters     = { "/kubernetes.io/namespace" = "team-${count.index}" }
  group_binding_ids = []
}
`

// maxRequests is what a refresh of one provider with any number of mappings may cost.
const maxRequests = 5

// A plan that refreshes a thousand mappings costs a handful of requests.
func TestRefreshOfAThousandMappings(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(server)+many)
	w.Apply("-parallelism=30")
	server.ResetRequests()
	w.Plan(0)
	if n := len(server.Requests()); n > maxRequests {
		t.Errorf("%d requests, want at most %d", n, maxRequests)
	}
}

// BenchmarkRefresh measures a plan that changes nothing, of one provider and a thousand mappings.
func BenchmarkRefresh(b *testing.B) {
	for _, latency := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond} {
		b.Run("latency="+latency.String(), func(b *testing.B) {
			server := acctest.Registry(b, emulator.Options{Latency: latency})
			w := acctest.NewWorkspace(b, acctest.ProviderBlock(server)+many)
			w.Apply("-parallelism=100")
			server.ResetRequests()
			for b.Loop() {
				w.Plan(0)
			}
			b.ReportMetric(float64(len(server.Requests()))/float64(b.N), "requests/op")
		})
	}
}

// BenchmarkHandshake measures from the start of the process to the line that tells the CLI where it listens.
func BenchmarkHandshake(b *testing.B) {
	binary := filepath.Join(acctest.Plugins(b), "terraform-provider-aktrust")
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := handshake(b.Context(), binary); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

// The released binary stays small enough to start at once: what grows it is usually the whole of an API that is needed
// in part.
func TestBinarySize(t *testing.T) {
	info, err := os.Stat(filepath.Join(acctest.Plugins(t), "terraform-provider-aktrust"))
	if err != nil {
		t.Fatal(err)
	}
	if size := info.Size(); size > 30e6 {
		t.Errorf("the stripped binary has %d bytes, want at most 30 MB", size)
	}
}

func handshake(ctx context.Context, binary string) error {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary)
	// What the CLI sets; see the documentation of hashicorp/go-plugin.
	cmd.Env = []string{"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		"PLUGIN_PROTOCOL_VERSIONS=6", "TMPDIR=" + os.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	cancel()
	_ = cmd.Wait() // It was killed.
	if err == nil && !strings.HasPrefix(line, "1|6|") {
		err = fmt.Errorf("not a handshake: %q", line)
	}
	return err
}
