package ephemeral_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// secret is what a token of the API server and a credential of the registry look like.
var secret = regexp.MustCompile(`eyJ[\w-]+\.eyJ[\w-]+|ak_ci_\w+`)

// Neither secret is in a state, a plan, a log at TRACE or an output, though each reaches the one that asks for it.
func TestSecretsAreWrittenNowhere(t *testing.T) {
	w := newWorld(t)
	space := acctest.NewWorkspace(t, w.configuration()+w.token(nil)+credentials(nil)+
		use("ephemeral.aktrust_registry_credentials.test.password")+
		strings.ReplaceAll(use("ephemeral.aktrust_service_account_token.test.token"), `"use"`, `"use_token"`))
	log := filepath.Join(space.Dir, "trace.log")
	space.Env = append(space.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	printed := space.Expect(0, "plan", "-no-color", "-out=plan")
	printed += space.Expect(0, "apply", "-no-color", "plan")
	printed += space.Plan(0)

	got, err := filepath.Glob(filepath.Join(space.Dir, "secret.*"))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d secrets reached who asks for them, %v", len(got), err)
	}
	for _, file := range got {
		text, err := os.ReadFile(file)
		if err != nil || !secret.Match(text) {
			t.Errorf("%s is not taken for a secret, %v", text, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	texts := space.Files()
	texts["what was printed"] = printed
	for _, name := range []string{"terraform.tfstate", "trace.log", "plan/tfplan", "plan/tfstate"} {
		if texts[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	acctest.Says(t, texts["trace.log"], "/auth/ci/token", "aktrust_service_account_token")
	for name, text := range texts {
		if found := secret.FindString(text); found != "" {
			t.Errorf("%s has the secret %s", name, found)
		}
	}
}
