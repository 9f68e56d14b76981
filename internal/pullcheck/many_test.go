package pullcheck_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

// counter stands in front of an API server and counts what it is asked.
type counter struct {
	URL, CA string
	mu      sync.Mutex
	counts  map[string]int // by method and path
}

func countRequests(t *testing.T, target, authority string) *counter {
	t.Helper()
	base, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority))
	// The API server ends a connection of HTTP/2 after a 401, and a proxy cannot repeat what was on its way: HTTP/1.1 it is.
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(base) },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
	}
	c := &counter{counts: map[string]int{}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.counts[r.Method+" "+r.URL.Path]++
		c.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	c.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	return c
}

// Fifty checks of fifty ServiceAccounts list providers and mappings once, and for each ask for one token and exchange it once.
func TestFiftyServiceAccounts(t *testing.T) {
	const accounts = 50
	w := newWorld(t)
	var group errgroup.Group
	for i := range accounts {
		group.Go(func() error {
			return w.Plane.As("admin").EnsureServiceAccount(t.Context(), w.Namespace, fmt.Sprintf("app-%d", i), nil)
		})
	}
	w.Must(group.Wait())
	w.Filters(map[string]any{"/kubernetes.io/namespace": w.Namespace})
	cluster := countRequests(t, w.Plane.URL(), w.Plane.CA())
	config := strings.NewReplacer(w.Plane.URL(), cluster.URL, acctest.HCL(w.Plane.CA()), acctest.HCL(cluster.CA)).Replace(w.provider())
	space := w.workspace(config + fmt.Sprintf(`
data "aktrust_pull_check" "test" {
  for_each                   = toset([for i in range(%d) : "app-${i}"])
  namespace                  = %q
  service_account            = each.key
  image                      = %q
  credential_provider_config = %s
}
output "refused" {
  value = [for check in data.aktrust_pull_check.test : check.summary if !check.allowed]
}
`, accounts, w.Namespace, w.Request.Image, acctest.HCL(w.Request.KubeletConfig)))
	w.Registry.ResetRequests()
	acctest.Says(t, space.Plan(2), "+ refused = []")

	registry := map[string]int{}
	for _, request := range w.Registry.Requests() {
		registry[request.Method+" "+request.Path]++
	}
	// What is shared is asked again after five seconds, which a slow machine may take.
	const again = 5
	expectCounts(t, registry, map[string][2]int{
		"GET /api/v1/admin/ci-oidc": {1, 1}, "GET /api/v1/admin/ci-oidc/ID/mappings": {1, 1}, "POST /api/v1/auth/ci/token": {accounts, accounts},
		"GET /api/v1/permissions": {1, again}, "GET /api/v1/repositories/images": {1, again}, "GET /health": {1, again},
		"GET /api/v1/service-accounts/ID": {1, again},
	})
	expectCounts(t, cluster.counts, map[string][2]int{
		"POST /api/v1/namespaces/NS/serviceaccounts/NAME/token": {accounts, accounts}, "GET /api/v1/namespaces/NS/serviceaccounts/NAME": {accounts, accounts},
		"POST /apis/authorization.k8s.io/v1/subjectaccessreviews": {accounts, accounts},
		"POST /apis/authentication.k8s.io/v1/selfsubjectreviews":  {accounts, accounts},
		"GET /api/v1/nodes": {1, again}, "GET /openid/v1/jwks": {1, again}, "GET /.well-known/openid-configuration": {1, again},
		"GET /version": {1, again},
	})
}

var (
	ids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}`)
	names = regexp.MustCompile(`/namespaces/[^/]+/serviceaccounts/[^/]+`)
)

// expectCounts expects requests of these kinds, at least and at most so many, and of no other kind.
func expectCounts(t *testing.T, got map[string]int, want map[string][2]int) {
	t.Helper()
	kinds := map[string]int{}
	for request, n := range got {
		request = names.ReplaceAllString(ids.ReplaceAllString(request, "ID"), "/namespaces/NS/serviceaccounts/NAME")
		kinds[request] += n
	}
	for kind, n := range kinds {
		if bounds := want[kind]; n < bounds[0] || n > bounds[1] {
			t.Errorf("%d requests %s, want %d to %d", n, kind, bounds[0], bounds[1])
		}
	}
	for kind := range want {
		if kinds[kind] == 0 {
			t.Errorf("no request %s", kind)
		}
	}
}
