package artifactkeeper

import (
	"errors"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// What a refused exchange suggests is about the token that was presented: the credential of the configuration is not in the
// request, and no administrator is needed.
func TestExchangeAdvice(t *testing.T) {
	_, client := start(t, emulator.Options{})
	_, err := client.Exchange(t.Context(), "no-jwt", "")
	if adviceOf(err) == "" || !strings.Contains(adviceOf(err), "and not the credential of this configuration") {
		t.Errorf("%v: %s", err, adviceOf(err))
	}
	for _, c := range []struct {
		fault emulator.Kind
		want  string
	}{
		{emulator.Forbidden, "An access proxy"},
		{emulator.InternalError, "in trouble"},
		{emulator.NotFoundEmpty, "base address"},
	} {
		server, client := start(t, emulator.Options{})
		server.Inject(emulator.Fault{Path: "/api/v1/auth/ci/token", Kind: c.fault})
		_, err := client.Exchange(t.Context(), "no-jwt", "")
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(adviceOf(err), c.want) {
			t.Errorf("%v: %s, want %q", err, adviceOf(err), c.want)
		}
		for _, word := range []string{"administrator's rights", "check token"} {
			if strings.Contains(adviceOf(err), word) {
				t.Errorf("the advice for %v is about the configuration's credential: %s", err, adviceOf(err))
			}
		}
	}
	stub := newStub(t, answer(401, "text/html", "<title>Sign in</title>"))
	if _, err := stub.client(t).Exchange(t.Context(), "no-jwt", ""); !strings.Contains(adviceOf(err), "An access proxy") {
		t.Errorf("%v: %s", err, adviceOf(err))
	}
}
