package publishedissuer

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/publickeys"
)

type model struct {
	IssuerURL     types.String     `tfsdk:"issuer_url"`
	CACertificate types.String     `tfsdk:"ca_certificate"`
	ExpectedJWKS  attribute.KeySet `tfsdk:"expected_jwks"`

	Issuer        types.String     `tfsdk:"issuer"`
	JWKSURI       types.String     `tfsdk:"jwks_uri"`
	JWKS          types.String     `tfsdk:"jwks"`
	KeyIDs        []string         `tfsdk:"key_ids"`
	Keys          []publickeys.Key `tfsdk:"keys"`
	Consistent    types.Bool       `tfsdk:"consistent"`
	Problems      []string         `tfsdk:"problems"`
	MissingKeyIDs []string         `tfsdk:"missing_key_ids"`
	ExtraKeyIDs   []string         `tfsdk:"extra_key_ids"`
}

// fill fills in what was read. A slice that is nil is null: there is nothing to compare with when nothing is expected.
func (m *model) fill(published *issuer.Published, expected *jwks.Set) {
	m.Issuer, m.JWKSURI = attribute.TextOrNull(published.Issuer), attribute.TextOrNull(published.JWKSURI)
	// Null would mean to a resource that nothing was written, and it would go on without keys; an empty text it refuses.
	m.JWKS = types.StringValue("")
	if published.Keys.Len() > 0 {
		m.JWKS = types.StringValue(published.Keys.Canonical())
	}
	m.KeyIDs, m.Keys = published.Keys.KeyIDs(), publickeys.List(published.Keys)
	problems := published.Problems
	if expected != nil {
		var stale []issuer.Problem
		m.MissingKeyIDs, m.ExtraKeyIDs, stale = published.Compare(expected)
		problems = append(problems, stale...)
	}
	m.Problems = make([]string, len(problems))
	for i, problem := range problems {
		m.Problems[i] = problem.String()
	}
	m.Consistent = types.BoolValue(len(problems) == 0)
}
