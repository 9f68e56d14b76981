package claims_test

import (
	"encoding/json"
	"math/rand"
	"slices"
	"testing"
	"testing/quick"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// random makes a JSON value of little depth and few different parts, so that equal ones come up.
func random(r *rand.Rand, depth int) any {
	switch n := r.Intn(7); {
	case depth > 0 && n == 0:
		list := make([]any, r.Intn(4))
		for i := range list {
			list[i] = random(r, depth-1)
		}
		return list
	case depth > 0 && n == 1:
		object := map[string]any{}
		for range r.Intn(4) {
			object[string(rune('a'+r.Intn(4)))] = random(r, depth-1)
		}
		return object
	case n == 2:
		return r.Intn(2) == 0
	case n == 3:
		return nil
	case n == 4:
		return json.Number([]string{"1", "1.0", "2", "10e-1", "-0", "0"}[r.Intn(6)])
	}
	return []string{"1", "true", "x", ""}[r.Intn(4)]
}

func randomFilters(t *testing.T, r *rand.Rand) claims.Filters {
	t.Helper()
	values := map[string]any{}
	for range r.Intn(4) {
		values[[]string{"a", "b", "/a", "/b/c", "/b/0"}[r.Intn(5)]] = random(r, 3)
	}
	f, err := claims.FromValue(values)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Filters that are equal let the same tokens through.
func TestEqualFiltersMatchAlike(t *testing.T) {
	property := func(seed int64) bool {
		r := rand.New(rand.NewSource(seed))
		f := randomFilters(t, r)
		shuffled := f.Value()
		for _, value := range shuffled {
			if list, ok := value.([]any); ok {
				r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
		}
		g, err := claims.FromValue(shuffled)
		if err != nil {
			t.Fatal(err)
		}
		c, err := claims.ClaimsFromValue(map[string]any{"a": random(r, 2), "b": random(r, 2)})
		if err != nil {
			t.Fatal(err)
		}
		left, _ := f.Match(c)
		right, _ := g.Match(c)
		return f.Equal(g) && f.Canonical() == g.Canonical() && left == right
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// A filter that is exactly the claim matches, alone and among alternatives; together with one that does not, nothing
// does.
func TestMatchOfTheClaimItself(t *testing.T) {
	property := func(seed int64) bool {
		r := rand.New(rand.NewSource(seed))
		value := random(r, 3)
		c, err := claims.ClaimsFromValue(map[string]any{"a": value, "b": "other"})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(filters map[string]any) bool {
			f, err := claims.FromValue(filters)
			if err != nil {
				t.Fatal(err)
			}
			ok, _ := f.Match(c)
			return ok
		}
		alternatives := []any{"none of these", value}
		r.Shuffle(2, func(i, j int) { alternatives[i], alternatives[j] = alternatives[j], alternatives[i] })
		_, list := value.([]any)
		return ask(map[string]any{"a": alternatives}) && (list || ask(map[string]any{"/a": value})) &&
			!ask(map[string]any{"a": alternatives, "b": "another"})
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// FuzzParse: what is accepted is written and read back as the same, and its canonical form is stable.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"sub":"x"}`, `{"/a~1b":[1,1.0,"1",null]}`, `{"a":{"b":[]}}`, `{"/a~2":1}`, `{"a":1e999}`, `{"a":-0}`, `[]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := claims.Parse(text)
		if err != nil {
			return
		}
		again, err := claims.Parse(parsed.JSON())
		if err != nil {
			t.Fatalf("%s is not read back: %v", parsed.JSON(), err)
		}
		if again.JSON() != parsed.JSON() || !again.Equal(parsed) {
			t.Fatalf("%s became %s", parsed.JSON(), again.JSON())
		}
		stable, err := claims.Parse(parsed.Canonical())
		if err != nil {
			t.Fatalf("%s is not read back: %v", parsed.Canonical(), err)
		}
		if stable.Canonical() != parsed.Canonical() {
			t.Fatalf("%s became %s", parsed.Canonical(), stable.Canonical())
		}
		if keys := parsed.Keys(); len(keys) != parsed.Len() || !slices.IsSorted(keys) {
			t.Fatalf("keys %q", keys)
		}
		_, _ = parsed.Describe(), parsed.Warnings()
	})
}

// FuzzMatch: no pair of filters and claims breaks the evaluation, and its parts agree.
func FuzzMatch(f *testing.F) {
	f.Add(`{"/kubernetes.io/namespace":"team"}`, token)
	f.Add(`{"a.b":[1],"/list/0":null,"kubernetes.io":"x","":1}`, token)
	f.Add(`{"/a/0/b~1":{}}`, `{"a":[{"b/":{}}]}`)
	f.Fuzz(func(t *testing.T, text, token string) {
		filters, err := claims.Parse(text)
		if err != nil {
			return
		}
		tokenClaims, err := claims.ParseClaims(token)
		if err != nil {
			return
		}
		ok, reasons := filters.Match(tokenClaims)
		all := true
		for _, reason := range reasons {
			all = all && reason.Matched
			if reason.String() == "" {
				t.Fatal("an empty reason")
			}
		}
		if all != ok || len(reasons) != filters.Len() {
			t.Fatalf("%v contradicts %v", reasons, ok)
		}
	})
}
