package attribute

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// ValidKeySet refuses a text that jwks.Parse refuses.
func ValidKeySet() validator.String {
	return textValidator{description: "has to be a JSON Web Key Set of public RSA or EC keys", check: checkKeySet, secret: true}
}

// ValidUUID refuses a text that is not a UUID.
func ValidUUID() validator.String {
	return textValidator{description: "has to be a UUID", check: checkUUID}
}

// ValidIssuer refuses a text that cannot be the issuer of a token (issuer.Invalid).
func ValidIssuer() validator.String { return issuerValidator{} }

type issuerValidator struct{}

func (issuerValidator) Description(context.Context) string {
	return "has to be an https URL without query and fragment"
}

func (v issuerValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (issuerValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if allKnown(req.ConfigValue) {
		text := req.ConfigValue.ValueString()
		// Before an @ there may be a password.
		resp.Diagnostics.Append(textValidator{check: checkIssuer, secret: strings.Contains(text, "@")}.at(req.Path, text)...)
	}
}

// ValidCertificates refuses a text that issuer.Authorities refuses.
func ValidCertificates() validator.String {
	return textValidator{description: "has to be certificates as PEM", check: checkCertificates, secret: true}
}

func checkIssuer(text string) (summary, detail string) {
	problem := issuer.Invalid(text)
	if problem == "" {
		return "", ""
	}
	what := "it"
	if !strings.Contains(text, "@") {
		what = strconv.Quote(text)
	}
	return "Not an issuer", fmt.Sprintf("%s cannot be the issuer of a token: %s. Give the iss claim of the tokens, character for"+
		" character; for a cluster that is the issuer of aktrust_cluster_jwks.", what, problem)
}

func checkCertificates(text string) (summary, detail string) {
	if _, err := issuer.Authorities(text); err != nil {
		return "Invalid certificates", fmt.Sprintf("the value is refused: %s. Give PEM text, for example"+
			" file(\"ca.pem\"), not a path.", err)
	}
	return "", ""
}

func checkKeySet(text string) (summary, detail string) {
	_, err := jwks.Parse(text)
	switch {
	case errors.Is(err, jwks.ErrPrivateKey):
		return "Private key in a key set", fmt.Sprintf("the value is refused: %s.\n\nWhoever reads the configuration or its"+
			" state could sign tokens with such a key. Give the public keys only, as the API server serves them at"+
			" /openid/v1/jwks.", err)
	case err != nil:
		return "Invalid key set", fmt.Sprintf("the value is refused: %s.\n\nGive the key set as the API server serves it at"+
			" /openid/v1/jwks.", err)
	}
	return "", ""
}

func checkUUID(text string) (summary, detail string) {
	if uuid.Validate(text) != nil {
		return "Invalid UUID", fmt.Sprintf("%q is not a UUID, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.", text)
	}
	return "", ""
}

// textValidator runs a check on a known text. The check returns an empty summary when there is nothing to say.
type textValidator struct {
	description string
	check       func(text string) (summary, detail string)
	// secret says that a refused text may hold a secret, such as a private key in place of the public one. The CLI quotes
	// the expression behind an attribute's error, so that such an error names its attribute in words.
	secret bool
}

func (v textValidator) Description(context.Context) string         { return v.description }
func (v textValidator) MarkdownDescription(context.Context) string { return v.description }

func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if allKnown(req.ConfigValue) {
		resp.Diagnostics.Append(v.at(req.Path, req.ConfigValue.ValueString())...)
	}
}

func (v textValidator) at(at path.Path, text string) diag.Diagnostics {
	summary, detail := v.check(text)
	switch {
	case summary == "":
		return nil
	case v.secret:
		return diag.Diagnostics{diag.NewErrorDiagnostic(summary, "In "+at.String()+": "+detail)}
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary, detail)}
}

// ValidUUIDs refuses a set in which an element is null or not a UUID, or in which two elements are the same UUID in two
// spellings. Unknown elements pass.
func ValidUUIDs() validator.Set { return uuidsValidator{} }

type uuidsValidator struct{}

func (uuidsValidator) Description(context.Context) string { return "has to hold UUIDs, each once" }
func (uuidsValidator) MarkdownDescription(context.Context) string {
	return "has to hold UUIDs, each once"
}

func (uuidsValidator) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	seen := map[string]string{}
	for _, element := range req.ConfigValue.Elements() {
		at := req.Path.AtSetValue(element)
		if element.IsUnknown() {
			continue
		}
		if element.IsNull() {
			resp.Diagnostics.AddAttributeError(at, "Invalid UUID", "An element is null. Leave it out, for example with compact().")
			continue
		}
		id := plain(element).ValueString()
		resp.Diagnostics.Append(textValidator{check: checkUUID}.at(at, id)...)
		if first, twice := seen[artifactkeeper.CanonicalID(id)]; twice {
			resp.Diagnostics.AddAttributeError(at, "UUID named twice", fmt.Sprintf("%s and %s are the same UUID. Leave out one.",
				first, id))
		}
		seen[artifactkeeper.CanonicalID(id)] = id
	}
}

// ValidClaimFilters refuses a value that claims.Parse refuses. Where a part of an object is unknown, the rest is checked.
func ValidClaimFilters() validator.Dynamic { return claimFiltersValidator{} }

type claimFiltersValidator struct{}

func (claimFiltersValidator) Description(context.Context) string {
	return "has to be an object of claim names and JSON values, or JSON text of one"
}

func (v claimFiltersValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (claimFiltersValidator) ValidateDynamic(ctx context.Context, req validator.DynamicRequest,
	resp *validator.DynamicResponse,
) {
	if err := checkFilters(ctx, req.ConfigValue); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid claim filters", fmt.Sprintf("The value is refused: %s."+
			"\n\nWrite an object such as { \"/kubernetes.io/namespace\" = \"team\" }, or the same as JSON text.", err))
	}
}

func checkFilters(ctx context.Context, configured basetypes.DynamicValue) error {
	value := ClaimFilters{DynamicValue: configured}
	if value.IsAbsent() || value.IsUnknown() || value.IsUnderlyingValueUnknown() {
		return nil
	}
	raw, err := value.ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	known, err := tftypes.Transform(raw, func(_ *tftypes.AttributePath, part tftypes.Value) (tftypes.Value, error) {
		if part.IsKnown() {
			return part, nil
		}
		return tftypes.NewValue(part.Type(), nil), nil
	})
	if err != nil {
		return err
	}
	text, err := jsonText(known)
	if err != nil {
		return err
	}
	_, err = claims.Parse(text)
	return err
}
