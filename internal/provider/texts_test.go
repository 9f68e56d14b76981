package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/provider"
)

// No argument counts characters at somebody who left it empty: attribute.NotEmpty says what to write.
func TestEmptyTextsAreNamed(t *testing.T) {
	type withTexts interface{ StringValidators() []validator.String }
	type withSets interface{ SetValidators() []validator.Set }
	checked := 0
	check := func(of, name string, attribute any) {
		var descriptions []string
		if texts, ok := attribute.(withTexts); ok {
			for _, v := range texts.StringValidators() {
				descriptions = append(descriptions, v.Description(t.Context()))
			}
		}
		if sets, ok := attribute.(withSets); ok {
			for _, v := range sets.SetValidators() {
				descriptions = append(descriptions, v.Description(t.Context()))
			}
		}
		for _, text := range descriptions {
			checked++
			if strings.Contains(text, "string length must be at least") || strings.Contains(text, "string length must be between") {
				t.Errorf("%s.%s says %q", of, name, text)
			}
		}
	}
	p := provider.New("test")
	for _, made := range p.Resources(t.Context()) {
		var resp resource.SchemaResponse
		made().Schema(t.Context(), resource.SchemaRequest{}, &resp)
		for name, attribute := range resp.Schema.Attributes {
			check("a resource", name, attribute)
		}
	}
	for _, made := range p.DataSources(t.Context()) {
		var resp datasource.SchemaResponse
		made().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
		for name, attribute := range resp.Schema.Attributes {
			check("a data source", name, attribute)
		}
	}
	for _, made := range any(p).(interface {
		EphemeralResources(context.Context) []func() ephemeral.EphemeralResource
	}).EphemeralResources(t.Context()) {
		var resp ephemeral.SchemaResponse
		made().Schema(t.Context(), ephemeral.SchemaRequest{}, &resp)
		for name, attribute := range resp.Schema.Attributes {
			check("an ephemeral resource", name, attribute)
		}
	}
	if checked < 20 {
		t.Errorf("only %d validators were looked at", checked)
	}
}
