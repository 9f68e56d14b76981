package publishedissuer

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/publickeys"
)

const description = "What a consumer reads at an issuer: the discovery document below `issuer_url` and the key set that it names, " +
	"fetched over https without a credential. `problems` says all that is wrong with it at once, and `expected_jwks` holds it against " +
	"the keys that should be there, such as those of the cluster, so that keys that were rotated and not published again show " +
	"before pulls fail.\n\n" +
	"It asks neither the registry nor a cluster, so that it needs no configuration of the provider. What cannot be reached or read is " +
	"an answer and not an error: `consistent` is false, and `problems` says why. It is read from where the command runs; a consumer " +
	"elsewhere may see another name server or another network.\n\n" +
	"Each document may take ten seconds and 1 MiB. Redirects are a problem and are not followed: the standard knows none, and some " +
	"consumers refuse them. So is a key set that caches may keep for more than an hour, which is how long a rotation waits between " +
	"two steps, because a pod's token lives for an hour; the API server lets its own be kept for as long. A `jwks_uri` on another " +
	"host is a problem too; where it is the address of something inside of a network, it is not asked at all.\n\n" +
	"A data source is read while planning. Where the same apply publishes the documents, give it `depends_on`: it is then read after " +
	"they were published, and at once in every plan that does not publish.\n\n" +
	"Write it beside a `check` block, not into it: a data source inside of one is planned to be read again in every run, and `plan " +
	"-detailed-exitcode` never exits with 0. While what is published stays the same, so does everything that is read."

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := arguments()
	maps.Copy(attributes, results())
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: attributes}
}

func arguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"issuer_url": schema.StringAttribute{
			MarkdownDescription: "The issuer: the `iss` of the tokens, character for character. An https URL without query and fragment.",
			Required:            true,
			Validators:          []validator.String{attribute.ValidIssuer()},
		},
		"ca_certificate": schema.StringAttribute{
			MarkdownDescription: "Certificates of the authorities to trust instead of the system's, as PEM, where the consumers know a " +
				"private one.",
			Optional:   true,
			Validators: []validator.String{attribute.ValidCertificates()},
		},
		"expected_jwks": schema.StringAttribute{
			MarkdownDescription: "The keys that should be published, as the JSON text of a key set, such as `jwks` of " +
				"`aktrust_cluster_jwks`. Compared as a set of keys: order and white space do not count.",
			CustomType: attribute.KeySetType{},
			Optional:   true,
			Validators: []validator.String{attribute.ValidKeySet()},
		},
	}
}

func results() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	texts := func(description string) schema.ListAttribute {
		return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	}
	return map[string]schema.Attribute{
		"issuer":   text("The issuer that the discovery document names. Null when it could not be read or names none."),
		"jwks_uri": text("Where the discovery document says that the keys are. Null when it could not be read or does not say."),
		"jwks": text("The public keys that can be read, as JSON text in the canonical form of `aktrust_cluster_jwks`; those that " +
			"verify no token are among them, and in `problems`. When there is none, it is an empty text and not null: `static_jwks` " +
			"of `aktrust_ci_oidc_provider` then refuses it while planning, instead of going on without keys."),
		"key_ids": texts("Their `kid`s, sorted. Empty when there is none."),
		"keys":    publickeys.Attribute("The keys, sorted by `kid`. Empty when there is none."),
		"consistent": schema.BoolAttribute{
			MarkdownDescription: "Whether `problems` is empty: every consumer that keeps to the standard verifies tokens with what is " +
				"published, and no expected key is missing.",
			Computed: true,
		},
		"problems": texts("What is wrong, each with what was found, what it means for consumers and what to do. Those of the discovery " +
			"document come first."),
		"missing_key_ids": texts("The `kid`s of `expected_jwks` that are not published, or with another key, sorted: what is published " +
			"is stale, and consumers refuse tokens that are signed with them. All of them when no key could be read. Null without " +
			"`expected_jwks`."),
		"extra_key_ids": texts("The `kid`s that are published and not in `expected_jwks`, or with another key there, sorted. That is no " +
			"problem: during a rotation an old key stays until its tokens have expired. Null without `expected_jwks`."),
	}
}
