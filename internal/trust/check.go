package trust

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/distribution/reference"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwt"
)

// tokenLifetime is the shortest that a TokenRequest may ask for.
const tokenLifetime = 10 * time.Minute

// Request is a question: may this ServiceAccount pull this image?
type Request struct {
	Namespace, ServiceAccount string
	// Image is written as in a pod, with a tag or digest or without.
	Image string
	// Audience is what the token is asked for; empty takes that of the kubelet's file, or else that of the provider.
	Audience string
	// ProviderID names the provider to the exchange; empty takes that of the plugin's arguments, or leaves the choice to
	// the registry.
	ProviderID string
	// KubeletConfig is the text of the kubelet's CredentialProviderConfig; empty skips what is about it.
	KubeletConfig string
	// NodeGroups are groups of the nodes besides system:nodes and system:authenticated.
	NodeGroups []string
	// Manifest has the image's manifest read with the credential.
	Manifest bool
}

// image is an image cut into what is asked of whom.
type image struct {
	text string
	// repository is host and path written out, without tag and digest.
	repository string
	// path is without the host, and key its first segment: that of the registry's repository.
	path, key string
	reference string // tag or digest
}

func parseImage(text string) (image, error) {
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return image{}, fmt.Errorf("image %q: %w", text, err)
	}
	out := image{text: text, repository: named.Name(), path: reference.Path(named)}
	out.key, _, _ = strings.Cut(out.path, "/")
	switch named := reference.TagNameOnly(named).(type) {
	case reference.Digested:
		out.reference = named.Digest().String()
	case reference.Tagged:
		out.reference = named.Tag()
	}
	return out, nil
}

// chain is everything that was found about one request. A field is nil or empty when the error beside it tells why.
type chain struct {
	Request
	Sources
	image        image
	providerIDOf string // where ProviderID comes from, in words

	apiVersion    string
	apiVersionErr error
	kubelets      []cluster.Kubelet
	kubeletsErr   error
	documents     *cluster.OIDCDocuments
	documentsErr  error
	published     *jwks.Set // keys of documents

	health    artifactkeeper.Health
	healthErr error

	file fileFacts

	providers    []artifactkeeper.Provider
	providersErr error
	resolved     resolution

	audience    string
	audienceOf  string // where it comes from, in words
	account     *metav1.PartialObjectMetadata
	accountErr  error
	granted     bool
	grantedErr  error
	token       *cluster.Token
	tokenErr    error
	presented   jwt.Token
	accepted    bool // by the API server, as a credential of its own
	acceptedErr error

	mappings    []artifactkeeper.Mapping
	mappingsErr error
	matches     []match
	winner      *artifactkeeper.Mapping

	repository  *artifactkeeper.RepositoryAccess
	credential  *artifactkeeper.Credential
	exchangeErr error
	read        bool // the manifest, with the credential
}

// ofPlugin is the providerIDOf of what the file tells the plugin.
const ofPlugin = "the plugin's --provider-id in the file"

// Check looks at every link. The error is about the request itself, such as an image that is no reference; whatever is
// found about a link is in the result. Tokens live in memory until Check returns and stand in nothing that it returns.
func Check(ctx context.Context, sources Sources, request Request) (Result, error) {
	img, err := parseImage(request.Image)
	if err != nil {
		return Result{}, err
	}
	if request.Namespace == "" || request.ServiceAccount == "" {
		return Result{}, errors.New("a check needs a namespace and a ServiceAccount")
	}
	c := &chain{Request: request, Sources: sources, image: img, providerIDOf: "the argument provider_id"}
	c.lookAtCluster(ctx)
	c.lookAtRegistry(ctx)
	c.requestToken(ctx)
	c.exchange(ctx)
	manifest := c.manifest(ctx)
	permission := c.permission(ctx)
	result := Result{
		Links: []Link{
			c.versions(), c.fileLink(), c.fileAudience(), c.nodeAudience(ctx), c.serviceAccount(ctx), c.tokenRequest(), c.issuer(),
			c.provider(), c.keys(ctx), c.apiServerAudience(), c.mapping(), c.accountLink(ctx), permission, c.exchangeLink(),
			manifest,
		},
		caveat:  c.caveat(),
		subject: fmt.Sprintf("ServiceAccount %s/%s pulling %s", c.Namespace, c.ServiceAccount, c.Image),
		public:  c.repository != nil && c.repository.IsPublic,
		sealed:  c.repository != nil && !c.repository.IsPublic,
	}
	if c.winner != nil {
		result.MappingID, result.MappingName = c.winner.ID, c.winner.Name
	}
	if c.credential != nil {
		result.Username, result.ExpiresIn = c.credential.Username, c.credential.ExpiresIn
	}
	return result, ctx.Err()
}

func (c *chain) lookAtCluster(ctx context.Context) {
	c.apiVersion, c.apiVersionErr = c.Cluster.APIServerVersion(ctx)
	if unanswered(c.apiVersionErr) { // nor will anything else be answered
		c.kubeletsErr, c.documentsErr, c.accountErr = c.apiVersionErr, c.apiVersionErr, c.apiVersionErr
		c.grantedErr, c.tokenErr = c.apiVersionErr, c.apiVersionErr
		return
	}
	c.kubelets, c.kubeletsErr = c.Cluster.Kubelets(ctx)
	c.documents, c.documentsErr = c.Cluster.OIDCDocuments(ctx)
	if c.documentsErr == nil {
		c.published, c.documentsErr = jwks.Parse(c.documents.JWKS)
	}
	c.account, c.accountErr = c.Cluster.ServiceAccount(ctx, c.Namespace, c.ServiceAccount)
}

// lookAtRegistry reads the providers and the kubelet's file, which name each other.
func (c *chain) lookAtRegistry(ctx context.Context) {
	c.health, c.healthErr = c.Registry.Health(ctx)
	if c.down() {
		c.providersErr = c.healthErr
	} else {
		c.providers, c.providersErr = c.Registry.Providers(ctx)
	}
	c.readFile()
	if c.ProviderID == "" && c.file.chosen != nil {
		c.ProviderID = pluginSetting(*c.file.chosen, "provider-id", "AK_PROVIDER_ID")
		c.providerIDOf = ofPlugin
	}
	var wanted []string
	for _, audience := range []string{c.Audience, c.file.audience()} {
		if audience != "" {
			wanted = append(wanted, audience)
		}
	}
	if c.documents != nil || c.ProviderID != "" {
		c.resolved = resolve(c.providers, c.issuerText(), wanted, c.ProviderID)
	}
	switch {
	case c.Audience != "":
		c.audience, c.audienceOf = c.Audience, "the argument audience"
	case c.file.audience() != "":
		c.audience, c.audienceOf = c.file.audience(), "the kubelet's file"
	case c.resolved.provider != nil:
		c.audience, c.audienceOf = c.resolved.provider.Audience, "the provider"
	}
}

// down reports whether the registry gave no answer to the simplest question.
func (c *chain) down() bool { return artifactkeeper.Unreachable(c.healthErr) }

// issuerText is the iss of the cluster's tokens; empty when it is not known.
func (c *chain) issuerText() string {
	switch {
	case c.presented.Issuer != "":
		return c.presented.Issuer
	case c.documents != nil:
		return c.documents.Issuer
	}
	return ""
}

// requestToken asks for the token that a node would ask for, and looks at it.
func (c *chain) requestToken(ctx context.Context) {
	if c.audience == "" || unanswered(c.apiVersionErr) {
		return
	}
	c.askForNodes(ctx)
	if cluster.IsNotFound(c.accountErr) {
		return
	}
	c.token, c.tokenErr = c.Cluster.CreateToken(ctx, cluster.TokenRequest{
		Namespace: c.Namespace, ServiceAccount: c.ServiceAccount, Audience: c.audience, Expiration: tokenLifetime,
	})
	if c.tokenErr != nil {
		return
	}
	var err error
	if c.presented, err = jwt.Read(c.token.Value); err != nil {
		c.token, c.tokenErr = nil, fmt.Errorf("what the API server issued is %w", err)
		return
	}
	c.accepted, c.acceptedErr = c.Cluster.Accepts(ctx, *c.token, c.username())
	if c.providersErr == nil {
		c.resolved = resolve(c.providers, c.presented.Issuer, c.presented.Audiences, c.ProviderID)
	}
}

// username is the ServiceAccount's name to the API server.
func (c *chain) username() string {
	return fmt.Sprintf("system:serviceaccount:%s:%s", c.Namespace, c.ServiceAccount)
}

// exchange reads the mappings, holds the token against them, and has the registry decide. A token that opens the API server
// is not shown to anybody else.
func (c *chain) exchange(ctx context.Context) {
	if c.resolved.provider != nil {
		c.mappings, c.mappingsErr = c.Registry.Mappings(ctx, c.resolved.provider.ID)
		c.matches = matchAll(c.mappings, c.expectedClaims(), c.token != nil)
		c.winner = winnerOf(c.matches)
	}
	if c.token == nil || c.opensAPIServer() || c.down() {
		return
	}
	credential, err := c.Registry.Exchange(ctx, c.token.Value, c.ProviderID)
	if err != nil {
		c.exchangeErr = err
		return
	}
	c.credential = &credential
}

// expectedClaims are those of the token, or, when there is none, those that it would have.
func (c *chain) expectedClaims() claims.Claims {
	if c.token != nil {
		return c.presented.Claims
	}
	account := map[string]any{"name": c.ServiceAccount}
	if c.account != nil {
		account["uid"] = string(c.account.UID)
	}
	values := map[string]any{
		"sub": c.username(), "kubernetes.io": map[string]any{"namespace": c.Namespace, "serviceaccount": account},
	}
	if c.audience != "" {
		values["aud"] = []string{c.audience}
	}
	if issuer := c.issuerText(); issuer != "" {
		values["iss"] = issuer
	}
	out, err := claims.ClaimsFromValue(values)
	if err != nil {
		panic(fmt.Sprintf("claims of texts alone: %s", err)) // texts and maps of texts encode
	}
	return out
}

// unanswered reports whether the API server gave no answer at all.
func unanswered(err error) bool {
	var e *cluster.Error
	return errors.As(err, &e) && e.Code == 0
}
