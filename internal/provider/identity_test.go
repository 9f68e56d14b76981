package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
	"github.com/aktrust/terraform-provider-aktrust/internal/provider"
)

// An import by identity, which not every CLI can ask for, leads to the object, and its state carries the identity on.
func TestImportByIdentity(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	p, err := server.AddProvider(emulator.Provider{Name: "prod", ProviderType: "generic", IssuerURL: "https://a.example.com",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := server.AddMapping(emulator.Mapping{ProviderID: p.ID, Name: "team", Priority: 1, IsEnabled: true, ClaimFilters: []byte(`{"sub":"a"}`)})
	if err != nil {
		t.Fatal(err)
	}
	plugin := configured(t, server)
	for resource, identity := range map[string]map[string]string{
		"aktrust_ci_oidc_provider": {"id": p.ID},
		"aktrust_ci_oidc_mapping":  {"provider_id": p.ID, "id": m.ID},
	} {
		given := encodeIdentity(t, identity)
		imported, err := plugin.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
			TypeName: resource, Identity: &tfprotov6.ResourceIdentityData{IdentityData: given}})
		refuse(t, resource, err, imported.Diagnostics)
		object := imported.ImportedResources[0]
		read, err := plugin.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: resource, CurrentState: object.State, CurrentIdentity: object.Identity, Private: object.Private})
		refuse(t, resource, err, read.Diagnostics)
		got, err := read.NewIdentity.IdentityData.Unmarshal(identityType(identity))
		if err != nil {
			t.Fatal(err)
		}
		want, err := given.Unmarshal(identityType(identity))
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: the identity is %s, want %s (%v)", resource, got, want, err)
		}
	}
}

// configured is the provider as the protocol serves it, configured for this registry.
func configured(t *testing.T, server *emulator.Server) tfprotov6.ProviderServer {
	t.Helper()
	plugin := providerserver.NewProtocol6(provider.New("test"))()
	schemas, err := plugin.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kind := schemas.Provider.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, attribute := range kind.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
	}
	for name, text := range map[string]string{"endpoint": server.URL(), "token": server.Token(), "ca_certificate": server.CACertificate()} {
		values[name] = tftypes.NewValue(tftypes.String, text)
	}
	config, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, values))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := plugin.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &config})
	refuse(t, "configuring", err, resp.Diagnostics)
	return plugin
}

func identityType(identity map[string]string) tftypes.Object {
	kinds := map[string]tftypes.Type{}
	for name := range identity {
		kinds[name] = tftypes.String
	}
	return tftypes.Object{AttributeTypes: kinds}
}

func encodeIdentity(t *testing.T, identity map[string]string) *tfprotov6.DynamicValue {
	t.Helper()
	values := map[string]tftypes.Value{}
	for name, text := range identity {
		values[name] = tftypes.NewValue(tftypes.String, text)
	}
	kind := identityType(identity)
	encoded, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, values))
	if err != nil {
		t.Fatal(err)
	}
	return &encoded
}

func refuse(t *testing.T, what string, err error, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	if err != nil || len(diags) > 0 {
		t.Fatalf("%s: %v %+v", what, err, diags)
	}
}
