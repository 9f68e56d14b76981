package clusterjwks

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/publickeys"
)

type model struct {
	Issuer            types.String     `tfsdk:"issuer"`
	JWKSURI           types.String     `tfsdk:"jwks_uri"`
	JWKS              types.String     `tfsdk:"jwks"`
	KeyIDs            []string         `tfsdk:"key_ids"`
	Keys              []publickeys.Key `tfsdk:"keys"`
	SigningAlgorithms []string         `tfsdk:"signing_algorithms"`
	DiscoveryDocument types.String     `tfsdk:"discovery_document"`
	Warnings          []string         `tfsdk:"warnings"`
}

// fromCluster is the same for the same documents, whatever the order in which the API server lists keys and algorithms.
func fromCluster(documents *cluster.OIDCDocuments, keys *jwks.Set) model {
	m := model{
		Issuer:            types.StringValue(documents.Issuer),
		JWKSURI:           attribute.TextOrNull(documents.JWKSURI),
		JWKS:              types.StringValue(keys.Canonical()),
		KeyIDs:            keys.KeyIDs(),
		Keys:              publickeys.List(keys),
		SigningAlgorithms: append([]string{}, documents.SigningAlgorithms...),
		DiscoveryDocument: types.StringValue(documents.Discovery),
		Warnings:          append(append([]string{}, documents.Warnings()...), keys.Warnings()...),
	}
	slices.Sort(m.SigningAlgorithms)
	slices.Sort(m.Warnings)
	return m
}
