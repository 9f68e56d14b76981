package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// start is a demo with a registry, and nothing else.
func start(t *testing.T) *demo {
	t.Helper()
	d := &demo{report: newReport(io.Discard), dir: t.TempDir()}
	if err := d.startRegistry(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.registry.Close)
	return d
}

func TestPull(t *testing.T) {
	d := start(t)
	account := d.registry.AddAccount(emulator.Account{Username: "reader"}, "password")
	for _, group := range d.registry.State().Groups {
		if group.Name == "team-readers" {
			if err := d.registry.AddMember(group.ID, account.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	reader := credential{Username: "reader", AccessToken: "password"}
	digest, first, err := d.client.pull(t.Context(), "team", reader)
	if err != nil || digest != d.digests["team"] || first != "401 UNAUTHORIZED: authentication required" {
		t.Errorf("pull: %q, %q, %v; the image is %s", digest, first, err, d.digests["team"])
	}
	for name, test := range map[string]struct {
		repository string
		with       credential
		status     int
		words      string
	}{
		"another repository": {"platform", reader, http.StatusNotFound, "404 NAME_UNKNOWN: repository not found: platform"},
		"no such repository": {"nothing", reader, http.StatusNotFound, "404 NAME_UNKNOWN: repository not found: nothing"},
		"wrong password":     {"team", credential{"reader", "wrong", 0}, http.StatusUnauthorized, "401 UNAUTHORIZED: invalid username or password"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := d.client.pull(t.Context(), test.repository, test.with)
			var refused *refusal
			if !errors.As(err, &refused) || refused.status != test.status || refused.Error() != test.words {
				t.Errorf("pull: %v", err)
			}
		})
	}
}

func TestPullNeedsARefusalFirst(t *testing.T) {
	d := start(t)
	d.registry.Inject(emulator.Fault{Path: "/v2/...", Kind: emulator.HTMLPage})
	if _, _, err := d.client.pull(t.Context(), "team", credential{}); err == nil || !strings.Contains(err.Error(), "gives it to anybody") {
		t.Errorf("pull from a registry that is open: %v", err)
	}
}

func TestExchangeIsRefusedInTheRegistrysWords(t *testing.T) {
	d := start(t)
	here := plugin{url: d.registry.URL()}
	got, err := d.mustRefuse(t.Context(), "not a token", here)
	if err == nil || !strings.Contains(err.Error(), "does not refuse the token as it should") {
		t.Errorf("a refusal of the request, not of the token: %v, %v", got, err)
	}

	added, err := d.registry.AddProvider(emulator.Provider{IssuerURL: "https://issuer.test", IsEnabled: true, KeySource: "static",
		StaticJWKS: json.RawMessage(`{"keys":[]}`)})
	if err != nil {
		t.Fatal(err)
	}
	here.providerID = added.ID
	if got, err = d.mustRefuse(t.Context(), "not a token", here); err != nil || !strings.HasPrefix(got.Error(), "401 AUTH_ERROR: ") {
		t.Errorf("refused: %v, %v", got, err)
	}

	elsewhere := plugin{url: "https://elsewhere.test"}
	if _, err := d.exchange(t.Context(), "a token", elsewhere); err == nil || !strings.Contains(err.Error(), "https://elsewhere.test") {
		t.Errorf("a file for another registry: %v", err)
	}
	if err := d.nothingInRegistry(); err == nil || !strings.Contains(err.Error(), "https://issuer.test") {
		t.Errorf("a provider that is left: %v", err)
	}
}

func TestNothingInRegistry(t *testing.T) {
	d := start(t)
	if err := d.nothingInRegistry(); err != nil {
		t.Errorf("untouched: %v", err)
	}
	p, err := d.registry.AddProvider(emulator.Provider{IssuerURL: "https://issuer.test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.registry.AddMapping(emulator.Mapping{ProviderID: p.ID, GroupBindingIDs: []string{d.before.Groups[0].ID}}); err != nil {
		t.Fatal(err)
	}
	account := d.registry.State().Accounts[1]
	if err := d.nothingInRegistry(); err == nil || !strings.Contains(err.Error(), account.Username+" is still active") {
		t.Errorf("an account that is left: %v", err)
	}
	if err := d.registry.DeleteProvider(p.ID); err != nil {
		t.Fatal(err)
	}
	if err := d.nothingInRegistry(); err != nil {
		t.Errorf("after the provider is deleted: %v", err)
	}
	if err := d.registry.DeleteGroup(d.before.Groups[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := d.nothingInRegistry(); err == nil {
		t.Error("a group that was there before is gone, which nobody noticed")
	}
}
