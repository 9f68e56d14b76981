//go:build e2e && linux

package e2e

import (
	"net/http"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// requests are what the registry was asked, in order.
type requests []emulator.Request

// since gives a function with what the registry was asked from now on.
func (w *world) since() func() requests {
	before := len(w.registry.Requests())
	return func() requests { return w.registry.Requests()[before:] }
}

// exchanges are the presentations of a ServiceAccount's token.
func (r requests) exchanges() requests {
	return r.filter(func(q emulator.Request) bool {
		return q.Method == http.MethodPost && q.Path == "/api/v1/auth/ci/token"
	})
}

// pulls are requests for an image of the repository "team".
func (r requests) pulls(image string) requests {
	return r.filter(func(q emulator.Request) bool { return strings.HasPrefix(q.Path, "/v2/team/"+image+"/") })
}

func (r requests) answered(status int) requests {
	return r.filter(func(q emulator.Request) bool { return q.Status == status })
}

func (r requests) filter(keep func(emulator.Request) bool) (kept requests) {
	for _, q := range r {
		if keep(q) {
			kept = append(kept, q)
		}
	}
	return kept
}
