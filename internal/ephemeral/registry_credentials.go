package ephemeral

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
)

// RegistryCredentials is aktrust_registry_credentials.
type RegistryCredentials struct{ connection.Ephemeral }

var _ ephemeral.EphemeralResourceWithConfigure = (*RegistryCredentials)(nil)

// NewRegistryCredentials gives the ephemeral resource to the provider's list.
func NewRegistryCredentials() ephemeral.EphemeralResource { return &RegistryCredentials{} }

type credentialsModel struct {
	OIDCToken  types.String `tfsdk:"oidc_token"`
	ProviderID types.String `tfsdk:"provider_id"`
	Username   types.String `tfsdk:"username"`
	Password   types.String `tfsdk:"password"`
	ExpiresIn  types.Int64  `tfsdk:"expires_in"`
}

// Metadata names the ephemeral resource.
func (r *RegistryCredentials) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_registry_credentials"
}

// Schema describes the ephemeral resource.
func (r *RegistryCredentials) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The registry's credential for a token of a trusted issuer, as the kubelet's plugin gets it: for pulling, " +
			"or for another provider's configuration. It is in no state and no plan.\n\n" +
			"Each plan and each apply exchanges the token anew. The provider's `endpoint` is all that it needs: the exchange takes no " +
			"administrator.",
		Attributes: map[string]schema.Attribute{
			"oidc_token": schema.StringAttribute{
				MarkdownDescription: "The token, a JWT, such as `token` of `aktrust_service_account_token`. White space around it is " +
					"left out.",
				Required:  true,
				Sensitive: true,
			},
			"provider_id": schema.StringAttribute{
				MarkdownDescription: "Id of the `aktrust_ci_oidc_provider` to ask. Left out, the registry finds it by the token's issuer " +
					"and audience, which registries before 1.10 cannot.",
				Optional:   true,
				Validators: []validator.String{attribute.ValidUUID()},
			},
			"username":   schema.StringAttribute{MarkdownDescription: "Name of the mapping's account.", Computed: true},
			"password":   schema.StringAttribute{MarkdownDescription: "The registry's access token.", Computed: true, Sensitive: true},
			"expires_in": schema.Int64Attribute{MarkdownDescription: "For how many seconds the credential is valid.", Computed: true},
		},
	}
}

// Open presents the token to the registry.
func (r *RegistryCredentials) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var data credentialsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	token := strings.TrimSpace(data.OIDCToken.ValueString())
	err := checkToken(token)
	var registry *artifactkeeper.Client
	if err == nil {
		registry, err = r.Registry()
	}
	var credential artifactkeeper.Credential
	if err == nil {
		credential, err = registry.Exchange(ctx, token, data.ProviderID.ValueString())
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("exchange", "the OIDC token for a credential of the registry", refused(err)))
		return
	}
	data.Username = types.StringValue(credential.Username)
	data.Password = types.StringValue(credential.AccessToken)
	data.ExpiresIn = types.Int64Value(credential.ExpiresIn)
	resp.Diagnostics.Append(resp.Result.Set(ctx, data)...)
}

// checkToken refuses what no header can carry. It is not a validator of the attribute, because the CLI quotes the line of an
// attribute with an error, and with it the token.
func checkToken(token string) error {
	if token == "" {
		return errors.New("oidc_token is empty")
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("oidc_token holds white space or other characters that no token has; give the bare token")
	}
	return nil
}

// refused gives the registry's refusal of a token the advice that belongs to it: a 401 is about the token here, and not about
// the provider's own credential.
func refused(err error) error {
	answer, ok := errors.AsType[*artifactkeeper.Error](err)
	if !ok || !answer.FromRegistry {
		return err
	}
	switch {
	case strings.Contains(answer.Message, "supply provider_id"):
		return advised{err, "Give provider_id, the id of the aktrust_ci_oidc_provider that is meant, or ask for a token of an audience " +
			"that only one of them takes."}
	case strings.Contains(answer.Message, "read the iss claim"):
		return advised{err, "What oidc_token holds is no JWT with an issuer, and so no token of a cluster: give token of " +
			"aktrust_service_account_token, or another ID token that an issuer signed."}
	}
	switch answer.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound:
		return advised{err, "The registry does not tell which filter of which mapping fails. The function evaluate_mappings does, and " +
			"the data source aktrust_pull_check names every link of the chain that is broken for a ServiceAccount."}
	}
	return err
}
