// Package ephemeral serves the ephemeral resources: secrets that are made when they are needed and written nowhere. They take
// OpenTofu 1.11 or Terraform 1.10; older ones do not see them.
package ephemeral

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// ServiceAccountToken is aktrust_service_account_token.
type ServiceAccountToken struct{ connection.Ephemeral }

var _ ephemeral.EphemeralResourceWithConfigure = (*ServiceAccountToken)(nil)

// NewServiceAccountToken gives the ephemeral resource to the provider's list.
func NewServiceAccountToken() ephemeral.EphemeralResource { return &ServiceAccountToken{} }

type tokenModel struct {
	Namespace           types.String `tfsdk:"namespace"`
	Name                types.String `tfsdk:"name"`
	Audience            types.String `tfsdk:"audience"`
	ExpirationSeconds   types.Number `tfsdk:"expiration_seconds"`
	Token               types.String `tfsdk:"token"`
	ExpirationTimestamp types.String `tfsdk:"expiration_timestamp"`
}

// The API server's bounds, in seconds (ValidateTokenRequest of pkg/apis/authentication, Kubernetes 1.34).
const (
	leastExpiration = 10 * 60
	mostExpiration  = 1 << 32
)

// Metadata names the ephemeral resource.
func (r *ServiceAccountToken) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_service_account_token"
}

// Schema describes the ephemeral resource.
func (r *ServiceAccountToken) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	text := func(write string) []validator.String { return []validator.String{attribute.NotEmpty(write)} }
	resp.Schema = schema.Schema{
		MarkdownDescription: "A token of a ServiceAccount, issued by the API server for one audience, such as the one that the registry " +
			"expects. It is in no state and no plan.\n\n" +
			"Each plan and each apply asks for a token of its own. It is bound to no pod, so that its claims name none. The account " +
			"needs the verb `create` on `serviceaccounts/token`. A token cannot be taken back: it is valid until it expires, or the " +
			"ServiceAccount is deleted.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				MarkdownDescription: "Namespace of the ServiceAccount.", Required: true,
				Validators: text("the namespace of the ServiceAccount"),
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "Name of the ServiceAccount.", Required: true,
				Validators: text("the name of the ServiceAccount"),
			},
			"audience": schema.StringAttribute{
				MarkdownDescription: "Whom the token is for: `audience` of the `aktrust_ci_oidc_provider`, to have it exchanged by " +
					"`aktrust_registry_credentials`.",
				Required: true, Validators: text("whom the token is for, such as artifact-keeper"),
			},
			"expiration_seconds": schema.NumberAttribute{
				MarkdownDescription: "For how long the token shall be valid, at least 600, which is ten minutes. Left out, the API " +
					"server decides: an hour. It may shorten it.",
				Optional: true, Validators: []validator.Number{attribute.ValidWhole(leastExpiration, mostExpiration)},
			},
			"token": schema.StringAttribute{MarkdownDescription: "The token, a JWT.", Computed: true, Sensitive: true},
			"expiration_timestamp": schema.StringAttribute{
				MarkdownDescription: "When the token expires (RFC 3339, UTC).", Computed: true,
			},
		},
	}
}

// Open asks the API server for a token.
func (r *ServiceAccountToken) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var data tokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	client, err := r.Cluster()
	var token *cluster.Token
	if err == nil {
		token, err = client.CreateToken(ctx, cluster.TokenRequest{
			Namespace: data.Namespace.ValueString(), ServiceAccount: data.Name.ValueString(), Audience: data.Audience.ValueString(),
			Expiration: time.Duration(attribute.Whole(data.ExpirationSeconds)) * time.Second,
		})
	}
	if err == nil && token.Value == "" {
		err = errors.New("the API server answered without a token")
	}
	if err != nil {
		what := "a token of the ServiceAccount " + data.Namespace.ValueString() + "/" + data.Name.ValueString()
		if cluster.IsNotFound(err) {
			err = advised{err, "Create the ServiceAccount first. When the same apply creates it, take name or namespace from that " +
				"resource, so that the token is asked for afterwards."}
		}
		resp.Diagnostics.Append(diagnose.Error("request", what, err))
		return
	}
	data.Token = types.StringValue(token.Value)
	data.ExpirationTimestamp = types.StringValue(token.ExpirationTimestamp.UTC().Format(time.RFC3339))
	resp.Diagnostics.Append(resp.Result.Set(ctx, data)...)
}

// advised is an error with other advice than its own.
type advised struct {
	error
	advice string
}

// Advice says what to do about it.
func (e advised) Advice() string { return e.advice }

// Unwrap gives the error itself.
func (e advised) Unwrap() error { return e.error }
