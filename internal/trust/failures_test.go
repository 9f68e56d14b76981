package trust_test

import (
	"os"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/trusttest"
)

func TestMain(m *testing.M) { os.Exit(controlplane.Main(m)) }

// Every row of the guide is a link that a check names when it is broken, and no other is named as broken.
func TestEveryFailure(t *testing.T) {
	for _, row := range failures.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			w := trusttest.New(t, emulator.Options{})
			w.Break(row.Name)
			result := w.Check()
			trusttest.Expect(t, result.Links, result.Allowed(), result.Summary(), row)
		})
	}
}
