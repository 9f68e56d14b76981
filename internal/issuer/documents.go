package issuer

import (
	"errors"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// Where the documents are, below the issuer: the first by OpenID Connect Discovery 1.0, section 4, the second as on an API
// server.
const (
	discoveryPath = "/.well-known/openid-configuration"
	keySetPath    = "/openid/v1/jwks"
)

// Document is a file for a web server or an object store.
type Document struct {
	// Path is where the file belongs, relative to the root of the issuer's host, without a slash in front.
	Path string
	// Content is JSON text in one line, without a line break at its end.
	Content string
	// ContentType is what the server has to say that it is.
	ContentType string
}

// metadata are the members that an API server publishes (openIDMetadata of Kubernetes 1.34). They are those that OpenID
// Connect Discovery 1.0, section 3, requires, but for authorization_endpoint: nobody logs in at a cluster.
type metadata struct {
	Issuer        string   `json:"issuer"`
	JWKSURI       string   `json:"jwks_uri"`
	ResponseTypes []string `json:"response_types_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
}

// Documents gives both documents of an issuer at a public URL, with the issuer verbatim and the keys in their canonical text:
// the same bytes for the same keys. The error is that of Check, or a clause about a set in which no key signs.
func Documents(issuer string, keys *jwks.Set) (discovery, keySet Document, err error) {
	if err := Check(issuer); err != nil {
		return Document{}, Document{}, err
	}
	algorithms := keys.Algorithms()
	if len(algorithms) == 0 {
		return Document{}, Document{}, errors.New("it has no key that signs, so that no token could be verified")
	}
	text, err := strictjson.Encode(metadata{
		Issuer: issuer, JWKSURI: issuer + keySetPath,
		ResponseTypes: []string{"id_token"}, SubjectTypes: []string{"public"}, Algorithms: algorithms,
	})
	if err != nil {
		return Document{}, Document{}, err
	}
	_, folder, _ := strings.Cut(strings.TrimPrefix(issuer, "https://"), "/")
	discovery = Document{Path: below(folder, discoveryPath), Content: text, ContentType: "application/json"}
	keySet = Document{Path: below(folder, keySetPath), Content: keys.Canonical(), ContentType: "application/jwk-set+json"}
	return discovery, keySet, nil
}

func below(folder, path string) string { return strings.TrimPrefix(folder+path, "/") }
