package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// trust declares a provider and a mapping, and with it what most configurations have.
const trust = `
resource "aktrust_ci_oidc_provider" "p" {
  name          = "prod"
  provider_type = "kubernetes"
  issuer_url    = "https://oidc.example.com"
}
resource "aktrust_ci_oidc_mapping" "m" {
  provider_id       = aktrust_ci_oidc_provider.p.id
  name              = "team"
  claim_filters     = { "/kubernetes.io/namespace" = "team" }
  group_binding_ids = []
}
`

// late gives the provider's configuration from a resource of the same apply.
func late(server *emulator.Server, token string) string {
	return fmt.Sprintf(`
resource "terraform_data" "late" {
  input            = { endpoint = %q, token = %q, ca = %q }
  triggers_replace = var.again
}
variable "again" { default = 0 }
provider "aktrust" {
  endpoint       = terraform_data.late.output.endpoint
  token          = terraform_data.late.output.token
  ca_certificate = terraform_data.late.output.ca
}
`, server.URL(), token, server.CACertificate())
}

// The provider's configuration may come from a resource of the same apply: resources plan, nothing is dialled, and no
// variable stands in for what is unknown.
func TestUnknownConfiguration(t *testing.T) {
	server, wrong := acctest.Registry(t, emulator.Options{}), acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, late(server, server.Token())+trust)
	w.Env = append(w.Env, "ARTIFACT_KEEPER_ENDPOINT="+wrong.URL(), "ARTIFACT_KEEPER_TOKEN="+wrong.Token(),
		"ARTIFACT_KEEPER_CA_CERTIFICATE="+wrong.CACertificate())
	w.Plan(2)
	if n := len(server.Requests()) + len(wrong.Requests()); n != 0 {
		t.Fatalf("%d requests while planning", n)
	}
	w.Apply()
	w.Plan(0)
	if len(server.State().Mappings) != 1 {
		t.Error("the registry has no mapping")
	}
	// Known to the state and unknown to the plan: what is there stays, and one warning says that nobody looked.
	before := w.State()
	server.ResetRequests()
	out := w.Plan(2, "-var=again=1")
	acctest.Says(t, out, "Warning: Drift was not checked", "endpoint, token, ca_certificate")
	acctest.Says(t, out, "1 to add, 0 to change, 1 to destroy") // The late resource itself.
	if n := strings.Count(out, "Drift was not checked"); n != 1 {
		t.Errorf("the warning comes %d times:\n%s", n, out)
	}
	if w.State() != before {
		t.Error("the plan changed the state")
	}
	if n := len(server.Requests()) + len(wrong.Requests()); n != 0 {
		t.Errorf("%d requests while the configuration is unknown", n)
	}
	w.Apply("-var=again=1")
	w.Plan(0, "-var=again=1")
	if n := len(wrong.Requests()); n != 0 {
		t.Errorf("%d requests to the registry of the variables", n)
	}
}

// A data source without unknown arguments is read while planning. It fails with the argument's name and what to do, and
// what to do works.
func TestUnknownConfigurationOfDataSource(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	server.AddGroup("team", "")
	const lookup = "data \"aktrust_group\" \"g\" {\n  name = \"team\"\n%s}\n"
	w := acctest.NewWorkspace(t, late(server, server.Token())+fmt.Sprintf(lookup, ""))
	acctest.Says(t, w.Expect(1, "plan", "-no-color"), "Cannot read the group \"team\"", "endpoint", "depends_on")
	w.Config(late(server, server.Token()) + fmt.Sprintf(lookup, "  depends_on = [terraform_data.late]\n"))
	w.Apply()
	w.Plan(0)
}

// Each half of the configuration is needed only by what uses it, and nothing is dialled for a half that nobody uses.
func TestHalves(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(server, `  kubernetes = { host = "https://192.0.2.1:6443", token = "x" }`)+trust)
	w.Apply()
	w.Plan(0)
	w.Config("provider \"aktrust\" {}\n" + trust)
	acctest.Says(t, w.Expect(1, "plan", "-no-color"), "Cannot read the", "ARTIFACT_KEEPER_ENDPOINT")
}

// What is wrong with a half that nobody uses does not stop the other one.
func TestUnusedHalf(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, "variable \"k\" { default = null }\n"+
		acctest.ProviderBlock(server, "  kubernetes = { config_path = var.k }")+trust)
	w.Plan(2)
	w.Config("provider \"aktrust\" {}\nresource \"aktrust_credential_provider_config\" \"c\" {\n" +
		"  path = \"" + filepath.Join(w.Dir, "config.yaml") + "\"\n  providers = [{ name = \"p\", match_images = [\"ak.test\"], " +
		"default_cache_duration = \"5m\" }]\n}\n")
	w.Env = append(w.Env, "ARTIFACT_KEEPER_ENDPOINT=http://ak.example.com", "ARTIFACT_KEEPER_CA_CERTIFICATE=nonsense", "KUBE_CTX=nowhere")
	w.Plan(2)
}

// A number that cannot be meant is named, and is no fault of the provider.
func TestRetriesRefused(t *testing.T) {
	w := acctest.NewWorkspace(t, "")
	for _, retries := range []string{"-1", "21", "2.5"} {
		w.Config("provider \"aktrust\" {\n  max_retries = " + retries + "\n}\n" + trust)
		acctest.Says(t, w.Expect(1, "plan", "-no-color"), "max_retries has to be a whole number from 0 to 20, and is "+retries)
	}
}

// The CLI quotes the line that an error is about, so that no error is about a line with a secret in it.
func TestQuotedSecrets(t *testing.T) {
	w := acctest.NewWorkspace(t, "")
	for name, arguments := range map[string]string{
		"token with a space":   "endpoint = \"ak\"\n  token = \"canary literal\"",
		"token and file":       "token = \"canary-literal\"\n  token_file = \"/x\"",
		"header":               `headers = { "X A" = "canary-literal" }`,
		"own header":           `headers = { Authorization = "canary-literal" }`,
		"password in the URL":  `endpoint = "https://admin:canary-literal@ak.example.com"`,
		"key":                  "endpoint = \"ak\"\n  client_certificate = \"x\"\n  client_key = \"canary-literal\"",
		"half a user":          "endpoint = \"ak\"\n  password = \"canary-literal\"",
		"half a cluster user":  `kubernetes = { host = "https://a", password = "canary-literal" }`,
		"token and user":       `kubernetes = { host = "https://a", token = "canary-literal", username = "u", password = "canary-literal" }`,
		"exec beside a token":  `kubernetes = { host = "https://a", token = "canary-literal", exec = { api_version = "v", command = "c" } }`,
		"proxy with password":  `kubernetes = { host = "https://a", proxy_url = "ftp://u:canary-literal@proxy" }`,
		"cluster's key":        `kubernetes = { host = "https://a", client_key = "canary-literal" }`,
		"two kubeconfigs":      `kubernetes = { config_path = "a", config_paths = ["b"], token = "canary-literal" }`,
		"duration, same block": "request_timeout = \"soon\"\n  token = \"canary-literal\"",
	} {
		w.Config("provider \"aktrust\" {\n  " + arguments + "\n}\n" + trust)
		acctest.Silent(t, w.Expect(1, "plan", "-no-color"), "canary")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// An import while the configuration is unknown would take over an object that nobody has looked at.
func TestImportWithUnknownConfiguration(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	p, err := server.AddProvider(emulator.Provider{Name: "there", ProviderType: "kubernetes", IssuerURL: "https://there.example.com",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
	if err != nil {
		t.Fatal(err)
	}
	for address, id := range map[string]string{"aktrust_ci_oidc_provider.p": p.ID, "aktrust_ci_oidc_mapping.m": p.ID + "/" + p.ID} {
		w := acctest.NewWorkspace(t, late(server, server.Token())+trust+fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, id))
		acctest.Says(t, w.Expect(1, "plan", "-no-color"), "Cannot import", "endpoint", "For an import, apply that resource first")
	}
}

func TestEnvironment(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, trust)
	w.Env = append(w.Env, "ARTIFACT_KEEPER_ENDPOINT="+server.URL()+"/api/v1/", "ARTIFACT_KEEPER_CA_CERTIFICATE="+server.CACertificate())
	user, password := server.Credentials()
	w.Env = append(w.Env, "ARTIFACT_KEEPER_USERNAME="+user, "ARTIFACT_KEEPER_PASSWORD="+password)
	w.Apply()
	w.Plan(0)
	file := filepath.Join(w.Dir, "token")
	if err := os.WriteFile(file, []byte(server.Token()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "ARTIFACT_KEEPER_TOKEN_FILE="+file)
	w.Plan(0)
}

func TestWarnsOfUncheckedCertificate(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, fmt.Sprintf("provider \"aktrust\" {\n  endpoint = %q\n  token = %q\n  insecure_skip_verify = true\n}\n",
		server.URL(), server.Token())+trust)
	acctest.Says(t, w.Plan(2), "Warning: The registry's certificate is not checked")
}

// Whatever stands between the provider and the registry, a refresh that fails is an error, and the state keeps everything.
func TestFailedRefresh(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(server, "  max_retries = 0")+trust)
	w.Apply()
	before := w.State()
	cases := map[string]emulator.Fault{
		"401":                    {Kind: emulator.Unauthorized},
		"403":                    {Kind: emulator.Forbidden},
		"500":                    {Kind: emulator.InternalError},
		"503":                    {Kind: emulator.UnavailableBefore},
		"429":                    {Kind: emulator.RateLimited, RetryAfter: "900"},
		"lost connection":        {Kind: emulator.LostBefore},
		"empty 404":              {Kind: emulator.NotFoundEmpty},
		"page":                   {Kind: emulator.HTMLPage},
		"proxy's page":           {Kind: emulator.HTMLError},
		"redirect":               {Kind: emulator.Redirect},
		"truncated":              {Kind: emulator.TruncatedJSON},
		"too much":               {Kind: emulator.Oversized},
		"not found, but no list": {Path: "/api/v1/admin/ci-oidc", Kind: emulator.NotFoundEmpty},
	}
	for name, fault := range cases {
		t.Run(name, func(t *testing.T) {
			server.Inject(fault)
			defer server.ClearFaults()
			for _, args := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"refresh"}} {
				acctest.Says(t, w.Expect(1, append(args, "-no-color")...), "Error: Cannot read the")
			}
			if !sameResources(t, before, w.State()) {
				t.Errorf("the state is %s", w.State())
			}
		})
	}
	t.Run("wrong path", func(t *testing.T) {
		w.Config(strings.Replace(acctest.ProviderBlock(server), server.URL(), server.URL()+"/elsewhere", 1) + trust)
		acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "Cannot read the", "Check that endpoint is the registry's base address")
	})
	t.Run("dead server", func(t *testing.T) {
		dead := acctest.Registry(t, emulator.Options{})
		w.Config(acctest.ProviderBlock(dead, "  max_retries = 0") + trust)
		dead.Close()
		acctest.Says(t, w.Expect(1, "apply", "-no-color", "-auto-approve"), "Cannot read the", "Nothing answers at this address")
	})
	if !sameResources(t, before, w.State()) {
		t.Errorf("the state is %s", w.State())
	}
	w.Config(acctest.ProviderBlock(server) + trust)
	w.Plan(0)
}

// sameResources compares the resources of two states.
func sameResources(t *testing.T, a, b string) bool {
	t.Helper()
	_, resourcesA, okA := strings.Cut(a, `"resources":`)
	_, resourcesB, okB := strings.Cut(b, `"resources":`)
	if !okA || !okB {
		t.Fatalf("no resources in %s or %s", a, b)
	}
	return resourcesA == resourcesB
}

// A create whose answer is lost ends with one object, which the state has.
func TestLostCreate(t *testing.T) {
	for _, kind := range []emulator.Kind{emulator.LostAfter, emulator.UnavailableAfter, emulator.TruncatedJSON} {
		t.Run(string(kind), func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			server.Inject(emulator.Fault{Method: "POST", Path: "/api/v1/admin/ci-oidc", Kind: kind, Times: 1})
			server.Inject(emulator.Fault{Method: "POST", Path: "/api/v1/admin/ci-oidc/*/mappings", Kind: kind, Times: 1})
			w := acctest.NewWorkspace(t, acctest.ProviderBlock(server)+trust)
			w.Apply()
			w.Plan(0)
			state := server.State()
			if len(state.Providers) != 1 || len(state.Mappings) != 1 {
				t.Fatalf("the registry has %d providers and %d mappings", len(state.Providers), len(state.Mappings))
			}
			acctest.Says(t, w.State(), state.Providers[0].ID, state.Mappings[0].ID)
		})
	}
}

// The token, a password and the headers appear nowhere, even when the server echoes them.
func TestCanary(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{Token: "canary-5f2e-token", Password: "canary-77aa-password", Username: "admin"})
	config := func(credential string) string {
		return fmt.Sprintf("provider \"aktrust\" {\n  endpoint = %q\n  ca_certificate = %q\n  headers = { X-Access = \"canary-header\" }\n%s\n}\n",
			server.URL(), server.CACertificate(), credential) + trust
	}
	for _, c := range []struct{ name, credential, secret string }{
		{"token", "  token = var.token", server.Token()},
		{"password", "  username = \"admin\"\n  password = var.password", "canary-77aa-password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := acctest.NewWorkspace(t, "variable \"token\" { sensitive = true }\nvariable \"password\" { sensitive = true }\n"+config(c.credential))
			w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"),
				"TF_VAR_token=canary-5f2e-token", "TF_VAR_password=canary-77aa-password")
			out := w.Plan(2, "-out=plan.bin")
			out += ownPart(t, w.Expect(0, "show", "-json", "plan.bin"))
			out += w.Expect(0, "apply", "-no-color", "plan.bin")
			out += w.State()
			for _, fault := range []emulator.Fault{{Kind: emulator.Echo}, {Kind: emulator.Respond, Status: 400, Code: "VALIDATION_ERROR",
				Message: c.secret + ", canary-header"}} {
				injected := server.Inject(fault)
				echoed := w.Expect(1, "plan", "-no-color")
				if fault.Kind == emulator.Respond {
					acctest.Says(t, echoed, "(redacted)")
				}
				out += echoed
				injected.Remove()
			}
			out += w.Expect(0, "destroy", "-no-color", "-auto-approve")
			trace, err := os.ReadFile(filepath.Join(w.Dir, "trace.log"))
			if err != nil || !strings.Contains(string(trace), "registry request") {
				t.Fatalf("the trace has no request in it: %v", err)
			}
			// The CLI's own trace holds the plan's variables; the provider's lines must not.
			for line := range strings.SplitSeq(string(trace), "\n") {
				if strings.Contains(line, "terraform-provider-aktrust") {
					out += line
				}
			}
			acctest.Silent(t, out, "canary-")
		})
	}
}

// ownPart is a plan as JSON without what the CLI itself repeats of the configuration: its variables and expressions.
func ownPart(t *testing.T, plan string) string {
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
