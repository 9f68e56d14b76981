package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// NewIssuerDocuments gives the function issuer_documents.
func NewIssuerDocuments() function.Function { return issuerDocuments{} }

type issuerDocuments struct{}

// issuerPosition is the place of the parameter that errors name.
const issuerPosition int64 = 0

var (
	documentType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"path":         types.StringType,
		"content":      types.StringType,
		"content_type": types.StringType,
	}}

	documentsType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"discovery": documentType,
		"jwks":      documentType,
	}}
)

// documents is a value of documentsType.
type documents struct {
	Discovery document `tfsdk:"discovery"`
	JWKS      document `tfsdk:"jwks"`
}

type document struct {
	Path        string `tfsdk:"path"`
	Content     string `tfsdk:"content"`
	ContentType string `tfsdk:"content_type"`
}

// Metadata names the function.
func (issuerDocuments) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "issuer_documents"
}

// Definition describes the function.
func (issuerDocuments) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Makes the two documents by which anybody verifies a cluster's tokens",
		MarkdownDescription: "Makes the two documents that an issuer has to publish for others to verify its tokens (OpenID Connect " +
			"Discovery): for a cluster whose API server is not reached from outside, and whose issuer is a public URL where a web " +
			"server or a bucket answers. Nothing is dialed or published; how the files get there is up to you.\n\n" +
			"`discovery` is the document at `/.well-known/openid-configuration` below the issuer, with the members that an API server " +
			"serves; its `jwks_uri` is the issuer and `/openid/v1/jwks`. `jwks` is the key set that belongs there, in its canonical " +
			"text. Of each, `path` is relative to the root of the issuer's host, `content` is the text, and `content_type` what the " +
			"server has to say that it is. The same keys are the same text, in whatever order they come.\n\n" +
			"The issuer has to be the first `--service-account-issuer` of the API server, character for character. Consumers refuse " +
			"tokens when the issuer they trust, the one in the document and the `iss` of the token differ by as little as a slash.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name: "issuer",
				MarkdownDescription: "The issuer: an `https://` URL without query, fragment, user name, trailing slash, " +
					"percent-encoding or dot segments, so that no two consumers read it in different ways.",
			},
			function.StringParameter{
				Name: "jwks",
				MarkdownDescription: "Public keys as the JSON text of a key set, such as `jwks` of the data source " +
					"`aktrust_cluster_jwks`. Private keys are refused.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: documentsType.AttrTypes},
	}
}

// Run makes the documents.
//
// An error about the key set names the issuer: the CLI prints the values in the argument that an error is about, and a text that
// is no set of public keys may be a private one, whatever the parser stumbled over first.
func (issuerDocuments) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var url, set string
	if resp.Error = req.Arguments.Get(ctx, &url, &set); resp.Error != nil {
		return
	}
	if err := issuer.Check(url); err != nil {
		resp.Error = function.NewArgumentFuncError(issuerPosition, err.Error())
		return
	}
	var made documents
	keys, err := jwks.Parse(set)
	if err == nil {
		made, err = newDocuments(url, keys)
	}
	if err != nil {
		resp.Error = function.NewArgumentFuncError(issuerPosition, "it is jwks that is refused, not the issuer: "+err.Error()+
			" (jwks is not repeated here, because it may hold private keys)")
		return
	}
	resp.Error = resp.Result.Set(ctx, made)
}

func newDocuments(url string, keys *jwks.Set) (documents, error) {
	discovery, keySet, err := issuer.Documents(url, keys)
	return documents{Discovery: newDocument(discovery), JWKS: newDocument(keySet)}, err
}

func newDocument(d issuer.Document) document {
	return document{Path: d.Path, Content: d.Content, ContentType: d.ContentType}
}
