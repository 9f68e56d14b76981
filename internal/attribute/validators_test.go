package attribute_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

var at = path.Root("x")

// expect holds diagnostics against texts that each has to have; none means no diagnostics.
func expect(t *testing.T, got diag.Diagnostics, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %d of them", got, len(want))
	}
	for i, text := range want {
		if all := got[i].Summary() + "\n" + got[i].Detail(); !strings.Contains(all, text) {
			t.Errorf("got %q, want %q in it", all, text)
		}
		if got[i].Severity() != diag.SeverityError {
			t.Errorf("got %v, want an error", got[i])
		}
	}
}

func TestTextValidators(t *testing.T) {
	private := `{"keys":[{"kty":"EC","kid":"k","d":"c2VjcmV0"}]}`
	tests := map[string]struct {
		validator validator.String
		value     types.String
		want      []string
	}{
		"key set":         {attribute.ValidKeySet(), types.StringValue(keys), nil},
		"null key set":    {attribute.ValidKeySet(), types.StringNull(), nil},
		"unknown key set": {attribute.ValidKeySet(), types.StringUnknown(), nil},
		"bad key set":     {attribute.ValidKeySet(), types.StringValue(`{"keys":[{"kty":"oct"}]}`), []string{"Invalid key set\nIn x: the value is refused: keys[0]: kty \"oct\""}},
		"empty key set":   {attribute.ValidKeySet(), types.StringValue(""), []string{"the text is empty"}},
		"private key":     {attribute.ValidKeySet(), types.StringValue(private), []string{`Private key in a key set`}},
		"issuer":          {attribute.ValidIssuer(), types.StringValue("https://oidc.example.com/prod"), nil},
		"null issuer":     {attribute.ValidIssuer(), types.StringNull(), nil},
		"unknown issuer":  {attribute.ValidIssuer(), types.StringUnknown(), nil},
		"empty issuer":    {attribute.ValidIssuer(), types.StringValue(""), []string{`"" cannot be the issuer of a token: it is not an https URL`}},
		"password":        {attribute.ValidIssuer(), types.StringValue("https://u:c2VjcmV0@a"), []string{"In x: it cannot be the issuer of a token: it has a user name"}},
		"null PEM":        {attribute.ValidCertificates(), types.StringNull(), nil},
		"unknown PEM":     {attribute.ValidCertificates(), types.StringUnknown(), nil},
		"empty PEM":       {attribute.ValidCertificates(), types.StringValue(""), []string{"Invalid certificates\nIn x: the value is refused: it holds no PEM"}},
		"UUID":            {attribute.ValidUUID(), types.StringValue(upper), nil},
		"UUID as URN":     {attribute.ValidUUID(), types.StringValue("urn:uuid:" + upper), nil},
		"bad UUID":        {attribute.ValidUUID(), types.StringValue("team"), []string{`"team" is not a UUID`}},
		"wrong braces":    {attribute.ValidUUID(), types.StringValue("(" + upper + ")"), []string{`is not a UUID`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := validator.StringResponse{}
			test.validator.ValidateString(context.Background(), validator.StringRequest{Path: at, ConfigValue: test.value}, &resp)
			expect(t, resp.Diagnostics, test.want...)
			for _, d := range resp.Diagnostics {
				if strings.Contains(d.Detail(), "c2VjcmV0") {
					t.Errorf("the private key is shown: %s", d.Detail())
				}
			}
		})
	}
}

func TestValidUUIDs(t *testing.T) {
	set := func(elements ...attr.Value) types.Set { return types.SetValueMust(attribute.UUIDType{}, elements) }
	id := func(text string) attr.Value { return attribute.NewUUIDValue(text) }
	tests := map[string]struct {
		value types.Set
		want  []string
	}{
		"null":          {types.SetNull(attribute.UUIDType{}), nil},
		"unknown":       {types.SetUnknown(attribute.UUIDType{}), nil},
		"empty":         {set(), nil},
		"UUIDs":         {set(id(upper), id(other)), nil},
		"unknown one":   {set(id(upper), attribute.NewUUIDUnknown()), nil},
		"null one":      {set(attribute.NewUUIDNull()), []string{"An element is null"}},
		"bad ones":      {set(id("a"), id(lower), id("b")), []string{`"a" is not`, `"b" is not`}},
		"in two cases":  {set(id(upper), id(lower)), []string{upper + " and " + lower + " are the same UUID"}},
		"plain strings": {types.SetValueMust(types.StringType, []attr.Value{text("a")}), []string{`"a" is not`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := validator.SetResponse{}
			attribute.ValidUUIDs().ValidateSet(context.Background(), validator.SetRequest{Path: at, ConfigValue: test.value}, &resp)
			expect(t, resp.Diagnostics, test.want...)
		})
	}
}

func TestValidClaimFilters(t *testing.T) {
	tests := map[string]struct {
		value types.Dynamic
		want  []string
	}{
		"null":                      {types.DynamicNull(), nil},
		"typed null":                {types.DynamicValue(types.StringNull()), nil},
		"unknown":                   {types.DynamicUnknown(), nil},
		"unknown text":              {types.DynamicValue(types.StringUnknown()), nil},
		"object":                    {types.DynamicValue(object(map[string]attr.Value{"/a~1b": text("x")})), nil},
		"object, in part unknown":   {types.DynamicValue(object(map[string]attr.Value{"a": types.StringUnknown(), "b": tuple(types.DynamicUnknown())})), nil},
		"text":                      {types.DynamicValue(text(`{"a":1}`)), nil},
		"list":                      {types.DynamicValue(tuple(text("a"))), []string{"this is an array"}},
		"number":                    {types.DynamicValue(number(t, "1")), []string{"this is a number"}},
		"no JSON":                   {types.DynamicValue(text("a")), []string{"not valid JSON"}},
		"bad pointer":               {types.DynamicValue(object(map[string]attr.Value{"/a~b": text("x")})), []string{`claim filter "/a~b" is not a JSON Pointer`}},
		"bad pointer, rest unknown": {types.DynamicValue(object(map[string]attr.Value{"/a~": types.StringUnknown()})), []string{`claim filter "/a~"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			resp := validator.DynamicResponse{}
			req := validator.DynamicRequest{Path: at, ConfigValue: test.value}
			attribute.ValidClaimFilters().ValidateDynamic(context.Background(), req, &resp)
			expect(t, resp.Diagnostics, test.want...)
		})
	}
}

func TestValidatorsDescribeThemselves(t *testing.T) {
	ctx := context.Background()
	for _, d := range []validator.Describer{} {
		if !strings.HasPrefix(d.Description(ctx), "has to ") || d.Description(ctx) != d.MarkdownDescription(ctx) {
			t.Errorf("%T: %q", d, d.Description(ctx))
		}
	}
}
