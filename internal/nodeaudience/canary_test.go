package nodeaudience_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// login is a way to log in to a cluster, with the secrets in it.
type login struct {
	arguments string
	variables map[string]string
	secrets   []string
	works     bool // on the real control plane
}

// Scripts for sh, without what would be a template in HCL: each says something for the log and prints a token.
const (
	printCredential = `echo the command speaks >&2; printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",'; ` +
		`printf '"status":{"token":"'; printenv CLUSTER_TOKEN | tr -d '\n'; printf '"}}'`
	printToken = `echo the command speaks >&2; printenv CLUSTER_TOKEN`
)

// logins are all that a provider block knows, and an exec command that prints something else.
func (w *world) logins() map[string]login {
	w.t.Helper()
	token := w.Token(controlplane.Admin)
	certificate, key, err := w.ClientCertificate("canary", "system:masters")
	w.must(err)
	exec := func(script string) string {
		return fmt.Sprintf("exec = {\n  api_version = \"client.authentication.k8s.io/v1\"\n  command = \"sh\"\n  args = [\"-c\", %s]\n"+
			"  env = { CLUSTER_TOKEN = var.token, OTHER = var.other }\n}", acctest.HCL(script))
	}
	variables := map[string]string{"token": token, "other": "canary-exec-env"}
	return map[string]login{
		"token":    {"token = var.token", map[string]string{"token": token}, []string{token}, true},
		"password": {"username = \"admin\"\npassword = var.password", map[string]string{"password": "canary-password"}, []string{"canary-password"}, false},
		"client key": {
			"client_certificate = " + acctest.HCL(certificate) + "\nclient_key = var.key", map[string]string{"key": key}, keyLines(w.t, key), true,
		},
		"exec":             {exec(printCredential), variables, []string{token, "canary-exec-env"}, true},
		"exec of no JSON":  {exec(printToken), variables, []string{token, "canary-exec-env"}, false},
		"exec that breaks": {exec(printToken + "; exit 1"), variables, []string{token, "canary-exec-env"}, false},
	}
}

// keyLines are the lines of a PEM text that give the key away.
func keyLines(t *testing.T, key string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(key) {
		if line = strings.TrimSpace(line); len(line) > 40 && !strings.HasPrefix(line, "-----") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatal("no key")
	}
	return lines
}

// canary is a workspace with everything of the provider's in its log.
func (w *world) canary(host, trust string, l login) *acctest.Workspace {
	w.t.Helper()
	config := fmt.Sprintf("provider \"aktrust\" {\n  kubernetes = {\n    host = %q\n%s\n%s\n  }\n}\n"+
		"data \"aktrust_cluster_jwks\" \"test\" {}\nresource \"aktrust_node_audience\" \"test\" {\n  audience = %s\n}\n",
		host, trust, l.arguments, acctest.HCL(w.audience))
	cli := acctest.NewWorkspace(w.t, "")
	for name, value := range l.variables {
		config += fmt.Sprintf("variable %q {\n  sensitive = true\n}\n", name)
		cli.Env = append(cli.Env, "TF_VAR_"+name+"="+value)
	}
	cli.Config(config)
	// The CLI's own trace holds the variables; its warnings have what a command says.
	cli.Env = append(cli.Env, "TF_LOG_PROVIDER=TRACE", "TF_LOG_CORE=WARN", "TF_LOG_PATH="+filepath.Join(cli.Dir, "trace.log"))
	return cli
}

// keeps expects that none of the secrets is in the output, the log or the state.
func (w *world) keeps(cli *acctest.Workspace, l login, output string, logged ...string) {
	w.t.Helper()
	log, err := os.ReadFile(filepath.Join(cli.Dir, "trace.log"))
	w.must(err)
	logged = append(logged, "[TRACE]")
	if strings.Contains(l.arguments, "exec") {
		logged = append(logged, "the command speaks") // what a command says to people is for people
	}
	for _, text := range logged {
		if !strings.Contains(string(log), text) {
			w.t.Errorf("%q is not in the log", text)
		}
	}
	for name, text := range map[string]string{"output": output, "log": string(log)} {
		for _, secret := range l.secrets {
			if strings.Contains(text, secret) {
				w.t.Errorf("%s is in the %s", secret, name)
			}
		}
	}
}

// No credential of the cluster's half appears anywhere, while things go well.
func TestCredentialsAreNowhere(t *testing.T) {
	w := newWorld(t)
	for name, l := range w.logins() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cli := w.canary(w.URL(), "cluster_ca_certificate = "+acctest.HCL(w.CA()), l)
			if !l.works {
				out := cli.Plan(1)
				acctest.Says(t, out, "Cannot read the keys of the cluster")
				w.keeps(cli, l, out)
				return
			}
			out := cli.Plan(2, "-out=plan.bin")
			out += plannedJSON(t, cli.Expect(0, "show", "-json", "plan.bin"))
			out += cli.Expect(0, "apply", "-no-color", "plan.bin")
			out += cli.State() + cli.Expect(0, "show", "-json")
			acctest.Says(t, out, w.name, "jwks")
			out += cli.Plan(0)
			out += cli.Expect(0, "destroy", "-no-color", "-auto-approve")
			w.keeps(cli, l, out)
			w.must(w.gone(nil))
		})
	}
}

// plannedJSON is a plan as JSON without what the CLI itself repeats of the configuration: its variables and expressions.
func plannedJSON(t *testing.T, plan string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(plan), &all); err != nil {
		t.Fatal(err)
	}
	delete(all, "variables")
	delete(all, "configuration")
	text, err := json.Marshal(all)
	if err != nil || len(all["planned_values"]) == 0 {
		t.Fatalf("no plan in %s: %v", plan, err)
	}
	return string(text)
}

// Nor while nothing answers, or something answers that repeats what it was sent.
func TestCredentialsAreNowhereInErrors(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "https://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	echo := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		_, password, _ := r.BasicAuth()
		said := fmt.Sprintf("who is %s, %s and %s?", r.Header.Get("Authorization"), credential, password)
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Warning", fmt.Sprintf("299 - %q", said))
		rw.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(rw).Encode(object{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403,
			"message": said}) // The other side went away.
	}))
	t.Cleanup(echo.Close)
	for name, l := range newWorld(t).logins() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			cli := w.canary(closed, "insecure = true", l)
			refused := cli.Plan(1)
			acctest.Says(t, refused, "Cannot read the keys of the cluster")
			w.keeps(cli, l, refused)

			cli = w.canary(echo.URL, "insecure = true", l)
			echoed := cli.Plan(1)
			if strings.HasPrefix(name, "exec ") { // no credential, no request
				acctest.Says(t, echoed, "gave no credential")
				w.keeps(cli, l, echoed)
				return
			}
			acctest.Says(t, echoed, "403 Forbidden: who is")
			w.keeps(cli, l, echoed, "API server: who is")
		})
	}
}
