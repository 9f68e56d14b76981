package clusterjwks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/publickeys"
)

// What a document does not say is null, and never an empty text.
func TestFromCluster(t *testing.T) {
	const text = `{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`
	keys, err := jwks.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	documents := &cluster.OIDCDocuments{Discovery: "{}", JWKS: text, Issuer: "https://a", SigningAlgorithms: []string{"RS256", "ES256"}}
	got := fromCluster(documents, keys)
	want := model{
		Issuer: types.StringValue("https://a"), JWKSURI: types.StringNull(), JWKS: types.StringValue(keys.Canonical()), KeyIDs: []string{},
		SigningAlgorithms: []string{"ES256", "RS256"}, DiscoveryDocument: types.StringValue("{}"),
		Warnings: []string{"jwks_uri: the discovery document has none, so that nobody finds the keys by it."},
		Keys: []publickeys.Key{{
			KID: types.StringNull(), KTY: types.StringValue("EC"), Alg: types.StringNull(), Use: types.StringNull(),
			PublicKeyPEM: types.StringValue(keys.Keys()[0].PublicKeyPEM), Thumbprint: types.StringValue("oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U"),
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if documents.SigningAlgorithms[0] != "RS256" {
		t.Error("the document was changed")
	}
}
