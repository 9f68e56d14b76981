// Package publickeys is how data sources show the keys of a key set, one by one.
package publickeys

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// Key is the value of one element of Attribute.
type Key struct {
	KID          types.String `tfsdk:"kid"`
	KTY          types.String `tfsdk:"kty"`
	Alg          types.String `tfsdk:"alg"`
	Use          types.String `tfsdk:"use"`
	PublicKeyPEM types.String `tfsdk:"public_key_pem"`
	Thumbprint   types.String `tfsdk:"thumbprint"`
}

// Attribute describes the list.
func Attribute(description string) schema.ListNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return schema.ListNestedAttribute{
		MarkdownDescription: description,
		Computed:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kid":            text("By which a token names the key that signed it. Null when the key has none."),
			"kty":            text("`RSA` or `EC`."),
			"alg":            text("What the key signs with, such as `RS256`. Null when the key does not say."),
			"use":            text("`sig`; no token is verified with a key for another use. Null when the key does not say."),
			"public_key_pem": text("The public key as PEM (`PUBLIC KEY`)."),
			"thumbprint":     text("SHA-256 thumbprint of the key (RFC 7638)."),
		}},
	}
}

// List gives the keys in canonical order; empty, and not null, when there is none.
func List(keys *jwks.Set) []Key {
	out := make([]Key, 0, keys.Len())
	for _, k := range keys.Keys() {
		out = append(out, Key{
			KID: attribute.TextOrNull(k.KeyID), KTY: types.StringValue(k.KeyType), Alg: attribute.TextOrNull(k.Algorithm),
			Use: attribute.TextOrNull(k.Use), PublicKeyPEM: types.StringValue(k.PublicKeyPEM), Thumbprint: types.StringValue(k.Thumbprint),
		})
	}
	return out
}
