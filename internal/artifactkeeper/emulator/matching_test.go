package emulator_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

func encodePart(t *testing.T, part object) string {
	t.Helper()
	return base64.RawURLEncoding.EncodeToString([]byte(encode(t, part)))
}

// ids is a row of identifiers that a test knows in advance.
type ids struct{ used int }

func fixedIDs() *ids { return &ids{} }

func (i *ids) at(n int) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Append(nil, n)) }

func (i *ids) next() uuid.UUID {
	i.used++
	return i.at(i.used - 1)
}

// peek is the identifier that comes after n others.
func (i *ids) peek(n int) string { return i.at(i.used + n).String() }

// TestClaimFilters shows which filters match which claims, by exchanging.
func TestClaimFilters(t *testing.T) {
	t.Parallel()
	x := startTarget(t, emulator.Options{})
	c := x.cluster(t, nil)
	m := x.mapping(t, c.provider, object{"claim_filters": object{}})
	claims := with(c.claims(), object{
		"text": "a", "whole": 1, "fraction": 1.5, "large": 1e30, "yes": true, "nothing": nil, "list": []any{"a", "b"},
		"object": object{"b": 1, "a": []any{2}}, "/slash": "s", "a~b": "tilde", "": "empty", "ns.name": "dotted",
		"deep": object{"list": []any{"zero", object{"m/n": "one"}}, "": "e", "~1": "literal", "x": nil},
	})
	claims["nothing"] = nil // with would take it out
	token := sign(t, jose.ES256, "kid", c.key, claims)

	for _, row := range []struct {
		filters string
		matches bool
	}{
		{`{}`, true},
		{`{"text": "a"}`, true},
		{`{"text": "A"}`, false},
		{`{"text": "a*"}`, false},
		{`{"text": ""}`, false},
		{`{"text": ["b", "a"]}`, true},
		{`{"text": ["b", "c"]}`, false},
		{`{"text": []}`, false},
		{`{"text": [["a"]]}`, false},
		{`{"text": "a", "whole": 1}`, true},
		{`{"text": "a", "whole": 2}`, false},
		{`{"whole": "1"}`, false},
		{`{"whole": 1.0}`, false}, // serde_json keeps whole numbers apart
		{`{"whole": true}`, false},
		{`{"fraction": 1.5}`, true},
		{`{"fraction": 15e-1}`, true},
		{`{"large": 1e30}`, true},
		{`{"yes": true}`, true},
		{`{"yes": "true"}`, false},
		{`{"nothing": null}`, true},
		{`{"missing": null}`, true},
		{`{"missing": [null]}`, true},
		{`{"missing": "x"}`, false},
		{`{"list": ["a", "b"]}`, false}, // any of the elements, and no element is the list
		{`{"list": [["a", "b"]]}`, true},
		{`{"list": [["b", "a"]]}`, false},
		{`{"list": "a"}`, false},
		{`{"object": {"a": [2], "b": 1}}`, true},
		{`{"object": {"a": [2]}}`, false},
		{`{"object": {"a": [2], "b": 2}}`, false},
		{`{"object": {"a": [2], "c": 1}}`, false},
		{`{"object": [{"a": [2], "b": 1}]}`, true},
		{`{"object": "x"}`, false},
		{`{"object": [[2]]}`, false},
		{`{"ns.name": "dotted"}`, true},
		{`{"kubernetes.io.namespace": "payments"}`, false},
		{`{"/kubernetes.io/namespace": "payments"}`, true},
		{`{"/kubernetes.io/serviceaccount/name": ["web", "api"]}`, true},
		{`{"/kubernetes.io/serviceaccount/missing": null}`, true},
		{`{"/kubernetes.io/namespace/deeper": "payments"}`, false},
		{`{"/~1slash": "s"}`, true},
		{`{"/slash": "s"}`, false},
		{`{"/a~0b": "tilde"}`, true},
		{`{"a~b": "tilde"}`, true},
		{`{"": "empty"}`, true},
		{`{"/": "empty"}`, true},
		{`{"/deep/": "e"}`, true},
		{`{"/deep/~01": "literal"}`, true},
		{`{"/deep/x": null}`, true},
		{`{"/deep/list/0": "zero"}`, true},
		{`{"/deep/list/1/m~1n": "one"}`, true},
		{`{"/deep/list/00": "zero"}`, false},
		{`{"/deep/list/+0": "zero"}`, false},
		{`{"/deep/list/2": null}`, true},
		{`{"/deep/list/-": null}`, true},
		{`"text"`, false},
		{`[]`, false},
	} {
		t.Run(row.filters, func(t *testing.T) {
			x.admin(t, "PUT", mappingPath(m), `{"claim_filters": `+row.filters+`}`).want(t, http.StatusOK)
			status := http.StatusUnauthorized
			if row.matches {
				status = http.StatusOK
			}
			x.exchange(t, token).want(t, status)
		})
	}
}

// TestPointersAreNew shows a pointer on a release that takes it for a name.
func TestPointersAreNew(t *testing.T) {
	t.Parallel()
	issuer := startIssuer(t, keySet(publicJWK(t, "kid", key(t, p256))))
	options := issuer.options()
	options.Profile = emulator.Profile110
	x := startTarget(t, options)
	p := x.provider(t, object{"issuer_url": issuer.URL, "audience": "aud"})
	m := x.mapping(t, p, object{"claim_filters": object{"/kubernetes.io/namespace": "payments"}})
	token := sign(t, jose.ES256, "kid", key(t, p256), podClaims(issuer.URL, "aud", startClock().Now()))
	x.exchange(t, token).wantError(t, http.StatusUnauthorized, "AUTH_ERROR", "did not match")
	x.admin(t, "PUT", mappingPath(m), object{"claim_filters": object{"sub": "system:serviceaccount:payments:api"}})
	x.exchange(t, token).want(t, http.StatusOK)
}
