// Package publishedissuer serves the data source aktrust_published_issuer: what a consumer reads at an issuer, and what is
// wrong with it.
package publishedissuer

import (
	"context"
	"crypto/x509"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// DataSource is aktrust_published_issuer. It needs no connection: whatever is published is there for everybody.
type DataSource struct{}

var _ datasource.DataSource = (*DataSource)(nil)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_published_issuer"
}

// Read reads both documents. What is wrong with them is an answer; only arguments that cannot be used are an error, and the
// validators have refused those.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	published, expected, err := m.read(ctx)
	if err != nil {
		resp.Diagnostics.Append(diagnose.Error("read", "what the issuer has published", err))
		return
	}
	m.fill(published, expected)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// read reads what the configuration names. expected is nil when nothing is.
func (m model) read(ctx context.Context) (published *issuer.Published, expected *jwks.Set, err error) {
	if !m.ExpectedJWKS.IsNull() {
		if expected, err = jwks.Parse(m.ExpectedJWKS.ValueString()); err != nil {
			return nil, nil, err
		}
	}
	var authorities *x509.CertPool
	if !m.CACertificate.IsNull() {
		if authorities, err = issuer.Authorities(m.CACertificate.ValueString()); err != nil {
			return nil, nil, err
		}
	}
	published, err = issuer.NewReader(issuer.Transport(authorities)).Read(ctx, m.IssuerURL.ValueString())
	return published, expected, err
}
