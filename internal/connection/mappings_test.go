package connection

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// The mappings at the start are those before the first write, for each provider, however its id is written.
func TestMappingsAtStart(t *testing.T) {
	server, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	provider, err := server.AddProvider(emulator.Provider{Name: "p", ProviderType: "kubernetes", IssuerURL: "https://oidc.example.com",
		Audience: "artifact-keeper", IsEnabled: true, KeySource: "discovery"})
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) {
		if _, err := server.AddMapping(emulator.Mapping{ProviderID: provider.ID, Name: name, ClaimFilters: json.RawMessage("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	client, err := artifactkeeper.New(artifactkeeper.Config{Endpoint: server.URL(), Token: server.Token(), CACertificate: server.CACertificate()})
	if err != nil {
		t.Fatal(err)
	}
	r := Resource{base{data: New(func() (*artifactkeeper.Client, error) { return client, nil }, nil)}}

	fault := server.Inject(emulator.Fault{Kind: emulator.Forbidden})
	if _, err := r.MappingsAtStart(t.Context(), provider.ID); err == nil {
		t.Fatal("a refused list is taken for one")
	}
	fault.Remove() // A failure is not kept.

	add("first")
	var wait sync.WaitGroup
	for _, id := range []string{provider.ID, strings.ToUpper(provider.ID), provider.ID} {
		wait.Go(func() {
			if _, err := r.MappingsAtStart(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	add("second")
	in := artifactkeeper.MappingInput{Name: "third", ClaimFilters: json.RawMessage("{}")}
	if _, err := client.CreateMapping(t.Context(), provider.ID, in); err != nil {
		t.Fatal(err)
	}
	got, err := r.MappingsAtStart(t.Context(), provider.ID)
	if err != nil || len(got) != 1 || got[0].Name != "first" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Without a registry there are none, which is not the same as an empty list.
func TestMappingsAtStartWithoutRegistry(t *testing.T) {
	unknown := &UnknownError{Half: "registry", Arguments: []string{"endpoint"}}
	r := Resource{base{data: New(func() (*artifactkeeper.Client, error) { return nil, unknown }, nil)}}
	if _, err := r.MappingsAtStart(t.Context(), "x"); !errors.Is(err, unknown) {
		t.Error(err)
	}
}
