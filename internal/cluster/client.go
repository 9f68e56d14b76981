package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

const (
	// Client-go's own 5 requests a second with bursts of 10 make a refresh of a few dozen objects crawl. The API
	// server defends itself with priority and fairness; these only keep one run from being a nuisance.
	requestsPerSecond = 50
	burst             = 100

	defaultUserAgent = "terraform-provider-aktrust"
)

// Client talks to one API server as one user. It may be used from several goroutines.
type Client struct {
	rest     *rest.RESTClient
	server   string
	identity identity
	secrets  *scrub.Scrubber
}

// New prepares a client. It reads the files that config names and dials nothing. Errors are of type *ConfigError.
func New(config Config) (*Client, error) {
	made, kind, err := config.restConfig()
	if err != nil {
		return nil, err
	}
	made.UserAgent = config.UserAgent
	if made.UserAgent == "" {
		made.UserAgent = defaultUserAgent
	}
	made.Timeout = config.Timeout
	if made.Timeout == 0 {
		made.Timeout = DefaultTimeout
	}
	made.QPS, made.Burst = requestsPerSecond, burst
	secrets := &scrub.Scrubber{}
	secrets.Add(made.BearerToken, made.Password)
	made.WarningHandlerWithContext = &warner{config.Warn, secrets}
	made.NegotiatedSerializer = codecs.WithoutConversion()
	made.ContentType = runtime.ContentTypeJSON
	made.Wrap(func(next http.RoundTripper) http.RoundTripper { return &guard{next, secrets} })

	var restClient *rest.RESTClient
	transport, err := httpClient(made)
	if err == nil {
		restClient, err = rest.UnversionedRESTClientForConfigAndClient(made, transport)
	}
	if err != nil {
		return nil, (&ConfigError{Arguments: []string{"kubernetes"}, problem: "the connection cannot be prepared"}).because(err)
	}
	return &Client{rest: restClient, server: made.Host, identity: kind, secrets: secrets}, nil
}

// Server is the URL of the API server.
func (c *Client) Server() string { return c.server }

// ServerVersion asks which version of Kubernetes the API server is. Everybody may ask that.
func (c *Client) ServerVersion(ctx context.Context) (*version.Info, error) {
	t, info := target{verb: "get", url: "/version"}, &version.Info{}
	_, err := c.document(ctx, t, t.on(c.rest.Get()), func(text []byte) error {
		if err := json.Unmarshal(text, info); err != nil {
			return err
		}
		if info.GitVersion == "" {
			return errors.New("no gitVersion")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// scheme knows the few kinds that are exchanged, instead of the hundreds of client-go's own.
var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	v1 := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(scheme, v1) // Status
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	utilruntime.Must(rbacv1.AddToScheme(scheme))
	utilruntime.Must(authenticationv1.AddToScheme(scheme))
	utilruntime.Must(authorizationv1.AddToScheme(scheme))
}

// warner hands warnings on, or drops them: client-go's own handler would print them.
type warner struct {
	to      func(context.Context, string)
	secrets *scrub.Scrubber
}

func (w *warner) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string, text string) {
	if w.to != nil && code == 299 && text != "" { // "miscellaneous persistent warning", the only code that API servers use
		w.to(ctx, w.secrets.Clean(text))
	}
}

// target is what a call is about.
type target struct {
	verb        string // as RBAC names it
	group       string // API group; "" is the core group
	version     string
	kind        string // for people
	resource    string // plural, as RBAC and URLs name it
	namespace   string
	name        string
	subresource string
	url         string // instead of all of these, for what is not a resource
}

// path is the URL's path below the server.
func (t target) path() string {
	if t.url != "" {
		return t.url
	}
	path := "/api/" + t.version
	if t.group != "" {
		path = "/apis/" + t.group + "/" + t.version
	}
	return path
}

// on fills in a request's target.
func (t target) on(request *rest.Request) *rest.Request {
	request = request.AbsPath(t.path())
	if t.url != "" {
		return request
	}
	if t.namespace != "" {
		request = request.Namespace(t.namespace)
	}
	request = request.Resource(t.resource)
	if t.name != "" {
		request = request.Name(t.name)
	}
	if t.subresource != "" {
		request = request.SubResource(t.subresource)
	}
	return request
}

// object names the target to people: ClusterRole "x", RoleBinding "team/x", all RoleBindings, /openid/v1/jwks.
func (t target) object() string {
	switch {
	case t.url != "":
		return t.url
	case t.name == "" && t.verb == "list":
		return "all " + t.kind + "s"
	case t.name == "":
		return t.kind
	}
	name := t.name
	if t.namespace != "" {
		name = t.namespace + "/" + name
	}
	if t.subresource != "" {
		return fmt.Sprintf("%s of %s %q", t.subresource, t.kind, name)
	}
	return fmt.Sprintf("%s %q", t.kind, name)
}
