package pullcheck_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No token, credential or password that a check has to do with stands in a state, a plan, a log or an output, however loud
// that is. The registry tells what it was given and what it gave.
func TestNoCredentialAnywhere(t *testing.T) {
	for name, login := range map[string]bool{"token": false, "login": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Request.Manifest = true
			space := w.workspace(w.check())
			if login {
				username, password := w.Registry.Credentials()
				space.Env = slices.DeleteFunc(space.Env, func(v string) bool { return strings.HasPrefix(v, "ARTIFACT_KEEPER_TOKEN") })
				space.Env = append(space.Env, "ARTIFACT_KEEPER_USERNAME="+username, "ARTIFACT_KEEPER_PASSWORD="+password)
			}
			space.Env = append(space.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(space.Dir, "trace.log"))
			printed := space.Expect(0, "plan", "-no-color", "-out=plan")
			printed += space.Expect(0, "show", "-json", "plan")
			printed += space.Expect(0, "apply", "-no-color", "plan")
			printed += space.Expect(0, "output", "-json")
			printed += space.Expect(0, "show", "-json")
			printed += space.Expect(0, "plan", "-no-color")

			given := strings.Join(w.Secrets(), "\n")
			for _, kind := range []string{"eyJ", "ak_ci_", "ak_pull_"} {
				if strings.Count(given, kind) < 2 {
					t.Errorf("the registry saw few credentials that begin with %s, so that nothing is proven", kind)
				}
			}
			texts := space.Files()
			texts["what was printed"] = printed
			for _, file := range []string{"terraform.tfstate", "trace.log", "plan/tfplan", "plan/tfstate"} {
				if texts[file] == "" {
					t.Errorf("there is no %s", file)
				}
			}
			if !strings.Contains(texts["trace.log"], "/auth/ci/token") {
				t.Error("the log does not hold the provider's own lines, so that it proves nothing")
			}
			for file, text := range texts {
				w.Silent(file, text)
			}
		})
	}
}
