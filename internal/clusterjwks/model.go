package clusterjwks

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

type model struct {
	Issuer            types.String `tfsdk:"issuer"`
	JWKSURI           types.String `tfsdk:"jwks_uri"`
	JWKS              types.String `tfsdk:"jwks"`
	KeyIDs            []string     `tfsdk:"key_ids"`
	Keys              []key        `tfsdk:"keys"`
	SigningAlgorithms []string     `tfsdk:"signing_algorithms"`
	DiscoveryDocument types.String `tfsdk:"discovery_document"`
	Warnings          []string     `tfsdk:"warnings"`
}

type key struct {
	KID          types.String `tfsdk:"kid"`
	KTY          types.String `tfsdk:"kty"`
	Alg          types.String `tfsdk:"alg"`
	Use          types.String `tfsdk:"use"`
	PublicKeyPEM types.String `tfsdk:"public_key_pem"`
	Thumbprint   types.String `tfsdk:"thumbprint"`
}

// fromCluster is the same for the same documents, whatever the order in which the API server lists keys and algorithms.
func fromCluster(documents *cluster.OIDCDocuments, keys *jwks.Set) model {
	m := model{
		Issuer:            types.StringValue(documents.Issuer),
		JWKSURI:           orNull(documents.JWKSURI),
		JWKS:              types.StringValue(keys.Canonical()),
		KeyIDs:            keys.KeyIDs(),
		Keys:              []key{},
		SigningAlgorithms: append([]string{}, documents.SigningAlgorithms...),
		DiscoveryDocument: types.StringValue(documents.Discovery),
		Warnings:          append(append([]string{}, documents.Warnings()...), keys.Warnings()...),
	}
	slices.Sort(m.SigningAlgorithms)
	slices.Sort(m.Warnings)
	for _, k := range keys.Keys() {
		m.Keys = append(m.Keys, key{
			KID: orNull(k.KeyID), KTY: types.StringValue(k.KeyType), Alg: orNull(k.Algorithm), Use: orNull(k.Use),
			PublicKeyPEM: types.StringValue(k.PublicKeyPEM), Thumbprint: types.StringValue(k.Thumbprint),
		})
	}
	return m
}

func orNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
