package emulator_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// target is a registry that the rows of the contract run against: an emulator
// or a real one. They speak raw HTTP, so that nothing between them and the
// registry could bend a question or an answer.
type target struct {
	// t is the test that a row runs in; only rows use it.
	t       *testing.T
	url     string
	token   string
	client  *http.Client
	profile emulator.Profile
	// emulator is nil for a real registry.
	emulator *emulator.Server
	// prefix starts the names of everything that a row creates.
	prefix string
}

// startTarget starts an emulator of a profile for one test.
func startTarget(t *testing.T, options emulator.Options) *target {
	t.Helper()
	server, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	x := endpointTarget(t, server.URL(), server.Token(), server.CACertificate())
	x.emulator = server
	x.profile = options.Profile
	if x.profile == "" {
		x.profile = emulator.DefaultProfile
	}
	return x
}

// endpointTarget is a registry of which only the address, a token and perhaps
// the authority are known. Its profile is what its version says.
func endpointTarget(t *testing.T, endpoint, token, authority string) *target {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	if authority != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(authority)) {
			t.Fatal("the authority's certificate is not PEM")
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	endpoint = strings.TrimSuffix(strings.TrimSuffix(endpoint, "/"), "/api/v1")
	x := &target{
		url: endpoint, token: token, prefix: "contract-" + uuid.NewString()[:8] + "-",
		client: &http.Client{
			Transport: transport, Timeout: 30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	health := x.guest(t, "GET", "/health").want(t, http.StatusOK).object(t)
	version, _ := health["version"].(string)
	x.profile = emulator.ProfileNext
	for _, p := range emulator.Profiles() {
		if p != emulator.ProfileNext && strings.HasPrefix(version+".", string(p)+".") {
			x.profile = p
		}
	}
	return x
}

// is says whether the target has one of the profiles.
func (x *target) is(profiles ...emulator.Profile) bool { return slices.Contains(profiles, x.profile) }

// has111 says whether the target has what came with 1.11.
func (x *target) has111() bool { return x.is(emulator.Profile111, emulator.ProfileNext) }

// question is a request in all its parts.
type question struct {
	method, path  string
	authorization string
	contentType   string
	body          string
	header        http.Header
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a question and reads the answer.
func (x *target) ask(t *testing.T, q question) reply {
	t.Helper()
	out, err := x.try(t, q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try is ask for those who expect that it fails.
func (x *target) try(t *testing.T, q question) (reply, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), q.method, x.url+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(request.Header, q.header)
	if q.authorization != "" {
		request.Header.Set("Authorization", q.authorization)
	}
	if q.contentType != "" {
		request.Header.Set("Content-Type", q.contentType)
	}
	response, err := x.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer closing(t, response.Body)
	text, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: string(text)}, err
}

// closing closes what was read.
func closing(t *testing.T, body io.Closer) {
	t.Helper()
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

// guest asks without a credential.
func (x *target) guest(t *testing.T, method, path string) reply {
	t.Helper()
	return x.ask(t, question{method: method, path: path})
}

// admin asks as the administrator. A body that is a string is sent as it is,
// anything else as JSON.
func (x *target) admin(t *testing.T, method, path string, body ...any) reply {
	t.Helper()
	return x.as(t, x.token, method, path, body...)
}

// as asks with a bearer token.
func (x *target) as(t *testing.T, token, method, path string, body ...any) reply {
	t.Helper()
	q := question{method: method, path: path, authorization: "Bearer " + token}
	if len(body) > 0 {
		q.contentType, q.body = "application/json", encode(t, body[0])
	}
	return x.ask(t, q)
}

func encode(t *testing.T, body any) string {
	t.Helper()
	if text, ok := body.(string); ok {
		return text
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// want requires a status.
func (r reply) want(t *testing.T, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d; body: %s", r.status, status, r.body)
	}
	return r
}

// object is the body as a JSON object.
func (r reply) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	r.decode(t, &out)
	return out
}

// list is the body as a JSON array of objects.
func (r reply) list(t *testing.T) []map[string]any {
	t.Helper()
	var out []map[string]any
	r.decode(t, &out)
	return out
}

// items is the list in the body's envelope.
func (r reply) items(t *testing.T) []map[string]any {
	t.Helper()
	var out struct {
		Items []map[string]any `json:"items"`
	}
	r.decode(t, &out)
	return out.Items
}

func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	if media := r.header.Get("Content-Type"); !strings.HasPrefix(media, "application/json") {
		t.Fatalf("status %d with Content-Type %q, want JSON; body: %s", r.status, media, r.body)
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(r.body))).Decode(into); err != nil {
		t.Fatalf("decode %s: %v", r.body, err)
	}
}

// wantError requires an error in the registry's shape whose message has every
// given part.
func (r reply) wantError(t *testing.T, status int, code string, parts ...string) {
	t.Helper()
	out := r.want(t, status).object(t)
	if out["code"] != code {
		t.Errorf("code %v, want %s; body: %s", out["code"], code, r.body)
	}
	message, _ := out["message"].(string)
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("message %q does not contain %q", message, part)
		}
	}
}

// wantPlain requires an answer of the framework: a text that is no JSON.
func (r reply) wantPlain(t *testing.T, status int) {
	t.Helper()
	r.want(t, status)
	if r.body == "" || json.Valid([]byte(r.body)) {
		t.Errorf("body %q, want a plain text", r.body)
	}
}

// wantEmpty requires a status and no body at all.
func (r reply) wantEmpty(t *testing.T, status int) {
	t.Helper()
	if r.want(t, status).body != "" {
		t.Errorf("body %q, want none", r.body)
	}
}

const providersPath = "/api/v1/admin/ci-oidc"

// object is JSON for a request.
type object = map[string]any

// provider creates a provider over working defaults and deletes it when the
// test ends.
func (x *target) provider(t *testing.T, with object) map[string]any {
	t.Helper()
	in := object{"name": x.prefix + "provider", "issuer_url": "https://" + x.prefix + "issuer.example.test"}
	maps.Copy(in, with)
	out := x.admin(t, "POST", providersPath, in).want(t, http.StatusOK).object(t)
	x.cleanup(t, providersPath+"/"+out["id"].(string))
	return out
}

// mapping creates a mapping of a provider, which goes with its provider.
func (x *target) mapping(t *testing.T, provider map[string]any, with object) map[string]any {
	t.Helper()
	in := object{"name": x.prefix + "mapping", "claim_filters": object{"sub": "nobody"}}
	maps.Copy(in, with)
	return x.admin(t, "POST", mappingsOf(provider), in).want(t, http.StatusOK).object(t)
}

// group creates a group and deletes it when the test ends.
func (x *target) group(t *testing.T, name string) map[string]any {
	t.Helper()
	out := x.admin(t, "POST", "/api/v1/groups", object{"name": x.prefix + name}).want(t, http.StatusOK).object(t)
	x.cleanup(t, "/api/v1/groups/"+out["id"].(string))
	return out
}

// repository creates a repository and deletes it when the test ends.
func (x *target) repository(t *testing.T, key string, public bool) map[string]any {
	t.Helper()
	out := x.admin(t, "POST", "/api/v1/repositories", object{
		"key": x.prefix + key, "name": x.prefix + key, "format": "docker", "repo_type": "local", "is_public": public,
	}).want(t, http.StatusOK).object(t)
	x.cleanup(t, "/api/v1/repositories/"+out["key"].(string))
	return out
}

// cleanup deletes what a row made. The row may have deleted it already.
func (x *target) cleanup(t *testing.T, path string) {
	t.Helper()
	t.Cleanup(func() {
		request, err := http.NewRequest(http.MethodDelete, x.url+path, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Authorization", "Bearer "+x.token)
		response, err := x.client.Do(request)
		if err != nil {
			t.Errorf("clean up %s: %v", path, err)
			return
		}
		defer closing(t, response.Body)
		switch response.StatusCode {
		case http.StatusOK, http.StatusNoContent, http.StatusNotFound:
		default:
			t.Errorf("clean up %s: %s", path, response.Status)
		}
	})
}

func path(provider map[string]any) string { return fmt.Sprintf("%s/%s", providersPath, provider["id"]) }

func mappingsOf(provider map[string]any) string { return path(provider) + "/mappings" }

func mappingPath(mapping map[string]any) string {
	return fmt.Sprintf("%s/%s/mappings/%s", providersPath, mapping["provider_id"], mapping["id"])
}

// noSuchID is a UUID that nothing has.
const noSuchID = "00000000-0000-4000-8000-000000000000"
