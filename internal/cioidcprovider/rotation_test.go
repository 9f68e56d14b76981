package cioidcprovider_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// observed is an API server that remembers what was asked, and which tokens it signed.
type observed struct {
	*httptest.Server
	plane *controlplane.ControlPlane

	mu       sync.Mutex
	requests []string
	tokens   []string
}

func observe(t *testing.T) *observed {
	t.Helper()
	o := &observed{plane: controlplane.Shared(t)}
	target, err := url.Parse(o.plane.URL())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(o.plane.CA()))
	o.Server = httptest.NewTLSServer(&httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
		ModifyResponse: o.remember,
	})
	t.Cleanup(o.Close)
	return o
}

func (o *observed) remember(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r.Request.Method+" "+r.Request.URL.Path)
	var answer struct{ Status json.RawMessage }
	var status struct{ Token string }
	if json.Unmarshal(body, &answer) == nil && json.Unmarshal(answer.Status, &status) == nil && status.Token != "" {
		o.tokens = append(o.tokens, status.Token)
	}
	return nil
}

// take gives the requests since the last time, sorted.
func (o *observed) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.requests
	o.requests = nil
	slices.Sort(taken)
	return taken
}

// connect is the argument that names the API server, with the token of a user in a variable.
func (o *observed) connect() string {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: o.Certificate().Raw})
	return fmt.Sprintf("kubernetes = {\n  host = %q\n  cluster_ca_certificate = %s\n  token = var.cluster_token\n}",
		o.URL, acctest.HCL(string(authority)))
}

// served is the one key that the API server signs with, as its member of a set, and its kid.
func (o *observed) served(t *testing.T) (key, kid string) {
	t.Helper()
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	client, err := cluster.New(cluster.Config{
		Host: o.plane.URL(), ClusterCACertificate: o.plane.CA(), Token: o.plane.Token(controlplane.Admin),
	})
	if err != nil {
		t.Fatal(err)
	}
	documents, err := client.OIDCDocuments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(documents.JWKS), &set); err != nil || len(set.Keys) != 1 {
		t.Fatalf("%d keys: %v", len(set.Keys), err)
	}
	var named struct {
		KID string `json:"kid"`
	}
	if err := json.Unmarshal(set.Keys[0], &named); err != nil {
		t.Fatal(err)
	}
	return string(set.Keys[0]), named.KID
}

// also adds keys of other kids to the set of a key; an empty key adds none.
func also(key string, kids ...string) string {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal([]byte(keys(kids...)), &set); err != nil {
		panic(err) // A fault of this file.
	}
	if key != "" {
		set.Keys = append(set.Keys, json.RawMessage(key))
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err) // As above.
	}
	return string(text)
}

// rotating gives the configuration of a provider with a set.
func rotating(server *emulator.Server, connection, issuer, set string) string {
	return acctest.ProviderBlock(server, connection) + "variable \"cluster_token\" {\n  sensitive = true\n  default = null\n}\n" +
		fmt.Sprintf("resource \"aktrust_ci_oidc_provider\" \"test\" {\n  name = \"prod\"\n  provider_type = \"kubernetes\"\n"+
			"  issuer_url = %q\n  static_jwks = %s\n}\n", issuer, acctest.HCL(set))
}

// workspace runs as a user of the cluster.
func (o *observed) workspace(t *testing.T, user string) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t, "")
	w.Env = append(w.Env, "TF_VAR_cluster_token="+o.plane.Token(user))
	return w
}

const (
	discovery = "GET /.well-known/openid-configuration"
	keySet    = "GET /openid/v1/jwks"
	token     = "POST /api/v1/namespaces/default/serviceaccounts/default/token"
)

// haveDefault makes the ServiceAccount that the controllers of a cluster make, of which there are none here.
func (o *observed) haveDefault(t *testing.T, have bool) {
	t.Helper()
	admin := o.plane.As(controlplane.Admin)
	err := admin.EnsureServiceAccount(t.Context(), "default", "default", nil)
	if err == nil && !have {
		err = admin.Delete(t.Context(), "/api/v1/namespaces/default/serviceaccounts/default")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A plan that drops keys says whose tokens it cuts off, as far as can be seen, and is made whatever can be seen.
func TestDroppedKeys(t *testing.T) {
	o := observe(t)
	key, kid := o.served(t)
	closed := httptest.NewTLSServer(nil)
	closed.Close()
	const (
		signing = "Warning: The key that signs now would be dropped"
		inUse   = "Warning: Tokens of a dropped key may still be in use"
	)
	all := []string{discovery, keySet, token}
	for _, c := range []struct {
		name          string
		before, after string // key sets
		user, issuer  string // Admin, and the API server's, when empty
		kind          string // kubernetes when empty
		connection    string // to the API server when empty
		missing       bool   // the ServiceAccount does not exist
		says          []string
		requests      []string
	}{
		{name: "a key is added", before: also(key), after: also(key, "new")},
		{name: "another order", before: also(key, "new"), after: strings.Replace(also(key, "new"), `{"keys":[`, `{ "keys":[`, 1)},
		{name: "the last step", before: also(key, "old"), after: also(key), requests: all},
		{name: "the key that signs", before: also(key, "new"), after: also("", "new"), requests: all,
			says: []string{signing, "signs tokens with the key " + kid + ", which the new set does not have", "every new token, and all pulls of the cluster fail"}},
		{name: "the only key", before: also(key), after: also("", "new"), requests: all,
			says: []string{signing, "Warning: No key of the old set remains"}},
		{name: "drift", before: also("", "foreign"), after: also(key), requests: all},
		{name: "another cluster", before: also(key, "new"), after: also("", "new"), issuer: "https://oidc.example.com", requests: all[:2],
			says: []string{inUse, "signed with the key " + kid + ".", `issues tokens of "` + o.plane.Issuer() + `", and this is about "https://oidc.example.com"`}},
		{name: "nothing may be seen", before: also(key, "old"), after: also(key), user: controlplane.Nobody, requests: []string{discovery, token},
			says: []string{inUse, "signed with the key old.", "403 Forbidden", "system:service-account-issuer-discovery", "verb create on serviceaccounts/token"}},
		{name: "no ServiceAccount", before: also(key, "new"), after: also("", "new"), missing: true, requests: all,
			says: []string{inUse, "still serves the key " + kid, "Which key it signs with could not be looked at", "404 Not Found"}},
		{name: "no ServiceAccount at the last step", before: also(key, "old"), after: also(key), missing: true, requests: all},
		{name: "not of a cluster", before: also(key, "old"), after: also(key), kind: "gitlab",
			says: []string{inUse, "tokens of this provider_type are not those of a cluster."}},
		{name: "no cluster", before: also(key, "old"), after: also(key), connection: " ",
			says: []string{inUse, "could not be looked at: kubernetes: nothing names a cluster"}},
		{name: "no cluster, and no key remains", before: also(key), after: also("", "new"), connection: " ",
			says: []string{"Warning: No key of the old set remains", "unless no token of these keys is in use", "could not be looked at: kubernetes: nothing names a cluster"}},
		{name: "a cluster yet to come", before: also(key, "old"), after: also(key), connection: "kubernetes = { host = terraform_data.host.output }",
			says: []string{inUse, "connection to the cluster is not known yet"}},
		{name: "nobody answers", before: also(key, "old"), after: also(key),
			connection: fmt.Sprintf("kubernetes = {\n  host = %q\n  insecure = true\n}", closed.URL),
			says:       []string{inUse, "connection refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := acctest.Registry(t, emulator.Options{})
			if c.user == "" {
				c.user = controlplane.Admin
			}
			if c.issuer == "" {
				c.issuer = o.plane.Issuer()
			}
			if c.kind == "" {
				c.kind = "kubernetes"
			}
			o.haveDefault(t, !c.missing)
			w := o.workspace(t, c.user)
			config := func(connection, set string) string {
				return strings.Replace(rotating(server, connection, c.issuer, set), `"kubernetes"`, acctest.HCL(c.kind), 1)
			}
			w.Config(config(o.connect(), c.before))
			w.Apply()
			if got := o.take(); len(got) != 0 {
				t.Errorf("a create asks %q", got)
			}
			if c.connection == "" {
				c.connection = o.connect()
			}
			w.Config(config(c.connection, c.after) + "resource \"terraform_data\" \"host\" { input = \"https://127.0.0.1:1\" }\n")
			out := w.Plan(2)
			acctest.Says(t, out, c.says...)
			if c.says == nil {
				acctest.Silent(t, out, "Warning: ")
			}
			if got := o.take(); !slices.Equal(got, c.requests) {
				t.Errorf("asks %q, want %q", got, c.requests)
			}
			w.Apply()
			o.take()
			acctest.Silent(t, w.Plan(0), inUse, signing, "No key of the old set remains")
			if got := o.take(); len(got) != 0 {
				t.Errorf("a plan without a change asks %q", got)
			}
		})
	}
}

// The token with which the provider sees who signs is seen by nobody else.
func TestProbeTokenIsNowhere(t *testing.T) {
	o, server := observe(t), acctest.Registry(t, emulator.Options{})
	o.haveDefault(t, true)
	key, _ := o.served(t)
	w := o.workspace(t, controlplane.Admin)
	w.Config(rotating(server, o.connect(), o.plane.Issuer(), also(key, "new")))
	w.Apply()
	w.Config(rotating(server, o.connect(), o.plane.Issuer(), also("", "new")))
	log := filepath.Join(w.Dir, "trace.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	out := w.Plan(2, "-out=plan.bin")
	out += w.Expect(0, "show", "-json", "plan.bin") + w.Expect(0, "apply", "-no-color", "plan.bin")
	out += w.State() + w.Expect(0, "show", "-json")
	acctest.Says(t, out, "The key that signs now would be dropped")
	logged, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(logged), "registry request") {
		t.Fatal("the log does not hold the provider's own lines, so that it proves nothing")
	}
	if len(o.tokens) != 2 { // one for the plan, one for its apply
		t.Fatalf("%d tokens were signed", len(o.tokens))
	}
	for _, token := range o.tokens {
		for _, part := range strings.Split(token, ".")[1:] { // the header is the same in all tokens
			if strings.Contains(out, part) || strings.Contains(string(logged), part) {
				t.Error("a token is in the output or the log")
			}
		}
	}
	for _, request := range server.Requests() {
		if strings.HasPrefix(request.Path, "/api/v1/auth") {
			t.Errorf("the registry was asked %s", request.Path)
		}
	}
}

// A set that is unknown while planning is held against the old one during apply.
func TestDroppedKeysUnknown(t *testing.T) {
	o, server := observe(t), acctest.Registry(t, emulator.Options{})
	o.haveDefault(t, true)
	key, kid := o.served(t)
	config := strings.Replace(rotating(server, o.connect(), o.plane.Issuer(), also("")), acctest.HCL(also("")), "terraform_data.later.output.value", 1)
	w := o.workspace(t, controlplane.Admin)
	w.Config(later + config)
	w.Apply(value2(also(key, "new")))
	acctest.Silent(t, w.Plan(2, value2(also("", "new"))), "Warning: ")
	acctest.Says(t, w.Apply(value2(also("", "new"))), "Warning: The key that signs now would be dropped", kid)
}

// Nor is anything said of an issuer before it is known.
func TestOldIssuerUnknown(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, later+provider(server, set(map[string]string{"issuer_url": "terraform_data.later.output.value"})...))
	w.Apply(value2("https://oidc.example.com/a"))
	acctest.Silent(t, w.Plan(2, value2("https://oidc.example.com/b")), "Warning: ")
	acctest.Says(t, w.Apply(value2("https://oidc.example.com/b")), "Warning: Tokens of the old issuer are refused")
}
