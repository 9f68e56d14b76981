// Package clusterjwks serves the data source aktrust_cluster_jwks: the issuer and the keys of a cluster's tokens.
package clusterjwks

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/publickeys"
)

// DataSource is aktrust_cluster_jwks.
type DataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster_jwks"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	texts := func(description string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The issuer of a cluster's ServiceAccount tokens and the keys that verify them, read from the API server " +
			"itself: for `issuer_url` and `static_jwks` of `aktrust_ci_oidc_provider`. The same keys are the same text at every read.\n\n" +
			"The account needs the role `system:service-account-issuer-discovery`, which every ServiceAccount has. The keys are all " +
			"that the API server accepts, so that both of a rotation with overlap are there. Some managed clusters serve keys that " +
			"do not sign: the key that signs is the one that the `kid` of a token names.",
		Attributes: map[string]schema.Attribute{
			"issuer": text("The `iss` of tokens, verbatim: the first `--service-account-issuer` of the API server."),
			"jwks_uri": text("Where the discovery document says that the keys are. Often an address that is reached from inside the " +
				"cluster alone, and each of several API servers may have its own; the keys here were not read from it."),
			"jwks": text("The key set as JSON text in a canonical form: keys sorted by `kid`, members by name, no white space. " +
				"It changes when the keys do."),
			"key_ids":            texts("The `kid`s, sorted."),
			"keys":               publickeys.Attribute("The keys, sorted by `kid`."),
			"signing_algorithms": texts("What tokens are signed with, as the discovery document says, sorted."),
			"discovery_document": text("The discovery document as the API server serves it, JSON text. It holds `jwks_uri`, so that " +
				"each of several API servers may have its own."),
			"warnings": texts("What of this keeps others from verifying tokens, in sentences, sorted: an `issuer` or a `jwks_uri` that " +
				"is not https, a `jwks_uri` that is reached from inside alone or is on another host than the issuer, keys that no token " +
				"can be verified with. Those about `jwks_uri` do not matter where the keys are handed over as `static_jwks`. A data " +
				"source is read in every plan, so that these are not warnings of the plan: a `postcondition` can look at them."),
		},
	}
}

// Read asks the API server for both documents.
func (d *DataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	client, err := d.Cluster()
	var documents *cluster.OIDCDocuments
	if err == nil {
		documents, err = client.OIDCDocuments(ctx)
	}
	var keys *jwks.Set
	if err == nil {
		if keys, err = jwks.Parse(documents.JWKS); err != nil {
			err = fmt.Errorf("the API server %s serves keys that the registry would refuse: %w", client.Server(), err)
		}
	}
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", "the keys of the cluster", err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, fromCluster(documents, keys))...)
}
